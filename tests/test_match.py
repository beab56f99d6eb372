"""Matches: players, games, workers, Ctrl-C, records; each game known by its number and counted once."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wts_fast import Game, Position, analyze
from wts_fast.cli import main
from wts_fast.errors import WtsError
from wts_fast.match import Match, SprtTest, games, play_match, players, processes, run
from wts_fast.record import read_games

COMMAND = [sys.executable, "-m", "wts_fast", "match"]


class Backwards(Executor):
    """Plays what it holds only when asked twice, the newest first: results come in a bad order."""

    def __init__(self) -> None:
        self.held: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.held.append((future, fn, args))
        if len(self.held) == 8:
            for waiting, call, given in reversed(self.held):
                waiting.set_result(call(*given))
            self.held.clear()
        return future


# ---------------------------------------------------------------- players


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nobody",
        "random:nodes=5",
        "flat:",
        "flat:nodes",
        "flat:nodes=0",
        "flat:nodes=1.5",
        "flat:nodes=5,nodes=6",
        "flat:seconds=0",
        "flat:seconds=nan",
        "flat:seed=1",
        "flat:nonsense=1",
        "one-turn:nodes=5",
        "one-turn:weights=nobody",
        "command:",
        "command:nodes=0,x",
        "command:nodes=1,seconds=1,x",
        "command:'x",
    ],
)
def test_what_names_no_player_is_refused(text: str) -> None:
    with pytest.raises(WtsError) as caught:
        players.specification(text, "first")
    assert caught.value.field in ("first", "weights")


def test_a_command_keeps_its_own_arguments() -> None:
    found = players.specification("command:nodes=50,./engine 'a b' --x=1,2")
    assert (found.settings, found.command) == ((("nodes", 50),), ("./engine", "a b", "--x=1,2"))


@pytest.mark.parametrize("text", ["random", "one-turn", "flat:nodes=500"])
def test_a_player_gives_mixtures_of_empty_squares(text: str) -> None:
    position = Position("9/9/9/2w6/bbbbe4/2ww5/2w6/9/9 E5")
    answer = players.make(players.specification(text)).ask(position, 0, 5, lambda: False)
    for mix in (answer.black, answer.white):
        assert set(mix) <= set(position.legal)
        assert sum(mix.values()) == pytest.approx(1.0)


def test_the_tree_is_kept_from_turn_to_turn() -> None:
    player = players.make(players.specification("tree:nodes=300"))
    position = Position("9/9/3b1w3/2w1b4/3bb4/4ww3/2w6/9/9 -")
    first = player.ask(position, 0, 5, lambda: False)
    assert first == players.make(players.specification("tree:nodes=300")).ask(position, 0, 9, lambda: False)
    turn = (max(mix, key=mix.__getitem__) for mix in (first.black, first.white))
    position = position.play(*turn)
    kept, anew = player.ask(position, 0, 5, lambda: False), analyze(position, nodes=300)
    assert player.tree.position == position
    assert player.tree.nodes > 300 + 300 // 12
    assert kept.value != anew.value
    for mix in (kept.black, kept.white):
        assert set(mix) <= set(position.legal)
        assert sum(mix.values()) == pytest.approx(1.0)


def test_a_tree_that_is_told_to_stop_has_no_answer() -> None:
    with pytest.raises(players.Stopped):
        players.make(players.specification("tree:seconds=60")).ask(Position(), 0, 5, lambda: True)


@pytest.mark.parametrize("text", ["tree:leaf=playouts", "tree:memory_mb=1048577"])
def test_a_tree_refuses_what_it_does_not_know(text: str) -> None:
    with pytest.raises(WtsError):
        players.make(players.specification(text))


ENGINE = """\
import json, sys
for line in sys.stdin:
    query = json.loads(line)
    assert set(query) == {"id", "position", "nodes", "seed"}, query
    board = query["position"].split()[0]
    cells = "".join(" " * int(c) if c.isdigit() else c for c in board.replace("/", ""))
    free = ["ABCDEFGHI"[i % 9] + str(9 - i // 9) for i, c in enumerate(cells) if c == " "]
    half = {free[0]: 1.0} if len(free) == 1 else {free[0]: 0.5, free[-1]: 0.5}
    print(json.dumps({"id": query["id"], "black": half, "white": half, "value": 0.25}), flush=True)
"""


def program(tmp_path: Path, text: str) -> str:
    (tmp_path / "engine.py").write_text(text, encoding="utf-8")
    return f"command:nodes=7,{sys.executable} {tmp_path / 'engine.py'}"


def test_a_program_plays_by_lines_of_json(tmp_path: Path) -> None:
    match = play_match(program(tmp_path, ENGINE), "random", games=4, seed=3)
    assert match.failed == ""
    assert len(match.games) == 4
    game = match.games[0]
    assert all(sorted(note.black.values()) == [0.5, 0.5] and note.value == 0.25 for note in game.notes)
    again = play_match(program(tmp_path, ENGINE), "random", games=4, seed=3)
    assert again.as_dict() == match.as_dict()


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        ("no json", "JSON"),
        ("[]", "id 1"),
        ('{"id": 2}', "id 1"),
        ('{"id": 1, "error": {"code": "x", "reason": "too hard"}}', "too hard"),
        ('{"id": 1}', "black"),
        ('{"id": 1, "black": {"E5": 0.5}}', "sum to 0.5"),
        ('{"id": 1, "black": {"E5": NaN}}', "probability"),
        ('{"id": 1, "black": {"E5": true}}', "probability"),
        ('{"id": 1, "black": {"Z9": 1}}', "Z9"),
        ('{"id": 1, "black": {"A1": 1}}', "not empty"),
        ('{"id": 1, "black": {"E5": 1}, "value": 2}', "value"),
        ("", "JSON"),
    ],
)
def test_a_bad_answer_ends_the_match_with_its_reason(answer: str, word: str, tmp_path: Path) -> None:
    (tmp_path / "start.txt").write_text("9/9/9/9/9/9/9/9/b8 -\n", encoding="utf-8")
    engine = program(tmp_path, f"import sys; sys.stdin.readline(); print({answer!r}, flush=True); sys.stdin.read()")
    match = play_match(engine, "random", games=2, start=str(tmp_path / "start.txt"))
    assert word in match.failed
    assert (match.stopped_by, match.games) == (None, {})


@pytest.mark.parametrize(
    ("text", "word"), [("import sys; sys.exit(3)", "status 3"), ("print('x' * 3_000_000)", "endless")]
)
def test_a_program_that_dies_or_rants_ends_the_match(text: str, word: str, tmp_path: Path) -> None:
    assert word in play_match(program(tmp_path, text), "random", games=2).failed


def test_a_program_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", f"command:{tmp_path}/nobody", "random", "--workers", "1", "--games", "2"]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert "No such file" in err


def test_the_evaluation_is_the_fitted_one_unless_another_is_named() -> None:
    position = Position("9/9/9/2w6/bbbb5/2ww5/2w6/9/9 -")
    plain, fitted, hand = (
        players.make(players.specification(text)).ask(position, 0, 5, lambda: False)
        for text in ("one-turn", "one-turn:weights=fitted", "one-turn:weights=hand")
    )
    assert plain == fitted != hand
    with_luck = (play_match("random", "random", games=2, **given) for given in ({}, {"luck": "fitted"}))
    assert len({game.games[0].luck for game in with_luck}) == 1


# ---------------------------------------------------------------- games


def test_a_pair_shares_its_opening_and_swaps_the_colours() -> None:
    match = play_match("random", "one-turn", games=8, seed=5)
    for one, other in match.pairs:
        assert one.opening == other.opening
        assert one.names == ("random", "one-turn")
        assert other.names == ("one-turn", "random")
    assert len({one.opening for one, _ in match.pairs}) == 4


def test_the_score_is_the_first_players() -> None:
    strong, weak = (play_match(*pair, games=10, luck=None) for pair in (("one-turn", "random"), ("random", "one-turn")))
    assert strong.estimate.score > 0.9
    assert weak.estimate.score < 0.1
    assert strong.adjusted is None


def test_a_game_depends_on_its_number_and_seed_alone() -> None:
    whole = play_match("random", "flat:nodes=50", games=6, seed=9)
    for task in (whole.games[4], whole.games[1]):
        black, white = (players.specification(name) for name in task.names)
        assert games.play(games.Task(task.number, task.opening, 9, black, white)) == task
    assert play_match("random", "flat:nodes=50", games=6, seed=10).games[0].turns != whole.games[0].turns


def test_squares_are_drawn_as_often_as_the_mixture_says() -> None:
    mixture = {3: 0.5, 40: 0.0, 7: 0.3, 80: 0.2}
    drawn = Counter(games.draw(mixture, random.Random(n)) for n in range(4000))
    assert set(drawn) == {3, 7, 80}
    for square, count in drawn.items():
        assert abs(count - 4000 * mixture[square]) < 4 * (4000 * mixture[square]) ** 0.5


@pytest.mark.parametrize(("player", "number", "least"), [("random", 300, 0.6), ("one-turn", 160, 0.1)])
def test_luck_has_mean_zero_in_a_large_sample_and_most_of_it_goes(player: str, number: int, least: float) -> None:
    match = play_match(player, player, games=number, seed=2, start="random:12")
    for part in range(2):
        luck = np.array([game.luck[part] for game in match.in_order if game.luck is not None])
        assert len(luck) == number
        assert abs(luck.mean()) < 4 * luck.std() / number**0.5
        assert luck.std() > 0.01
    adjusted = match.adjusted
    assert adjusted is not None
    assert adjusted.reduction is not None
    assert adjusted.reduction > least
    # Of two equal players.
    assert abs(adjusted.score - 0.5) < 1.5 * (adjusted.upper - adjusted.lower)


def test_openings_come_from_texts_and_records(tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text("# two\n9/9/9/9/4e4/9/9/9/9 E5\n\n9/9/9/9/9/9/9/9/bw7 -\n", encoding="utf-8")
    Game.write(begun := Game(), tmp_path / "game.wts")
    begun.play("A1", "B1")
    begun.write(tmp_path / "game.wts")
    opening = games.openings(str(tmp_path / "some.txt"), 1)
    assert [str(opening(pair).position).split()[1] for pair in range(3)] == ["E5", "-", "E5"]
    assert str(games.openings(str(tmp_path / "game.wts"), 1)(7).position) == "9/9/9/9/9/9/9/9/bw7 -"


@pytest.mark.parametrize("content", ["", "# none\n", "nonsense\n", "9/9/9/9/bbbbb4/9/9/9/9 -\n"])
def test_a_file_without_a_good_opening_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text(content, encoding="utf-8")
    with pytest.raises(WtsError):
        games.openings(str(tmp_path / "bad.txt"), 1)


@pytest.mark.parametrize("source", ["random:x", "random:21", "random:-1"])
def test_a_number_of_random_turns_has_limits(source: str) -> None:
    with pytest.raises(WtsError):
        games.openings(source, 1)


# ---------------------------------------------------------------- workers


@pytest.mark.parametrize("make", [Backwards, lambda: ThreadPoolExecutor(3)], ids=["backwards", "threads"])
def test_any_executor_gives_the_same_match(make: Callable[[], Executor]) -> None:
    expected = play_match("random", "one-turn", games=16, seed=4)
    with make() as executor:
        found = play_match("random", "one-turn", games=16, seed=4, executor=executor, workers=4)
    assert found.as_dict() == expected.as_dict()
    assert found.in_order == expected.in_order


@pytest.mark.parametrize("workers", [1, 4])
def test_a_test_stops_the_match_after_the_same_pair_whatever_the_order(workers: int) -> None:
    test = SprtTest(0, 200)
    expected = play_match("one-turn", "random", games=400, test=test, luck=None)
    assert expected.stopped_by == "sprt"
    assert expected.sprt is not None
    assert expected.sprt.accepted == "H1"
    assert len(expected.games) < 60
    found = play_match("one-turn", "random", games=400, test=test, luck=None, executor=Backwards(), workers=4 * workers)
    assert found.as_dict() == expected.as_dict()


@pytest.mark.parametrize("number", [0, 1, 7, -2])
def test_only_whole_pairs_are_played(number: int) -> None:
    with pytest.raises(WtsError):
        play_match("random", "random", games=number)


def test_processes_give_the_same_match_and_a_failure_keeps_the_games(tmp_path: Path) -> None:
    engine = program(
        tmp_path,
        ENGINE.replace("for line", "answered = 0\nfor line") + "    answered += 1\n"
        "    if answered == 100: sys.exit(5)\n",
    )
    expected = play_match("random", engine, games=40, seed=4)
    assert "status 5" in expected.failed
    assert len(expected.games) > 3
    with processes(2) as executor:
        found = play_match("random", engine, games=40, seed=4, executor=executor, workers=2)
    assert "status 5" in found.failed
    shared = found.games.keys() & expected.games.keys()
    assert len(shared) > 3
    assert [found.games[n] for n in shared] == [expected.games[n] for n in shared]


def test_a_worker_that_does_not_listen_is_ended() -> None:
    with processes(1) as executor:
        future = executor.submit(time.sleep, 60)
        while not future.running():
            time.sleep(0.01)
        time.sleep(0.5)
        begun = time.monotonic()
    assert time.monotonic() - begun < 10
    assert isinstance(future.exception(), BrokenProcessPool)


CLUSTER = """
import json, os, signal, sys
from distributed import LocalCluster
from wts_fast.match import cluster, play_match

if __name__ == "__main__":
    killed = []
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as local:
        def kill(match):
            if len(match.games) >= 6 and not killed:
                killed.append(next(iter(local.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)

        with cluster(local.scheduler_address) as (executor, workers):
            assert workers == 2
            pool = {"executor": executor, "workers": workers}
            found = play_match("random", "random", games=60, seed=6, on_progress=kill, **pool)
    expected = play_match("random", "random", games=60, seed=6)
    print(json.dumps([killed, len(found.games), found.failed, found.as_dict() == expected.as_dict()]))
"""


def test_a_cluster_loses_no_game_when_a_worker_is_killed(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    (tmp_path / "play.py").write_text(CLUSTER, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "play.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    killed, number, failed, equal = json.loads(done.stdout.splitlines()[-1])
    assert len(killed) == 1
    assert (number, failed, equal) == (60, "", True)


def test_no_cluster_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(run, "CONNECT_SECONDS", 0.3)
    assert main(["match", "random", "random", "--cluster", "tcp://127.0.0.1:9"]) == 2
    assert "cluster" in capsys.readouterr().err


# ---------------------------------------------------------------- the command


def test_the_command_writes_records_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "games.wts"
    arguments = ["match", "one-turn", "random", "--games", "6", "--workers", "1", "--out", str(out)]
    assert main([*arguments, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["games"], data["stopped_by"], data["seed"]) == (6, "games", 1)
    records = list(read_games(out))
    assert [record.tags["Round"] for record in records] == ["1", "2", "3", "4", "5", "6"]
    assert [record.tags["Black"] for record in records[:2]] == ["one-turn", "random"]
    for record, (_, score, _) in zip(records, data["results"], strict=True):
        black = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}[record.result]
        assert score == (black if record.tags["Black"] == "one-turn" else 1 - black)
        # Mixtures and the value stand at the position they are for.
        note = record.notes[3]
        assert sum(note.black.values()) == pytest.approx(1.0)
        assert note.value is not None
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "one-turn against random: 6 games, seed 1" in text
    assert "adjusted" in text


@pytest.mark.parametrize(
    "arguments",
    [
        ["--games", "3"],
        ["--games", "0"],
        ["--sprt", "5"],
        ["--sprt", "5,0"],
        ["--sprt", "nan,1"],
        ["--sprt", "0,5,0.6,0.6"],
        ["--openings", "missing.txt"],
        ["--out", "missing/games.wts"],
        ["--luck", "nobody"],
        ["--workers", "0"],
        ["--workers", "2", "--cluster", "x"],
    ],
    ids=" ".join,
)
def test_bad_usage_is_one_line(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    extra = [] if "--workers" in arguments else ["--workers", "1"]
    assert main(["match", "random", "random", *arguments, *extra]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_keeps_what_is_finished(workers: str, tmp_path: Path) -> None:
    out = tmp_path / "games.wts"
    process = subprocess.Popen(
        [*COMMAND, "one-turn", "one-turn", "--games", "100000", "--workers", workers, "--out", str(out), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    # Games are saved for the first time soon after the first of them.
    for _ in range(600):
        if out.exists():
            break
        time.sleep(0.05)
    # To the whole group, as a terminal does it.
    os.killpg(process.pid, signal.SIGINT)
    begun = time.monotonic()
    try:
        text, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert err == ""
    assert time.monotonic() - begun < 5
    data = json.loads(text)
    assert data["stopped_by"] == "interrupt"
    assert 0 < data["games"] < 100_000
    assert len(list(read_games(out))) == data["games"]
    with contextlib.suppress(ProcessLookupError):
        for _ in range(100):
            os.killpg(process.pid, 0)
            time.sleep(0.05)
        pytest.fail("a worker was left behind")


def test_progress_is_told_game_by_game() -> None:
    seen: list[int] = []
    play_match("random", "random", games=4, luck=None, on_progress=lambda match: seen.append(len(match.games)))
    assert seen == [1, 2, 3, 4]


def test_an_empty_match_has_a_text() -> None:
    assert "0 games" in str(Match("a", "b", 1, "random:3"))
