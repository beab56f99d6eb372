"""`wts-fast review`: what it prints and writes, what it refuses, and what Ctrl-C leaves."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from test_review import EXAMPLE, played

import wts_fast as wts
from wts_fast.cli import main
from wts_fast.record import check_file, write_games


def command(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    status = main(["review", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def two(tmp_path: Path) -> Path:
    first, second = played("E5 E5", "A1 B1"), played("D4 F6", "C3 C4", "A9 I1")
    write_games(tmp_path / "two.wts", [first.to_record(), second.to_record()])
    return tmp_path / "two.wts"


def test_the_command_prints_a_table_that_adds_up(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = command(str(EXAMPLE), "--nodes", "20", "--color", "never", capsys=capsys)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith("turn ")]
    assert len(heads) == 1
    width = len(lines[heads[0]])
    rows = lines[heads[0] + 2 : heads[0] + 13]
    value = float(lines[heads[0] + 1])
    for number, row in enumerate(rows, 1):
        cells = row[:width].split()
        assert len(row[:width]) == width
        assert int(cells[0]) == number
        black, white, luck, after = (float(cells[i]) for i in (4, 8, 9, 10))
        assert value - black + white + luck == pytest.approx(after, abs=0.0031)
        value = after
    assert rows[-1].endswith("Black wins")
    assert value == 1.0
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("argument", "options", "length"),
    [
        ("#1", [], 2),
        ("#2", [], 3),
        ("#2@1", [], 1),
        ("#2@0", [], 0),
        ("", ["--game", "2"], 3),
        ("@2", ["--game", "2"], 2),
        ("#2", ["--game", "2"], 3),
    ],
)
def test_a_game_of_several_is_named(
    argument: str, options: list[str], length: int, two: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = command(f"{two}{argument}", *options, "--nodes", "5", "--json", capsys=capsys)
    assert status == 0
    assert json.loads(out)["length"] == length


@pytest.mark.parametrize(
    ("argument", "options", "words"),
    [
        ("", [], "more than one game"),
        ("#3", [], "holds 2 games, not 3"),
        ("#0", [], "number of a game"),
        ("#x", [], "number of a game"),
        ("#2@4", [], "ends after turn 3"),
        ("#2@x", [], "expected a whole number after @"),
        ("#1", ["--game", "2"], "the file says game 1"),
        ("", ["--game", "0"], "--game"),
        ("#1", ["--nodes", "0"], "--nodes"),
        ("#1", ["--seconds", "0"], "--seconds"),
        ("#1", ["--html", "/nowhere/x.html"], "the folder is not there"),
        ("#1", ["--out", "/nowhere/x.wts"], "the folder is not there"),
    ],
)
def test_bad_usage_is_one_line(
    argument: str, options: list[str], words: str, two: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = command(f"{two}{argument}", *options, capsys=capsys)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert words in err


@pytest.mark.parametrize("argument", ["missing.wts", "start", ".", "9/9/9/9/9/9/9/9/9 -", "\x00"])
def test_what_is_no_record_is_refused(
    argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = command(argument, capsys=capsys)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1


def test_a_hash_in_the_name_of_a_file_is_part_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played("E5 E5", "A1 B1").write(tmp_path / "a#1@2.wts")
    for argument, length in (("a#1@2.wts", 2), ("a#1@2.wts@1", 1), ("a#1@2.wts#1", 2)):
        status, out, _ = command(str(tmp_path / argument), "--nodes", "5", "--json", capsys=capsys)
        assert (status, json.loads(out)["length"]) == (0, length)


def test_files_are_written_and_other_games_are_spared(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = two.parent
    files = [str(folder / name) for name in ("r.html", "r.svg", "r.wts")]
    options = [word for pair in zip(("--html", "--svg", "--out"), files, strict=True) for word in pair]
    status, _, err = command(f"{two}#2", "--nodes", "5", *options, capsys=capsys)
    assert (status, err) == (0, "")
    assert Path(files[0]).read_text(encoding="utf-8").startswith("<!doctype html>")
    ElementTree.parse(files[1])
    assert check_file(files[2]) == (1, [])
    before = two.read_bytes()
    status, _, err = command(f"{two}#2", "--nodes", "5", "--out", str(two), capsys=capsys)
    assert status == 2
    assert "other games" in err
    assert two.read_bytes() == before
    # A file of one game can be reviewed in its place.
    assert command(files[2], "--nodes", "5", "--out", files[2], capsys=capsys)[0] == 0
    assert check_file(files[2]) == (1, [])


def test_standard_input_is_a_record(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Stream:
        buffer = io.BytesIO(str(played("E5 E5")).encode())

    monkeypatch.setattr(sys, "stdin", Stream)
    status, out, _ = command("-", "--nodes", "5", "--json", capsys=capsys)
    assert (status, json.loads(out)["length"]) == (0, 1)


def test_ctrl_c_keeps_what_is_reviewed(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "wts_fast", "review", str(EXAMPLE), "--seconds", "2", "--out", "kept.wts", "--json"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(wts.__file__).parents[1])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(7)
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    data = json.loads(out)
    assert data["complete"] is False
    assert [turn["number"] for turn in data["turns"]] == list(range(12 - len(data["turns"]), 12))
    if data["start_value"] is not None:
        assert check_file(tmp_path / "kept.wts") == (1, [])
