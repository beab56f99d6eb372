"""`EngineClient` never hangs: not for an engine that is dead, mute, in flood or mad, and not for many who ask."""

import contextlib
import doctest
import json
import multiprocessing
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import wts_fast as wts
from wts_fast import client
from wts_fast.client import EngineClient
from wts_fast.errors import EngineClosed, LimitError, ParseError, WtsError
from wts_fast.protocol import lines

MIDDLE = wts.Position("9/9/3b1w3/2w1b4/3bb4/4ww3/2w6/9/9 -")
LONG = 240.0


@pytest.fixture(scope="module")
def engine():
    with EngineClient() as made:
        made.analyze(MIDDLE, nodes=1)  # compiled by now
        yield made


def same(one, other):
    plain = [a.to_dict() for a in (one, other)]
    for data in plain:
        del data["seconds"], data["compile_seconds"]
    return plain[0] == plain[1]


def in_thread(function, *arguments):
    thread = threading.Thread(target=function, args=arguments, daemon=True)
    thread.start()
    return thread


# --- what it gives


def test_the_examples_are_so():
    for module in (client, lines):
        failed, tried = doctest.testmod(module)
        assert (failed, tried > 0) == (0, True)


def test_an_answer_is_what_analyze_would_give(engine):
    found = engine.analyze(MIDDLE, nodes=300, seed=1)
    assert same(found, wts.analyze(MIDDLE, nodes=300, seed=1))
    assert found.black.shape == (81,)
    assert not found.black.flags.writeable
    assert same(engine.analyze(str(MIDDLE), nodes=300, seed=1), found)
    settings = {"nodes": np.int64(200), "seed": 2, "method": "rm", "leaf": "evaluation", "learners": 2, "memory_mb": 64}
    assert same(engine.analyze(MIDDLE, **settings), wts.analyze(MIDDLE, **settings))
    over = wts.Position("9/9/9/9/2bbbbb2/9/9/9/w1w1w4 -")
    assert same(engine.analyze(over, seed=1), wts.analyze(over, seed=1))


def test_limits_of_squares_go_by_name_or_number(engine):
    only = {"black": ["A1", 1], "white": [80]}
    assert same(engine.analyze(MIDDLE, nodes=50, seed=1, only=only), wts.analyze(MIDDLE, nodes=50, seed=1, only=only))
    assert engine.analyze(MIDDLE, nodes=50, avoid={"black": MIDDLE.legal[1:]}).top("black") == (("A1", 1.0),)


def test_a_game_is_analyzed_turn_by_turn(engine):
    game = wts.Game()
    for turn in ("E5 E5", "D4 C3", "A1 B1"):
        game.play(*turn.split())
    found = engine.analyze_game(game, nodes=5, seed=1)
    assert [a.position for a in found] == list(game.positions)
    assert all(same(a, wts.analyze(a.position, nodes=5, seed=1)) for a in found)
    assert [a.position for a in engine.analyze_game(game, turns=[3, 1], nodes=5)] == [game.at(3), game.at(1)]


def test_a_stream_ends_with_the_answer(engine):
    found = list(engine.stream(MIDDLE, seconds=0.5, report_every=0.1))
    assert 2 <= len(found) <= 6
    assert [a.stopped_by for a in found] == [None] * (len(found) - 1) + ["seconds"]
    assert [a.nodes for a in found] == sorted(a.nodes for a in found)


def test_a_stream_can_be_stopped_and_left(engine):
    found = []
    stream = engine.stream(MIDDLE, seconds=LONG * 10, report_every=0.05)
    for report in stream:
        found.append(report)
        if len(found) == 2:
            stream.stop()
            stream.stop()
    assert found[-1].stopped_by == "interrupt"
    assert stream.latest() is not None
    assert same(stream.latest(), found[-1])
    with engine.stream(MIDDLE, seconds=LONG * 10, report_every=0.05) as stream:
        nodes = next(stream).nodes
        time.sleep(0.3)
        assert stream.latest().nodes > nodes
    stream.close()
    assert list(stream) == []
    assert engine.analyze(MIDDLE, nodes=3, timeout=LONG).nodes == 3


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"nodes": -1}, "nodes"),
        ({"nodes": 1.5}, "nodes"),
        ({"seconds": float("nan")}, "query"),
        ({"seconds": object()}, "query"),
        ({"method": "best"}, "method"),
        ({"leaf": "playouts"}, "options.leaf"),
        ({"memory_mb": 0}, "memory"),
        ({"only": {"black": ["D5"]}}, "only.black"),
        ({"only": {"black": ["D0"]}}, "only.black"),
        ({"only": {"black": "D4"}}, "only.black"),
        ({"only": {"red": ["A1"]}}, "only.red"),
        ({"only": 3}, "only"),
        ({"avoid": {"black": MIDDLE.legal}}, "avoid.black"),
        ({"depth": 3}, "depth"),
        ({"timeout": "soon"}, "timeout"),
    ],
)
def test_what_the_engine_refuses_is_an_error_with_its_field(engine, settings, field):
    with pytest.raises(WtsError) as caught:
        engine.analyze(MIDDLE, **settings)
    assert caught.value.field == field
    assert not isinstance(caught.value, EngineClosed)
    assert engine.analyze(MIDDLE, nodes=1).nodes == 1


def test_a_bad_position_is_shown_where_it_is_bad(engine):
    with pytest.raises(ParseError) as caught:
        engine.analyze("9/9/9/9/9/9/9/9/x8 -", nodes=1)
    assert (caught.value.field, caught.value.column) == ("position", 17)


def test_time_that_is_over_is_an_error_and_the_engine_goes_on(engine):
    begun = time.perf_counter()
    with pytest.raises(LimitError) as caught:
        engine.analyze(MIDDLE, seconds=1000, timeout=0.2)
    assert caught.value.code == "timeout"
    assert time.perf_counter() - begun < 5
    assert engine.analyze(MIDDLE, nodes=3, timeout=LONG).nodes == 3


# --- many who ask


def test_threads_may_ask_at_once(engine):
    expected = [wts.analyze(MIDDLE, nodes=n, seed=1) for n in range(1, 9)]
    found = {}

    def ask(n):
        for _ in range(5):
            found[n] = engine.analyze(MIDDLE, nodes=n, seed=1)

    threads = [in_thread(ask, n) for n in range(1, 9)]
    for thread in threads:
        thread.join(LONG)
    assert [same(found[n], expected[n - 1]) for n in range(1, 9)] == [True] * 8


def test_stop_from_another_thread_ends_all_searches(engine):
    found = []
    threads = [in_thread(lambda: found.append(engine.analyze(MIDDLE, seconds=LONG * 10))) for _ in range(3)]
    time.sleep(0.3)
    engine.stop()
    for thread in threads:
        thread.join(LONG)
    assert [a.stopped_by for a in found] == ["interrupt"] * 3


def test_closing_frees_those_who_wait():
    engine = EngineClient()
    caught = []

    def wait():
        try:
            engine.analyze(MIDDLE, seconds=LONG * 10)
        except EngineClosed as error:
            caught.append(error.code)

    threads = [in_thread(wait) for _ in range(3)]
    time.sleep(0.5)
    begun = time.perf_counter()
    for thread in [in_thread(engine.close) for _ in range(3)]:
        thread.join(LONG)
    engine.close()
    for thread in threads:
        thread.join(LONG)
    assert time.perf_counter() - begun < 5
    assert caught == ["engine-closed"] * 3
    assert engine._process.returncode is not None
    for call in (engine.stop, lambda: engine.analyze(MIDDLE, nodes=1), lambda: engine.stream(MIDDLE)):
        with pytest.raises(EngineClosed):
            call()


def in_child(engine, answers):
    try:
        engine.analyze(MIDDLE, nodes=1)
    except EngineClosed as error:
        answers.put(error.code)
    engine.close()
    with EngineClient() as own:
        answers.put(own.analyze(MIDDLE, nodes=2).nodes)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_gets_an_error_and_makes_its_own(engine):
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=in_child, args=(engine, answers))
    child.start()
    assert [answers.get(timeout=LONG) for _ in range(2)] == ["engine-process", 2]
    child.join(LONG)
    assert child.exitcode == 0
    assert engine.analyze(MIDDLE, nodes=4).nodes == 4


def test_ctrl_c_is_the_callers_and_the_engine_goes_on():
    code = """
import wts_fast as wts
with wts.EngineClient() as engine:
    engine.analyze(wts.Position(), nodes=1)
    print("ready", flush=True)
    try:
        engine.analyze(wts.Position(), seconds=10000)
    except KeyboardInterrupt:
        print(engine.analyze(wts.Position(), nodes=7).nodes, flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=LONG)[0] == "7\n"
    assert process.returncode == 0


# --- engines that are none

HELLO = """
import json, os, sys, time
def say(**data): print(json.dumps(data), flush=True)
def hear(): return json.loads(sys.stdin.readline())
def greet(): hear(); say(action="version", version="1", protocol=1)
"""
ANSWER = "q = hear(); r = dict(id=q['id'], turn=0, final=False)\n"

ODD = {
    "dead at once": ("sys.exit(3)", "engine-ended"),
    "mute at once": ("time.sleep(1000)", "engine-mute"),
    "closed but alive": ("os.close(1); time.sleep(1000)", "engine-ended"),
    "another protocol": ("hear(); say(action='version', version='1', protocol=2); hear()", "engine-protocol"),
    "echo": ("while True: say(**hear())", "engine-protocol"),
    "garbage": ("while True: print('y')", "engine-answer"),
    "an endless line": ("while True: sys.stdout.write('x' * 100000)", "engine-answer"),
    "dead when asked": ("greet(); hear(); sys.exit(0)", "engine-ended"),
    "killed when asked": ("greet(); hear(); os.kill(os.getpid(), 9)", "engine-ended"),
    "mute when asked": ("greet(); hear(); time.sleep(1000)", "engine-mute"),
    "half a line": ("greet(); hear(); sys.stdout.write('{\"id\"'); sys.exit(0)", "engine-ended"),
    "garbage when asked": ("greet(); hear(); print('no', flush=True); time.sleep(1000)", "engine-answer"),
    "no object": ("greet(); hear(); print(3, flush=True); time.sleep(1000)", "engine-answer"),
    "about what nobody asked": ("greet(); hear(); say(id=99, turn=0, final=True); time.sleep(1000)", "engine-answer"),
    "an id that cannot be one": ("greet(); hear(); say(id=[], turn=0, final=True); time.sleep(1000)", "engine-answer"),
    "reports without end": ("greet()\n" + ANSWER + "while True: say(**r)", "engine-mute"),
    "an empty answer": ("greet()\n" + ANSWER + "r['final'] = True; say(**r); time.sleep(1000)", "engine-answer"),
    "final that is none": ("greet()\n" + ANSWER + "r['final'] = 1; say(**r); time.sleep(1000)", "engine-answer"),
    "NaN": ("greet(); hear(); print('{\"id\": NaN}', flush=True); time.sleep(1000)", "engine-answer"),
}


@pytest.mark.parametrize("kind", ODD)
def test_whatever_it_is_the_error_comes_in_time(kind):
    code, expected = ODD[kind]
    patience = 2.0 if expected == "engine-mute" else 30.0
    begun = time.perf_counter()
    with (
        pytest.raises(EngineClosed) as caught,
        EngineClient([sys.executable, "-c", HELLO + code], patience=patience) as engine,
    ):
        engine.analyze(MIDDLE, nodes=1)
    assert caught.value.code == expected
    assert time.perf_counter() - begun < 20


def test_one_that_does_not_read_is_given_up():
    code = HELLO + "greet(); time.sleep(1000)"
    with EngineClient([sys.executable, "-c", code], patience=1.0) as engine:
        caught = []

        def ask():
            try:
                engine.analyze_game(wts.Game(), turns=[0] * 500_000)
            except EngineClosed as error:
                caught.append(error.code)

        threads = [in_thread(ask) for _ in range(3)]
        for thread in threads:
            thread.join(LONG)
        assert caught == ["engine-mute"] * 3


def test_one_that_cannot_be_started_is_an_error():
    for command in (["/nowhere/engine"], [], ["a\0b"]):
        with pytest.raises(EngineClosed) as caught:
            EngineClient(command)
        assert caught.value.code == "engine-start"
    for command in ("wts-fast engine", [1], 3):
        with pytest.raises(WtsError, match="as a list"):
            EngineClient(command)


def test_a_killed_engine_is_noticed_at_once():
    with EngineClient() as engine:
        threading.Timer(0.5, engine._process.kill).start()
        begun = time.perf_counter()
        with pytest.raises(EngineClosed, match="ended, status -9"):
            engine.analyze(MIDDLE, seconds=LONG * 10)
        assert time.perf_counter() - begun < 10
        with pytest.raises(EngineClosed):
            engine.analyze(MIDDLE, nodes=1)


def test_a_program_that_just_ends_leaves_no_engine_behind():
    code = """
import wts_fast as wts, threading, time
engine = wts.EngineClient()
threading.Thread(target=engine.analyze, args=(wts.Position(),), kwargs={"seconds": 10000}, daemon=True).start()
time.sleep(0.5)
print(engine._process.pid)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LONG)
    pid = int(done.stdout)
    until = time.monotonic() + 60
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        while "wts_fast" in Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8"):
            assert time.monotonic() < until, "the engine still runs"
            time.sleep(0.05)


def test_long_games_go_through_the_pipes_at_once():
    """Queries and answers larger than a pipe: neither side waits for the other to read first."""
    game = wts.Game()
    for number in range(78):
        game.play(number, number)
    with EngineClient() as engine:
        found = []
        threads = [
            in_thread(lambda: found.append(engine.analyze_game(game, nodes=0, turns=range(79)))) for _ in range(4)
        ]
        for thread in threads:
            thread.join(LONG)
    assert [len(answers) for answers in found] == [79] * 4
    assert json.dumps(found[0][0].to_dict()) == json.dumps(found[3][0].to_dict() | {"seed": found[0][0].seed})
