"""The fuzzer itself: it finds what is broken, shrinks it, replays it, and knows what it has exercised."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wts_fast import oracle
from wts_fast._kernel import Position as Kernel
from wts_fast.cli import main
from wts_fast.errors import LimitError, WtsError
from wts_fast.fuzz import CLAUSES, NOT_OBSERVABLE, Report, fuzz, load_replay, replay_command, run_replay, save_replay
from wts_fast.fuzz.boards import SYMMETRY_MAPS, map_direction, splitmix64, winning_squares
from wts_fast.fuzz.check import check_engine, compare_positions, compare_turn, map_events
from wts_fast.fuzz.clauses import Coverage
from wts_fast.fuzz.generate import GENERATORS, game_seed, make_plan
from wts_fast.fuzz.replay import Replay
from wts_fast.squares import DIRECTIONS, SYMMETRIES
from wts_fast.state import State

#: Where the oracle has found the captures of both placed turtles and does not yet act on them.
SETTLE = "    events += captures\n    remove_victims(pieces, eggs, captures)  # R13\n"


def without(condition: str) -> str:
    """Drop the captures of placed turtles for which a condition on ``c`` holds."""
    return f"    captures = [c for c in captures if not ({condition})]\n" + SETTLE


#: One change for each clause that a turn can show: the clause, what stands in the oracle, what is put there.
MUTANTS = [
    ("R1 ranks and files", "return square % 9, square // 9", "return square // 9, square % 9"),
    ("R3 eggs sorted", "tuple(square_of(place) for place in eggs))", "tuple(sorted(square_of(p) for p in eggs)))"),
    ("R4 eggs do not block", "if place_of(square) not in self._pieces)", "if square not in self._state.black)"),
    ("R6 collision captures nothing but lays no egg", "eggs.append(place_of(black))", "pass"),
    ("R6 the egg is the oldest", "eggs.append(place_of(black))", "eggs.insert(0, place_of(black))"),
    ("R7 no egg as near victim", "if near not in pieces or pieces[near] == colour:",
     "if near not in pieces or pieces[near] in (colour, 'egg'):"),
    ("R7 no egg as far victim", "if far not in pieces or pieces[far] == colour:",
     "if far not in pieces or pieces[far] in (colour, 'egg'):"),
    ("R7 an egg as far end", "if pieces.get(end) != colour:", "if pieces.get(end) not in (colour, 'egg'):"),
    ("R8 three are a bracket", "for times in (1, 2, 3))", "for times in (1, 2, 4))"),
    ("R9 walking in is captured", SETTLE, "    captures += [c for s in state.black + state.white "
     "for c in find_captures(pieces, place_of(s)) if {black, white} & set(c.victims)]\n" + SETTLE),
    ("R10 a captured turtle captures nothing", SETTLE, without("any(c.arrival in d.victims for d in captures)")),
    ("R10 a captured far end closes nothing", SETTLE, without("any(c.end in d.victims for d in captures)")),
    ("R11 a placed turtle is no victim", SETTLE, without("{black, white} & set(c.victims)")),
    ("R12 seven directions", "for name, df, dr in DIRECTIONS:", "for name, df, dr in DIRECTIONS[:7]:"),
    ("R13 a shared victim counts once", SETTLE, without(
        "c.colour == 'white' and any(set(c.victims) & set(d.victims) for d in captures if d.colour == 'black')")),
    ("R14 a captured egg still hatches", "eggs.remove(victim)", "pass"),
    ("R14 one claim a player", "sum(capture.colour == colour for capture in captures)",
     "any(capture.colour == colour for capture in captures)"),
    ("R15 the youngest egg", "oldest = eggs.pop(0)", "oldest = eggs.pop()"),
    ("R15 an egg dissolves for one claim", 'claims["white"] -= 1', "pass"),
    ("R16 hatched turtles do not capture", "captures = find_captures(pieces, oldest)", "captures = []"),
    ("R16 no claim from a hatched turtle", "claims[owner] += len(captures)", "pass"),
    ("R18 four are a row", "if len(line) >= 5:", "if len(line) >= 4:"),
    ("R18 six are no row", "if len(line) >= 5:", "if len(line) == 5:"),
    ("R18 one diagonal", "LINES: Final = ((1, 0), (0, 1), (1, 1), (1, -1))", "LINES = ((1, 0), (0, 1), (1, 1))"),
    ("R19 a shared turtle counts twice", "return len(unite(self._rows[0])),", "return sum(map(len, self._rows[0])),"),
    ("R20 any row of Black's wins", "if winning_black > winning_white:", "if winning_black:"),
    ("R20 White never wins", "if winning_white > winning_black:", "if False:"),
    ("R21 equal rows are a draw", "if num_empty == 0:", "if num_empty == 0 or winning_black:"),
    ("R21 no sudden death", "self.outcome is None and self._counts() != (0, 0)", "False"),
    ("R23 a full board goes on", "if num_empty == 0:", "if False:"),
    ("R23 only without rows", "if num_empty == 0:", "if num_empty == 0 and not winning_black:"),
    ("key without ages", "mix(162 + 81 * age + square)", "mix(162 + square)"),
    ("canonical without colours", "for swap in (False, True)]", "for swap in (False,)]"),
    ("transform keeps colours", "black, white = white, black", "pass"),
    ("winning in the order of rows", "return tuple(sorted({square for row in rows for square in row}))",
     "return tuple({square: 0 for row in rows for square in row})"),
    ("pickle loses the eggs", "return Position, (str(self),)", "return Position, (str(self).split()[0] + ' -',)"),
    ("refuses with another code", 'code="occupied", field=colour', 'code="taken", field=colour'),
    ("finished games go on", "raise GameOver(", "return Turn(self, ()); raise GameOver("),
]  # fmt: skip


@pytest.fixture
def broken_oracle(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Load the oracle's source once more, with one line of it changed."""
    source = Path(oracle.__file__).read_text(encoding="utf-8")
    old, new = request.param
    assert old in source, f"the oracle reads differently now; change this mutant: {old}"
    name = "wts_fast._broken_oracle"
    spec = importlib.util.spec_from_loader(name, loader=None)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    module.__dict__["__package__"] = "wts_fast"
    sys.modules[name] = module
    try:
        exec(compile(source.replace(old, new), name, "exec"), module.__dict__)
        yield module.Position
    finally:
        del sys.modules[name]


@pytest.mark.parametrize(
    "broken_oracle", [m[1:] for m in MUTANTS], ids=[m[0].replace(" ", "-") for m in MUTANTS], indirect=True
)
def test_every_broken_clause_is_found_and_shrunk(broken_oracle: Any, tmp_path: Path) -> None:
    report = first_failure(broken_oracle, tmp_path)
    assert report.failures, f"seed {report.seed}: nothing found in {report.turns} turns"
    failure = report.failures[0]
    assert run_replay(failure.replay, broken_oracle, oracle.Position) is not None
    assert run_replay(failure.replay, Kernel, oracle.Position) is None
    assert failure.path is not None
    assert failure.path.name == f"0x{failure.seed:016X}.json"
    assert load_replay(failure.path) == failure.replay
    assert f"wts-fast fuzz --replay {failure.path}" in str(report)
    # Nothing that is left can be left away: every piece and every turn matters.
    assert len(failure.replay.turns) <= 2, failure.replay.as_dict()


def first_failure(engine: Any, folder: Path, most: int = 20_000) -> Report:
    """Fuzz a broken engine, in growing runs, until something is found."""
    turns = 50
    while True:
        report = fuzz(seed=3, turns=turns, kernel=engine, oracle=oracle.Position, out=folder)
        if report.failures or turns >= most:
            return report
        turns *= 4


def test_an_engine_that_raises_is_a_finding(tmp_path: Path) -> None:
    class Crashing(oracle.Position):
        def play(self, black: object, white: object) -> Any:
            if len(self.eggs) > 3:
                raise RuntimeError("out of eggs")
            return super().play(black, white)

        def explain(self, black: object, white: object) -> Any:
            turn = super().explain(black, white)
            return replace(turn, position=Crashing.from_state(turn.position.state))

        @classmethod
        def from_state(cls, state: State) -> Crashing:
            position = cls.__new__(cls)
            position._fill(state)
            return position

    report = fuzz(seed=1, turns=200, kernel=Crashing, oracle=oracle.Position, out=tmp_path)
    failure = report.failures[0]
    assert "RuntimeError: out of eggs" in str(failure.difference)
    assert len(failure.replay.position.eggs) == 4
    assert failure.replay.position.black == failure.replay.position.white == ()


def test_a_fault_that_depends_on_the_past_keeps_the_turns_that_matter(tmp_path: Path) -> None:
    """T10: derived data that goes stale is not seen from the position alone."""

    class Stale(oracle.Position):
        __slots__ = ("age",)

        def explain(self, black: object, white: object) -> Any:
            turn = super().explain(black, white)
            after = Stale.from_state(turn.position.state)
            object.__setattr__(after, "age", getattr(self, "age", 0) + 1)
            return replace(turn, position=after)

        @classmethod
        def from_state(cls, state: State) -> Stale:
            position = cls.__new__(cls)
            position._fill(state)
            return position

        @property
        def key(self) -> int:
            return super().key ^ (getattr(self, "age", 0) >= 3)

    report = fuzz(seed=1, turns=200, kernel=Stale, oracle=oracle.Position, out=tmp_path)
    replay = report.failures[0].replay
    assert len(replay.turns) == 3
    assert "key" in replay.difference


def test_a_finding_is_printed_even_where_it_cannot_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    broken = type("Broken", (oracle.Position,), {"key": 1, "__slots__": ()})
    report = fuzz(seed=1, turns=50, kernel=broken, oracle=oracle.Position, out=blocked / "deeper")
    assert report.failures[0].path is None
    assert "not written" in str(report)
    assert report.failures[0].replay.as_dict()["position"] in str(report)


# What a run reports


def test_every_clause_is_observed_or_said_to_be_unobservable() -> None:
    seen = {name.split()[0] for name in CLAUSES} | set(NOT_OBSERVABLE)
    assert seen == {f"R{n}" for n in range(1, 26)}


def test_the_same_seed_gives_the_same_run() -> None:
    one, two, other = (fuzz(seed=s, turns=300, kernel=Kernel, oracle=oracle.Position) for s in (5, 5, 6))
    assert (one.games, one.turns, one.clauses, one.kinds) == (two.games, two.turns, two.clauses, two.kinds)
    assert one.clauses != other.clauses
    assert one.turns == 300


def test_a_game_depends_on_its_own_seed_only() -> None:
    assert game_seed(7, 3) == game_seed(9, 1) == splitmix64(10)
    assert make_plan(game_seed(7, 3)).state == make_plan(game_seed(9, 1)).state
    assert game_seed(2**64 - 1, 1) == splitmix64(0) == 0xE220A8397B1DCDAF


@pytest.mark.parametrize("kind", GENERATORS)
def test_generated_games_can_be_played(kind: str) -> None:
    for game in range(40):
        plan = make_plan(game_seed(11, game), kind)
        position = oracle.Position.from_state(plan.state)
        assert position.outcome is None, f"game {game}: {position}"
        assert position.legal
        for colour in ("black", "white"):
            assert winning_squares(getattr(plan.state, colour)) == set(position.winning(colour))


def test_a_clause_that_a_long_run_never_met_is_a_failure_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    short = fuzz(seed=1, turns=100, kernel=Kernel, oracle=oracle.Position)
    assert short.never
    assert short.ok
    assert main(["fuzz", "--turns", "100"]) == 0
    assert "the run was short" in capsys.readouterr().out
    monkeypatch.setattr("wts_fast.fuzz.run.LONG_TURNS", 100)
    long = fuzz(seed=1, turns=100, kernel=Kernel, oracle=oracle.Position)
    assert not long.ok
    assert f"never exercised (a failure of the fuzzer): {', '.join(long.never)}" in str(long)
    assert main(["fuzz", "--turns", "100", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["never"] == list(long.never)
    assert data["failures"] == []


def test_a_run_needs_a_limit() -> None:
    with pytest.raises(LimitError, match="limit"):
        fuzz(kernel=Kernel, oracle=oracle.Position)


def test_ctrl_c_gives_the_report_so_far(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    calls = iter(range(30))
    observe = Coverage.observe

    def interrupt(self: Coverage, *arguments: Any) -> None:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        observe(self, *arguments)

    monkeypatch.setattr(Coverage, "observe", interrupt)
    assert main(["fuzz", "--seconds", "30", "--json"]) == 130
    data = json.loads(capsys.readouterr().out)
    assert data["interrupted"] is True
    assert data["turns"] == 31


def test_ctrl_c_while_shrinking_keeps_the_finding(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("wts_fast.fuzz.run.shrink", interrupted)
    broken = type("Broken", (oracle.Position,), {"key": 1, "__slots__": ()})
    report = fuzz(seed=1, turns=50, kernel=broken, oracle=oracle.Position, out=tmp_path)
    assert report.interrupted
    assert len(report.failures) == 1
    assert report.failures[0].path is not None


# Coverage, counted on known turns


def case(name: str) -> Replay:
    return load_replay(Path(__file__).parent / "replays" / f"{name.lower().replace(' ', '-')}.json")


@pytest.mark.parametrize("name", [n for n in CLAUSES if n not in ("R1 squares", "R7 directions")])
def test_a_replay_made_for_a_case_shows_it_and_needs_every_piece(name: str) -> None:
    replay = case(name)
    assert replay.difference.startswith(f"none; shows {name}")
    if name in ("R4 refused", "R4 finished"):
        with pytest.raises(WtsError):
            oracle.Position.from_state(replay.position).play(*replay.turns[0])
        return
    assert shows(replay, name)
    for squares, field in zip(replay.position, State._fields, strict=True):
        for s in squares:
            rest = tuple(t for t in squares if t != s)
            assert not shows(replace(replay, position=replay.position._replace(**{field: rest})), name)


def shows(replay: Replay, name: str) -> bool:
    position = oracle.Position.from_state(replay.position)
    (turn,) = replay.turns
    if not set(turn) <= set(position.legal):
        return False
    explained = position.explain(*turn)
    coverage = Coverage()
    coverage.observe(replay.position, *turn, explained.events, explained.position.state)
    return coverage.counts[name] > 0


def test_squares_and_directions_count_by_the_least_used_one() -> None:
    coverage = Coverage()
    for s in range(80):
        turn = oracle.Position().explain(s, s)
        coverage.observe(State(), s, s, turn.events, turn.position.state)
    assert "R1 squares" in coverage.never()
    turn = oracle.Position().explain(80, 80)
    coverage.observe(State(), 80, 80, turn.events, turn.position.state)
    assert coverage.table()["R1 squares"] == 1
    assert coverage.table()["R7 directions"] == 0
    eight = case("R12 eight")
    explained = oracle.Position.from_state(eight.position).explain(*eight.turns[0])
    coverage.observe(eight.position, *eight.turns[0], explained.events, explained.position.state)
    assert coverage.table()["R7 directions"] >= 1


# The checks can fail


def test_the_symmetries_of_the_fuzzer_are_those_of_the_oracle() -> None:
    assert set(SYMMETRY_MAPS) == set(SYMMETRIES)
    for name, squares in SYMMETRY_MAPS.items():
        assert squares == tuple(oracle.map_square(s, name) for s in range(81))
        assert sorted(map_direction(name, d) for d, _, _ in DIRECTIONS) == sorted(d for d, _, _ in DIRECTIONS)
    assert map_direction("rotate90", "N") == "E"
    assert map_direction("mirror_files", "NE") == "NW"


def test_mapped_events_come_in_the_documented_order() -> None:
    replay = case("R12 eight")
    turn = oracle.Position.from_state(replay.position).explain(*replay.turns[0])
    assert map_events(turn.events, "identity", False) == turn.events
    turned = map_events(map_events(turn.events, "rotate90", True), "rotate270", True)
    assert turned == turn.events
    assert map_events(turn.events, "rotate90", False) != turn.events


def test_comparison_names_what_differs() -> None:
    one, two = oracle.Position("9/9/9/9/9/9/9/9/e7e A1,I1"), oracle.Position("9/9/9/9/9/9/9/9/e7e I1,A1")
    found = compare_positions(one, two)
    assert found is not None
    assert found.what == "state"
    assert compare_positions(one, one) is None
    assert compare_turn(one, one, 40, 41)[3] is None
    assert check_engine(one, 40, 41) is None


# Replay files


def test_a_replay_reads_back_and_replays_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay = Replay(2**64 - 1, State((0,), (9,), (40,)), ((1, 2), (3, 3)), "none")
    path = save_replay(replay, tmp_path / "deep" / "er")
    assert path.name == "0xFFFFFFFFFFFFFFFF.json"
    assert load_replay(path) == replay
    assert main(replay_command(path).split()[1:]) == 0
    assert "both engines agree on 2 turns" in capsys.readouterr().out
    assert main(["fuzz", "--replay", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["found"] is None


def test_a_replay_that_differs_exits_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(oracle, "mix", lambda number: number)
    path = Path(__file__).parent / "replays" / "r18-five.json"
    assert main(["fuzz", "--replay", str(path)]) == 1
    assert "key: kernel" in capsys.readouterr().out


GOOD = {"seed": "0x1F", "position": "9/9/9/9/9/9/9/9/9 -", "turns": ["E5 H5"], "difference": "", "version": "0.1.0"}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: b"",
        lambda d: b"[" * 100_000,
        lambda d: b"\xff",
        lambda d: json.dumps([d]).encode(),
        lambda d: json.dumps({k: v for k, v in d.items() if k != "turns"}).encode(),
        lambda d: json.dumps(d | {"more": 1}).encode(),
        lambda d: json.dumps(d | {"seed": 31}).encode(),
        lambda d: json.dumps(d | {"seed": "31"}).encode(),
        lambda d: json.dumps(d | {"seed": "0x"}).encode(),
        lambda d: json.dumps(d | {"seed": "0x" + "1" * 17}).encode(),
        lambda d: json.dumps(d | {"seed": "0x１"}).encode(),
        lambda d: json.dumps(d | {"position": None}).encode(),
        lambda d: json.dumps(d | {"position": "9/9 -"}).encode(),
        lambda d: json.dumps(d | {"turns": "E5 H5"}).encode(),
        lambda d: json.dumps(d | {"turns": [["E5", "H5"]]}).encode(),
        lambda d: json.dumps(d | {"turns": ["E5 J5"]}).encode(),
        lambda d: b" " * 1_000_001,
    ],
)
def test_a_damaged_replay_is_refused_in_one_line(
    tmp_path: Path, spoil: Callable[[dict[str, Any]], bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(GOOD), encoding="utf-8")
    load_replay(path)
    path.write_bytes(spoil(GOOD))
    with pytest.raises(WtsError):
        load_replay(path)
    assert main(["fuzz", "--replay", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("wts-fast fuzz: ")
    assert error.count("\n") == 1
