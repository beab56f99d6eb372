"""Kernel and oracle in lock step, and both against plain geometry where a shared mistake could hide."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wts_fast import oracle
from wts_fast._kernel import Position as Kernel
from wts_fast.fuzz import CLAUSES, fuzz, load_replay, run_replay
from wts_fast.fuzz.boards import RAYS
from wts_fast.fuzz.check import compare_positions, compare_refusals, compare_turn
from wts_fast.squares import DIRECTIONS, NUM_SQUARES
from wts_fast.state import Capture, Outcome, Row, State

REPLAYS = Path(__file__).parent / "replays"
ENGINES = [pytest.param(oracle.Position, id="oracle"), pytest.param(Kernel, id="kernel")]

#: All 180 lines of four squares, each from both ends: (arrival, near, far, end).
BRACKETS = [(s, *ray[:3]) for s in range(NUM_SQUARES) for ray in RAYS[s] if len(ray) >= 3]
#: All 140 lines of five squares, from one end.
FIVES = [(s, *RAYS[s][d][:4]) for s in range(NUM_SQUARES) for d in range(4) if len(RAYS[s][d]) >= 4]


@pytest.mark.parametrize("seed", range(3))
def test_no_difference_in_a_short_run(seed: int) -> None:
    report = fuzz(seed=seed, turns=1500, kernel=Kernel, oracle=oracle.Position)
    assert not report.failures, str(report)


def test_a_run_of_a_few_seconds_meets_every_case() -> None:
    report = fuzz(seed=2026, turns=12_000, kernel=Kernel, oracle=oracle.Position)
    assert not report.failures, str(report)
    assert report.never == ()
    assert set(report.clauses) == set(CLAUSES)


def test_the_replays_are_there() -> None:
    names = {path.name for path in REPLAYS.glob("*.json")}
    assert len(names) >= 60
    assert any(name.startswith("0x") for name in names)


@pytest.mark.parametrize("path", sorted(REPLAYS.glob("*.json")), ids=lambda path: path.stem)
def test_a_replay_shows_no_difference(path: Path) -> None:
    replay = load_replay(path)
    difference = run_replay(replay, Kernel, oracle.Position)
    assert difference is None, f"{difference}; again: wts-fast fuzz --replay {path}"
    if path.name.startswith("0x"):
        assert path.name == replay.file_name


# T04, T05: geometry


def test_t04_there_are_360_brackets_and_140_lines_of_five() -> None:
    assert (len(BRACKETS), len(FIVES)) == (360, 140)


def _bracket_state(squares: tuple[int, ...], kinds: str, extra: tuple[int, ...] = ()) -> State:
    """Return the state with pieces of the given kinds (b, w, e or .) on squares, and white turtles elsewhere."""
    put = {k: tuple(sorted(s for s, c in zip(squares, kinds, strict=True) if c == k)) for k in "bw"}
    eggs = tuple(s for s, c in zip(squares, kinds, strict=True) if c == "e")
    return State(put["b"], tuple(sorted({*put["w"], *extra})), eggs)


def _far_square(squares: tuple[int, ...]) -> int:
    """Return an empty square on no line with any of these, where the other player does no harm."""
    return next(
        s for s in range(NUM_SQUARES) if s not in squares and all(s not in ray for t in squares for ray in RAYS[t])
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("victims", ["ww", "we", "ew", "ee"])
def test_t05_every_bracket_captures_exactly_its_pair(engine: Any, victims: str) -> None:
    for bracket in BRACKETS:
        arrival, near, far, end = bracket
        state = _bracket_state(bracket[1:], victims + "b")
        turn = engine.from_state(state).explain(arrival, _far_square(bracket))
        captures = [e for e in turn.events if isinstance(e, Capture)]
        direction = next(DIRECTIONS[d][0] for d in range(8) if RAYS[arrival][d][:1] == (near,))
        assert captures == [Capture("black", arrival, direction, (near, far), end)]
        assert not {near, far} & {*turn.position.white, *turn.position.eggs}
        assert {arrival, end} <= set(turn.position.black)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "kinds", ["wwe", "www", "ww.", "wbb", "w.b", ".wb", "bwb", "w..", "eee"], ids=lambda k: k.replace(".", "_")
)
def test_t05_nothing_else_on_a_bracket_captures(engine: Any, kinds: str) -> None:
    for bracket in BRACKETS:
        turn = engine.from_state(_bracket_state(bracket[1:], kinds)).explain(bracket[0], _far_square(bracket))
        assert not any(isinstance(e, Capture) for e in turn.events), bracket


@pytest.mark.parametrize("engine", ENGINES)
def test_t05_two_at_the_wall_are_safe(engine: Any) -> None:
    for arrival in range(NUM_SQUARES):
        for ray in RAYS[arrival]:
            if len(ray) == 2:
                turn = engine.from_state(_bracket_state(ray, "ww")).explain(arrival, _far_square((arrival, *ray)))
                assert not any(isinstance(e, Capture) for e in turn.events)


@pytest.mark.parametrize("engine", ENGINES)
def test_t05_one_or_three_between_are_no_bracket(engine: Any) -> None:
    for arrival in range(NUM_SQUARES):
        for ray in RAYS[arrival]:
            for squares, kinds in ((ray[:2], "wb"), (ray[:4], "wwwb"), (ray[:5], "wwwwb")):
                if len(squares) == len(kinds):
                    state = _bracket_state(squares, kinds)
                    turn = engine.from_state(state).explain(arrival, _far_square((arrival, *squares)))
                    assert not any(isinstance(e, Capture) for e in turn.events), (arrival, squares)


def _index_runs(length: int, lines: set[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the runs of square numbers a constant step apart that look like lines to a board without walls."""
    runs = []
    for step in (1, 8, 9, 10):
        for first in range(NUM_SQUARES - step * (length - 1)):
            run = tuple(range(first, first + step * length, step))
            if run not in lines:
                runs.append(run)
    return runs


@pytest.mark.parametrize("engine", ENGINES)
def test_t04_brackets_do_not_wrap_around_the_edge(engine: Any) -> None:
    runs = _index_runs(4, set(BRACKETS))
    assert len(runs) == 81 * 4 - 3 * (1 + 8 + 9 + 10) - 180
    for run in runs + [run[::-1] for run in runs]:
        if run in BRACKETS:
            continue
        other = next(s for s in range(NUM_SQUARES) if s not in run and all(abs(s - t) > 30 for t in run[:1]))
        turn = engine.from_state(_bracket_state(run[1:], "wwb")).explain(run[0], other)
        assert not any(isinstance(e, Capture) and e.colour == "black" for e in turn.events), run


@pytest.mark.parametrize("engine", ENGINES)
def test_t04_rows_do_not_wrap_around_the_edge(engine: Any) -> None:
    lines = {tuple(sorted(five)) for five in FIVES}
    runs = _index_runs(5, lines)
    assert len(runs) == 81 * 4 - 4 * (1 + 8 + 9 + 10) - 140
    for run in runs:
        assert engine.from_state(State(black=run)).outcome is None, run
    for five in lines:
        assert engine.from_state(State(black=five)).outcome is Outcome.BLACK
        assert engine.from_state(State(white=five)).winning("white") == five


# T06, T07: rows and the count


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("length", range(5, 10))
def test_t06_a_gap_filled_makes_one_row_of_the_whole_length(engine: Any, length: int) -> None:
    squares = [(s, *RAYS[s][d][: length - 1]) for s in range(NUM_SQUARES) for d in range(4)]
    for line in (x for x in squares if len(x) == length):
        for gap in (s for s in line if not _has_five(line, s)):
            black = tuple(sorted(s for s in line if s != gap))
            turn = engine.from_state(State(black=black)).explain(gap, _far_square(line[:1] + line[-1:] + (gap,)))
            assert [e for e in turn.events if isinstance(e, Row)] == [Row("black", tuple(sorted(line)))]
            assert turn.events[-1].black == length


def _has_five(line: tuple[int, ...], gap: int) -> bool:
    at = line.index(gap)
    return max(at, len(line) - at - 1) >= 5


def test_t11_two_empty_squares_all_four_turns() -> None:
    text = "bwwbbwwbb/wbbwwbbww/bwwbbwwbb/wbbwwbbww/bwwbbwwbb/wbbwwbbww/bww1bwwbb/wbbwwbb1w/bwwbbwebb G1"
    fast, slow = Kernel(text), oracle.Position(text)
    assert compare_positions(fast, slow) is None
    assert len(slow.legal) == 2
    for black in slow.legal:
        for white in slow.legal:
            _, after, events, difference = compare_turn(fast, slow, black, white)
            assert difference is None, str(difference)
            if black == white:
                assert after.legal == tuple(s for s in slow.legal if s != black)
                assert after.outcome is None
            elif not any(isinstance(e, Capture) for e in events):
                assert after.outcome is Outcome.DRAW


def test_t11_a_finished_game_and_every_occupied_square_are_refused_alike() -> None:
    text = "ee7/9/9/9/4b4/9/9/9/w8 B9,A9"
    fast, slow = Kernel(text), oracle.Position(text)
    for s in (72, 73, 40, 0):
        assert compare_refusals(fast, slow, s, 5) is None
        assert compare_refusals(fast, slow, 5, s) is None
        assert compare_refusals(fast, slow, s, s) is None
    for bad in (-1, 81, True, 1.0, None, "", "A10", "Ａ1", "a1 ", b"A1", 2**70, float("nan")):
        assert compare_refusals(fast, slow, bad, 5) is None, bad
        assert compare_refusals(fast, slow, 5, bad) is None, bad
    over = "9/9/9/9/bbbbb4/9/9/9/9 -"
    for squares in ((0, 1), (36, 36), (0, 0), (-1, 0), ("x", 0)):
        assert compare_refusals(Kernel(over), oracle.Position(over), *squares) is None, squares
