"""perft: both engines count what the data files say, and a mismatch shows where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wts_fast import oracle
from wts_fast._kernel import Position as Kernel
from wts_fast.cli import main
from wts_fast.errors import LimitError, ParseError
from wts_fast.perft import Counts, TableLine, difference, divide, format_line, perft, read_table

DATA = Path(__file__).parent / "data"
FILES = ("dense.perft", "endgames.perft", "start.perft")

#: What one engine counts in a test of a fraction of a second.
MOST_KERNEL = 100_000
MOST_ORACLE = 500

LINES = [line for name in FILES for line in read_table(DATA / name)]


def name_line(line: TableLine) -> str:
    return f"{line.text}-depth{line.depth}"


@pytest.mark.parametrize("name", FILES)
def test_a_data_file_tells_its_provenance(name: str) -> None:
    head = [line for line in (DATA / name).read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    assert "ounted" in " ".join(head)
    assert "ersion" in " ".join(head)


def test_the_data_files_have_something_of_everything() -> None:
    total = Counts()
    for line in LINES:
        total.add(line.counts)
    assert min(total.as_dict().values()) > 0, str(total)
    assert len(LINES) > 100


@pytest.mark.parametrize("line", [x for x in LINES if x.counts.turns <= MOST_KERNEL], ids=name_line)
def test_the_kernel_counts_what_the_file_says(line: TableLine) -> None:
    position = Kernel(line.text)
    found = perft(position, line.depth)
    assert found == line.counts, difference(position, oracle.Position(line.text), line.depth)


@pytest.mark.parametrize("line", [x for x in LINES if x.counts.turns <= MOST_ORACLE], ids=name_line)
def test_the_oracle_counts_what_the_file_says(line: TableLine) -> None:
    position = oracle.Position(line.text)
    found = perft(position, line.depth)
    assert found == line.counts, difference(Kernel(line.text), position, line.depth)


def test_two_turns_from_the_start_by_arithmetic() -> None:
    (line,) = (x for x in LINES if x.depth == 2 and not any(x.position))
    # A collision leaves 80 empty squares, two turtles leave 79.
    assert line.counts.turns == 81 * 80**2 + 81 * 80 * 79**2
    # 360 directed brackets; the two victims come in either order; Black or White captures.
    assert line.counts.captures == 360 * 2 * 2


def test_depth_0_counts_the_position_and_a_finished_game_ends_there() -> None:
    finished = Kernel("9/9/9/9/9/9/9/9/bbbbb4 -")
    assert perft(finished, 0) == Counts(turns=1)
    assert perft(finished, 1) == Counts()
    assert list(divide(finished, 1)) == []


@pytest.mark.parametrize("depth", [-1, 21, True, 1.0, "1"])
def test_a_depth_out_of_range_is_refused(depth: object) -> None:
    with pytest.raises(LimitError, match="depth"):
        perft(Kernel(), depth)  # type: ignore[arg-type]
    with pytest.raises(LimitError, match="depth"):
        divide(Kernel(), depth)  # type: ignore[arg-type]


def test_the_divide_sums_up_and_a_wrong_engine_shows_in_its_line() -> None:
    line = next(x for x in LINES if x.depth == 2 and 100 < x.counts.turns < 1000)
    total = Counts()
    for _, _, counts in divide(Kernel(line.text), 2):
        total.add(counts)
    assert total == line.counts
    assert difference(Kernel(line.text), oracle.Position(line.text), 2) == ""

    class Blind(oracle.Position):
        """Finds no square but the first two."""

        @property
        def legal(self) -> tuple[int, ...]:
            return super().legal[:2]

    shown = difference(Blind.from_state(line.position), oracle.Position(line.text), 2)
    assert "kernel has no such turn; oracle turns=" in shown


def test_a_line_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "x.perft"
    counts = Counts(turns=9, captures=1, white=2)
    path.write_text("# why\n\n" + format_line("9/9/9/9/9/9/9/9/9 -", 1, counts) + "\n", encoding="utf-8")
    (line,) = read_table(path)
    assert (line.depth, line.counts) == (1, counts)


@pytest.mark.parametrize(
    "text",
    [
        "9/9/9/9/9/9/9/9/9 -",
        "9/9/9/9/9/9/9/9/9 - ; depth=1 turns=1",
        "9/9/9/9/9/9/9/9 - ; depth=1 " + str(Counts()),
        "9/9/9/9/9/9/9/9/9 - ; depth=1 " + str(Counts()).replace("turns=0", "turns=-1"),
        "9/9/9/9/9/9/9/9/9 - ; depth=1 " + str(Counts()).replace("turns=0", "turns=１"),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.perft"
    path.write_text("# why\n" + text + "\n", encoding="utf-8")
    with pytest.raises(ParseError) as caught:
        read_table(path)
    assert caught.value.line == 2


@pytest.mark.parametrize("engine", ["kernel", "oracle"])
def test_the_command_counts_and_divides(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = next(x for x in LINES if x.depth == 2 and x.counts.turns < 300)
    assert main(["perft", line.text, "2", "--engine", engine]) == 0
    assert capsys.readouterr().out.strip() == str(line.counts)
    assert main(["perft", line.text, "2", "--engine", engine, "--divide"]) == 0
    assert capsys.readouterr().out.endswith(f"total: {line.counts}\n")
    assert main(["perft", line.text, "2", "--engine", engine, "--divide", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["counts"] == line.counts.as_dict()
    assert sum(part["turns"] for part in data["divide"].values()) == line.counts.turns
    assert data["engine"] == engine
