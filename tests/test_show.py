"""`wts-fast show`: files that are written whole or not at all, and what the command draws and refuses."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from test_draw import SVG, rows_of, titles

from wts_fast import oracle
from wts_fast._kernel import Position
from wts_fast.cli import main
from wts_fast.cli.terminal import keeps_to_ascii, wants_colour
from wts_fast.draw.svg import svg
from wts_fast.files import write_text_atomically


def test_file_is_replaced_whole_and_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "é.svg"
    write_text_atomically(target, "eins\n")
    assert target.read_bytes() == b"eins\n"
    target.chmod(0o600)
    write_text_atomically(str(target), "zwölf\n")
    assert target.read_bytes() == "zwölf\n".encode()
    assert target.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_text_atomically(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "text"


def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    target = tmp_path / "old.svg"
    target.write_text("old")
    # A limit on the size of files stands for the full disk: the write itself fails halfway.
    program = (
        "import resource, sys; from wts_fast.files import write_text_atomically as w\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try: w(sys.argv[1], 'x' * 100_000)\n"
        "except OSError as error: print(error.filename == sys.argv[1], error)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(target)], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("True [Errno 27]")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("place", ["missing/x.svg", ".", "/dev/full"])
def test_a_place_that_cannot_be_written_is_named(place: str, tmp_path: Path) -> None:
    target = str(tmp_path / place)
    with pytest.raises(OSError, match=re.escape(target)):
        write_text_atomically(target, "text")
    assert list(tmp_path.iterdir()) == []


def show(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["show", *arguments])
    return status, *capsys.readouterr()


TEXT = "9/9/9/9/5web1/9/2e6/9/9 G5,C3"


def test_show_draws_a_position_and_ends_with_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = show(capsys, TEXT, "--ascii")
    assert (status, err) == (0, "")
    assert out.isascii()
    assert out.splitlines()[-3:] == ["eggs, oldest first: G5, C3", "77 empty squares", TEXT]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("bbbbb4/9/9/9/9/9/9/9/9 -", "Black has won, 5 to 0 winning turtles"),
        ("wwwww4/9/9/9/9/9/9/9/9 -", "White has won, 5 to 0 winning turtles"),
        ("wwwww4/9/9/9/9/9/9/9/bbbbb4 -", "Sudden death, 5 to 5 winning turtles, 71 empty squares"),
    ],
)
def test_show_says_how_things_stand(text: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = show(capsys, text, "--ascii")
    assert out.splitlines()[-2] == line
    assert out.count("*B") + out.count("*W") == (10 if "death" in line else 5)


def test_show_tells_a_turn_step_by_step(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = show(capsys, TEXT, "--turn", "E5 A9", "--ascii")
    assert status == 0
    assert re.findall(r"^\d\. .*", out, re.M) == [
        "1. Black lands on E5, White on A9.",
        "2. Black's E5 captures F5 and G5 to the east, with H5.",
        "3. F5 and G5 leave the board. Now Black holds 1 claim.",
        "4. The oldest egg, C3, hatches into a black turtle, with no claims left.",
        "5. No row: play goes on.",
    ]
    assert out.splitlines()[-1] == "w8/9/9/9/4b2b1/9/2b6/9/9 -"


def test_show_json_is_complete_and_strict(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = show(capsys, TEXT, "--turn", "E5 A9", "--json")
    data = json.loads(out)
    assert data["position"] == TEXT
    assert (data["black"], data["white"], data["eggs"]) == (["H5"], ["F5"], ["G5", "C3"])
    assert data["key"] == f"{oracle.Position(TEXT).key:016x}"
    assert [e["event"] for e in data["events"]] == ["placement", "placement", "capture", "hatch", "verdict"]
    assert data["after"]["position"] == "w8/9/9/9/4b2b1/9/2b6/9/9 -"
    assert len(data["legal"]) == 77


def test_show_writes_pictures(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "out.svg"
    assert show(capsys, TEXT, "--svg", str(target))[0] == 0
    assert len(titles(target.read_text())) == 4
    assert show(capsys, TEXT, "--svg", str(target), "--turn", "E5 A9")[0] == 0
    assert len(titles(target.read_text())) > 15
    _, out, _ = show(capsys, TEXT, "--svg", "-")
    assert ET.fromstring(out).tag == f"{SVG}svg"


GAME = """[Black "A"]
[White "B"]
[Date "2026.11.30"]
[Result "*"]

1. E5 E5 2. B2 C2 3. G7 D2 4. E2 H3 *
"""


def test_show_marks_the_last_turn_of_a_record(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "game.wts"
    path.write_text(GAME)
    for argument in (str(path), f"{path}@4"):
        status, out, err = show(capsys, argument, "--ascii")
        assert (status, err) == (0, "")
        assert out.startswith("After turn 4: E2 H3\n")
        cells = rows_of(out)
        assert cells[7] == [".", "B", "x.", "x.", ">B", ".", ".", ".", "."]
        assert cells[6][7] == ">W"
        assert cells[4][4] == "B"  # the egg of the collision has hatched
    _, out, _ = show(capsys, f"{path}@1", "--ascii")
    assert out.startswith("After turn 1: E5 E5\n")
    assert rows_of(out)[4][4] == ">e1"
    _, out, _ = show(capsys, f"{path}@0", "--ascii")
    assert ">" not in out
    _, out, _ = show(capsys, f"{path}@2", "--json")
    assert json.loads(out)["last_turn"] == {"number": 2, "turn": "B2 C2"}
    _, out, _ = show(capsys, f"{path}@4", "--svg", "-")
    assert ET.fromstring(out)[0].text == "After turn 4: E2 H3"
    _, out, _ = show(capsys, f"{path}@3", "--turn", "E2 H3", "--ascii")
    assert "2. Black's E2 captures D2 and C2 to the west, with B2." in out
    status, _, err = show(capsys, f"{path}@5")
    assert (status, err.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["9/9 -"], "show: "),
        ([TEXT, "--turn", "E5"], "show: "),
        ([TEXT, "--turn", "E5 F5"], "white"),
        ([TEXT, "--turn", "５５ F6"], "show: "),
        ([TEXT, "--svg", "-", "--json"], "not both"),
        ([TEXT, "--svg", "/missing/folder/x.svg"], "/missing/folder/x.svg"),
        ([TEXT, "--svg", "/dev/full"], "/dev/full"),
        ([TEXT, "--color", "blue"], "--color"),
    ],
)
def test_show_ends_bad_input_in_one_line(arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = show(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("wts-fast show: ")
    assert reason in err
    assert err.count("\n") == 1


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def test_colours_come_only_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal, pipe = Terminal(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    assert wants_colour("auto", terminal)
    assert not wants_colour("auto", pipe)
    assert wants_colour("always", pipe)
    assert not wants_colour("never", terminal)
    monkeypatch.setenv("NO_COLOR", "")  # as the convention has it, empty means not set
    assert wants_colour("auto", terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour("auto", terminal)
    assert wants_colour("always", terminal)
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_colour("auto", terminal)


def test_ascii_where_the_encoding_has_no_frame() -> None:
    assert not keeps_to_ascii(False, io.TextIOWrapper(io.BytesIO(), "utf-8"))
    assert not keeps_to_ascii(False, io.TextIOWrapper(io.BytesIO(), "cp437"))
    for encoding in ("ascii", "latin-1"):
        assert keeps_to_ascii(False, io.TextIOWrapper(io.BytesIO(), encoding))
    assert keeps_to_ascii(True, io.TextIOWrapper(io.BytesIO(), "utf-8"))


@pytest.mark.parametrize("engine", [oracle.Position, Position], ids=["oracle", "kernel"])
def test_positions_of_both_engines_are_pictures_in_notebooks(engine: type) -> None:
    assert engine(TEXT)._repr_svg_() == svg(oracle.Position(TEXT))
