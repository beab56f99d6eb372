"""The engine protocol over real pipes: what is asked, what is answered, and that nothing sent can do harm."""

import json
import random
import statistics
import subprocess
import sys
import time

import pytest
from engine_process import COMMAND, LONG, EngineProcess

import wts_fast as wts
from wts_fast.cli import main
from wts_fast.errors import WtsError
from wts_fast.protocol import lines, schema

MIDDLE = "9/9/3b1w3/2w1b4/3bb4/4ww3/2w6/9/9 -"
OVER = "9/9/9/9/2bbbbb2/9/9/9/w1w1w4 -"
FULL = {"id": 1, "position": "start", "nodes": 1}


def valid(answer):
    """Return an answer, once it is found to be as the schema says."""
    if "action" in answer:
        kind = answer["action"]
    elif "error" in answer:
        kind = "failure of one turn" if "turn" in answer else "error"
    else:
        kind = "analysis"
    schema.REPLIES[kind].check(answer)
    if kind == "analysis":
        mixes = [sum(answer[colour].values()) for colour in ("black", "white")]
        assert all(abs(total - (answer["outcome"] is None)) < 1e-9 for total in mixes)
        assert answer["lower"] - 1e-9 <= answer["value"] <= answer["upper"] + 1e-9
        assert answer["final"] == (answer["stopped_by"] is not None)
    return answer


@pytest.fixture(scope="module")
def engine():
    with EngineProcess() as process:
        valid(process.ask(FULL))  # compiled by now
        yield process
        answers, status, said = process.end()
        assert (answers, status, said) == ([], 0, b"")


def refusal(engine, thing):
    answer = valid(engine.ask(thing))
    assert set(answer) == {"id", "line", "error"}
    return answer


# --- what is asked and answered


def test_an_answer_is_what_analyze_finds(engine):
    answer = valid(engine.ask({"id": "a", "position": MIDDLE, "nodes": 200, "seed": 3, "method": "tree"}))
    found = wts.analyze(wts.Position(MIDDLE), nodes=200, seed=3).to_dict()
    for changing in ("seconds", "compile_seconds"):
        del answer[changing], found[changing]
    assert answer == {"id": "a", "turn": 0, "final": True, "outcome": None} | json.loads(json.dumps(found))


def test_one_final_answer_for_each_turn_in_the_order_asked_for(engine):
    moves = [["E5", "e5"], ["D4", "C3"], ["A1", "B1"]]
    engine.send({"id": 7, "moves": moves, "turns": [3, 0, 2], "nodes": 3})
    answers = [valid(engine.read()) for _ in range(3)]
    game = wts.Game()
    for black, white in moves:
        game.play(black, white)
    assert [(a["id"], a["turn"], a["final"], a["position"]) for a in answers] == [
        (7, turn, True, str(game.at(turn))) for turn in (3, 0, 2)
    ]


@pytest.mark.parametrize("field", ["start", "position"])
def test_moves_begin_where_they_are_told_to(engine, field):
    answer = valid(engine.ask({"id": 1, field: MIDDLE, "moves": [["A1", "A1"]], "nodes": 1}))
    assert answer["position"] == str(wts.Position(MIDDLE).play("A1", "A1"))
    assert answer["turn"] == 1
    answer = valid(engine.ask({"id": 1, field: "start", "moves": [], "nodes": 1}))
    assert (answer["turn"], answer["position"]) == (0, str(wts.Position()))


def test_a_finished_game_is_answered_like_any_other(engine):
    answer = valid(engine.ask({"id": 1, "position": OVER, "seconds": 100}))
    assert (answer["outcome"], answer["value"], answer["nodes"], answer["stopped_by"]) == ("black", 1.0, 0, "finished")
    assert (answer["black"], answer["white"], answer["lower"]) == ({}, {}, 1.0)
    answer = valid(engine.ask({"id": 1, "position": OVER, "only": {"black": ["E5"]}, "reportEvery": 1}))
    assert answer["stopped_by"] == "finished"


def test_the_value_is_blacks(engine):
    # White wins at once wherever Black goes, and the board is no other for the colours being swapped.
    lost = wts.Position("9/9/9/9/2bbbb3/9/9/9/w1w1w4 -").transform("identity", True)
    answer = valid(engine.ask({"id": 1, "position": str(lost), "nodes": 20, "only": {"black": ["A9"]}}))
    assert answer["value"] == answer["upper"] == -1.0


def test_limits_leave_no_weight_outside(engine):
    position = wts.Position(MIDDLE)
    names = ["A1", "B2", "D3"]
    only = valid(engine.ask({"id": 1, "position": MIDDLE, "nodes": 50, "only": {"black": names, "white": ["i9"]}}))
    assert set(only["black"]) <= set(names)
    assert only["white"] == {"I9": 1.0}
    free = valid(engine.ask({"id": 1, "position": MIDDLE, "nodes": 50}))
    best = next(iter(free["black"]))
    avoid = valid(engine.ask({"id": 1, "position": MIDDLE, "nodes": 50, "avoid": {"black": [best, "D5"]}}))
    assert best not in avoid["black"]
    assert set(avoid["black"]) <= {wts.squares.square_name(s) for s in position.legal} - {best}
    both = valid(
        engine.ask({"id": 1, "position": MIDDLE, "nodes": 9, "avoid": {"black": [best]}, "only": {"white": ["A9"]}})
    )
    assert best not in both["black"]
    assert both["white"] == {"A9": 1.0}


def test_a_drawn_seed_is_told_and_repeats_the_answer(engine):
    query = {"id": 1, "position": MIDDLE, "nodes": 500, "method": "flat"}
    one, two = (valid(engine.ask(query)) for _ in range(2))
    assert one["seed"] != two["seed"]
    again = valid(engine.ask(query | {"seed": one["seed"]}))
    assert (again["value"], again["black"]) == (one["value"], one["black"])


def test_options_of_monte_carlo_trees_are_heeded(engine):
    query = {"id": 1, "position": MIDDLE, "nodes": 300, "seed": 1, "method": "rm"}
    plain = valid(engine.ask(query))
    other = valid(
        engine.ask(query | {"options": {"leaf": "evaluation", "exploration": 0.3}, "threads": 2, "memory": 64})
    )
    assert plain["value"] != other["value"]
    assert other["playouts"] == 0


def test_reports_come_while_it_searches_and_one_answer_at_the_end(engine):
    engine.send({"id": 1, "position": MIDDLE, "seconds": 0.6, "reportEvery": 0.1})
    answers = [valid(engine.read())]
    while not answers[-1]["final"]:
        answers.append(valid(engine.read()))
    assert 2 <= len(answers) <= 7
    nodes = [answer["nodes"] for answer in answers]
    assert nodes == sorted(nodes)
    assert [answer["stopped_by"] for answer in answers] == [None] * (len(answers) - 1) + ["seconds"]


def test_the_engine_tells_about_itself(engine):
    assert valid(engine.ask({"action": "version", "id": "v"})) == {
        "id": "v",
        "action": "version",
        "version": wts.__version__,
        "protocol": schema.PROTOCOL,
    }
    told = valid(engine.ask({"action": "info"}))
    assert told["waiting"] == 0
    assert [m["name"] for m in told["methods"]] == list(wts.methods.METHODS)
    assert [m["name"] for m in told["methods"] if m["limited"]] == ["tree"]


# --- stopping


def test_stop_ends_a_search_and_what_waits_behind_it_goes_on(engine):
    engine.send({"id": "long", "position": MIDDLE, "seconds": 1000}, {"id": "next", "position": MIDDLE, "nodes": 2})
    time.sleep(0.3)
    engine.send({"action": "stop", "id": "long"})
    begun = time.perf_counter()
    assert valid(engine.read()) == {"id": "long", "action": "stop", "stopped": 1}
    stopped = valid(engine.read())
    assert time.perf_counter() - begun < 2
    assert (stopped["id"], stopped["final"], stopped["stopped_by"]) == ("long", True, "interrupt")
    assert stopped["nodes"] > 0
    follower = valid(engine.read())
    assert (follower["id"], follower["nodes"]) == ("next", 2)


def test_stop_before_any_work_still_gives_one_answer_a_turn(engine):
    engine.send(
        {"id": "long", "position": MIDDLE, "seconds": 1000},
        {"id": "batch", "moves": [["A1", "B1"], ["C1", "D1"]], "turns": [0, 1, 2], "seconds": 1000},
        {"action": "stop", "id": "batch"},
        {"action": "stop", "id": "long"},
    )
    answers = [valid(engine.read()) for _ in range(6)]
    stops = [a for a in answers if "action" in a]
    finals = [a for a in answers if "action" not in a]
    assert [(a["id"], a["stopped"]) for a in stops] == [("batch", 3), ("long", 1)]
    assert [(a["id"], a["turn"]) for a in finals] == [("long", 0), ("batch", 0), ("batch", 1), ("batch", 2)]
    assert all(a["final"] and a["stopped_by"] == "interrupt" for a in finals)
    unsearched = finals[-1]
    assert (unsearched["nodes"], unsearched["lower"], unsearched["upper"]) == (0, -1, 1)
    assert len(unsearched["black"]) == len(wts.Position(unsearched["position"]).legal)


def test_stop_keeps_to_limits_where_nothing_was_searched(engine):
    engine.send(
        {"id": 1, "position": MIDDLE, "seconds": 1000},
        {"id": 2, "position": MIDDLE, "seconds": 1000, "only": {"black": ["A1", "A2"]}},
        {"action": "stop_all", "id": "x"},
    )
    answers = {(a.get("action"), a["id"]): a for a in (valid(engine.read()) for _ in range(3))}
    assert answers["stop_all", "x"]["stopped"] == 2
    assert answers[None, 2]["black"] == {"A1": 0.5, "A2": 0.5}


def test_what_is_not_there_can_be_stopped(engine):
    assert valid(engine.ask({"action": "stop", "id": "none"}))["stopped"] == 0
    assert valid(engine.ask({"action": "stop_all"})) == {"action": "stop_all", "stopped": 0}


def test_an_id_is_free_again_once_answered(engine):
    engine.send({"id": "1", "position": MIDDLE, "seconds": 1000})
    assert refusal(engine, {"id": "1", "position": MIDDLE, "nodes": 1})["error"]["code"] == "id-in-use"
    # A number is another id than the text of it.
    engine.send({"id": 1, "position": MIDDLE, "nodes": 1}, {"action": "stop", "id": "1"})
    assert [engine.read().get("id") for _ in range(3)] == ["1", "1", 1]
    for _ in range(3):
        assert valid(engine.ask({"id": "1", "position": MIDDLE, "nodes": 1}))["final"]


# --- what is refused

MOVES = {"id": 1, "moves": [["A1", "B1"], ["C1", "D1"]], "nodes": 1}
BROKEN = [
    ({"position": "start"}, "id"),
    (FULL | {"id": None}, "id"),
    (FULL | {"id": 1.5}, "id"),
    (FULL | {"id": True}, "id"),
    (FULL | {"id": []}, "id"),
    (FULL | {"id": "x" * 201}, "id"),
    (FULL | {"id": 2**64}, "id"),
    ({"id": 1}, "position"),
    (FULL | {"position": None}, "position"),
    (FULL | {"position": 3}, "position"),
    (FULL | {"position": "Start"}, "position"),
    (FULL | {"position": ""}, "position"),
    (FULL | {"position": "x" * 1000}, "position"),
    (FULL | {"position": "9/9/9/9/9/9/9/9/8 -"}, "position"),
    (FULL | {"position": "9/9/9/9/3be3w/9/2e6/9/9 E5"}, "position"),
    (FULL | {"start": "start"}, "start"),
    ({"id": 1, "start": "start"}, "start"),
    (MOVES | {"start": "nowhere"}, "start"),
    (MOVES | {"start": "start", "position": "start"}, "start"),
    (MOVES | {"moves": "E5 H5"}, "moves"),
    (MOVES | {"moves": ["E5 H5"]}, "moves[0]"),
    (MOVES | {"moves": [["E5", "H5"], ["E5"]]}, "moves[1]"),
    (MOVES | {"moves": [["E5", "H5"], ["E5", "A1"]]}, "moves[1][0]"),
    (MOVES | {"moves": [["E5", "H5"], ["A1", "E5"]]}, "moves[1][1]"),
    (MOVES | {"moves": [["E5", "J5"]]}, "moves[0][1]"),
    (MOVES | {"moves": [["E5", 3]]}, "moves[0][1]"),
    (MOVES | {"moves": [["Ｅ5", "H5"]]}, "moves[0][0]"),
    (MOVES | {"position": OVER}, "moves[0]"),
    (MOVES | {"turns": []}, "turns"),
    (MOVES | {"turns": 1}, "turns"),
    (MOVES | {"turns": [0, 3]}, "turns[1]"),
    (MOVES | {"turns": [-1]}, "turns[0]"),
    (MOVES | {"turns": [1.0]}, "turns[0]"),
    (MOVES | {"turns": [0, 1, 0]}, "turns[2]"),
    (FULL | {"turns": [1]}, "turns[0]"),
    (FULL | {"seconds": -1}, "seconds"),
    (FULL | {"seconds": "1"}, "seconds"),
    (FULL | {"seconds": 10**400}, "seconds"),
    (FULL | {"nodes": 1.5}, "nodes"),
    (FULL | {"nodes": -1}, "nodes"),
    (FULL | {"nodes": True}, "nodes"),
    (FULL | {"nodes": 10**19}, "nodes"),
    (FULL | {"seed": 2**64}, "seed"),
    (FULL | {"seed": -1}, "seed"),
    (FULL | {"seed": None}, "seed"),
    (FULL | {"method": "best"}, "method"),
    (FULL | {"method": 1}, "method"),
    (FULL | {"options": []}, "options"),
    (FULL | {"options": {"leaf": "playouts"}}, "options.leaf"),
    (FULL | {"options": {"leef": "playouts"}}, "options.leef"),
    (FULL | {"method": "rm", "options": {"exploration": 2}}, "options.exploration"),
    (FULL | {"method": "rm", "options": {"learners": 1.0}}, "options.learners"),
    (FULL | {"threads": 0}, "threads"),
    (FULL | {"threads": 1025}, "threads"),
    (FULL | {"memory": 0}, "memory"),
    (FULL | {"reportEvery": 0}, "reportEvery"),
    (FULL | {"reportEvery": "often"}, "reportEvery"),
    (FULL | {"only": ["A1"]}, "only"),
    (FULL | {"only": {"red": ["A1"]}}, "only.red"),
    (FULL | {"only": {"black": "A1"}}, "only.black"),
    (FULL | {"only": {"black": []}}, "only.black"),
    (FULL | {"only": {"black": ["A1", "A0"]}}, "only.black[1]"),
    (FULL | {"position": MIDDLE, "only": {"white": ["E5"]}}, "only.white"),
    (MOVES | {"turns": [0, 2], "only": {"white": ["D1"]}}, "only.white"),
    (FULL | {"only": {"black": ["A1"]}, "avoid": {"black": ["A2"]}}, "avoid.black"),
    (FULL | {"avoid": {"white": [f + r for f in "ABCDEFGHI" for r in "123456789"]}}, "avoid.white"),
    (FULL | {"method": "flat", "only": {"white": ["A1"]}}, "only.white"),
    (FULL | {"method": "oos", "avoid": {"black": ["A1"]}}, "avoid.black"),
    (FULL | {"node": 1}, "node"),
    (FULL | {"": 1}, ""),
    (FULL | {"action": "analyse"}, "action"),
    (FULL | {"action": None}, "action"),
    ({"action": "stop"}, "id"),
    ({"action": "stop", "id": {}}, "id"),
    ({"action": "stop_all", "turns": []}, "turns"),
    ({"action": "version", "id": []}, "id"),
]


@pytest.mark.parametrize(("query", "field"), BROKEN, ids=[f"{n}-{field}" for n, (_, field) in enumerate(BROKEN)])
def test_each_broken_field_is_named(engine, query, field):
    answer = refusal(engine, query)
    assert answer["error"]["field"] == field
    known = query.get("id")
    assert answer["id"] == (known if field != "id" else None)


NEST = b"[" * 100_000
GARBAGE = [
    (b"\xff\n", "encoding", 1),
    (b'{"id": "\xc3"}\n', "encoding", 9),
    (b"\xef\xbb\xbf{}\n", "json", 1),
    (b"{\n", "json", 2),
    (b'{"id": 1,}\n', "json", 10),
    (b"{'id': 1}\n", "json", 2),
    (b'{"id": 1} {}\n', "json", 11),
    (b'{"id": NaN}\n', "number", None),
    (b'{"id": -Infinity}\n', "number", None),
    (b'{"seconds": 1e999}\n', "number", None),
    (b'{"nodes": 1' + b"0" * 5000 + b"}\n", "number", None),
    (b'{"id": 1, "id": 1}\n', "duplicate", None),
    (b'{"only": {"black": [], "black": []}}\n', "duplicate", None),
    (b'{"id": "a\tb"}\n', "json", 10),
    (b"\x00\n", "json", 1),
    (b"[]\n", "type", None),
    (b"17\n", "type", None),
    (b"null\n", "type", None),
    (NEST + b"\n", "nesting", None),
    (b'{"a":' * 90_000 + b"\n", "nesting", None),
    (b'{"id": "' + b"x" * (1 << 20) + b'"}\n', "line-length", None),
]


@pytest.mark.parametrize(
    ("line", "code", "column"), GARBAGE, ids=[f"{n}-{code}" for n, (_, code, _) in enumerate(GARBAGE)]
)
def test_a_line_that_is_no_json_object_is_refused_and_survived(engine, line, code, column):
    answer = refusal(engine, line)
    assert (answer["id"], answer["error"]["code"], answer["error"]["column"]) == (None, code, column)
    assert answer["error"]["field"] == ("line" if code != "duplicate" else answer["error"]["field"])
    assert valid(engine.ask(FULL))["final"]


def test_errors_name_the_line():
    with EngineProcess() as engine:
        engine.send(b"\r\n   \n\nx\r\n", b"y" * 3_000_000, b"\n", b'{"action": "version"}\r\n', b"z")
        answers, status, _ = engine.end()
    assert [answer.get("line") for answer in answers] == [4, 5, None, 7]
    assert status == 0


@pytest.mark.parametrize("seed", range(3))
def test_pieces_of_lines_are_put_together(engine, seed):
    rng = random.Random(seed)
    data = b"".join(
        json.dumps({"id": n, "position": MIDDLE, "nodes": 1}).encode() + rng.choice([b"\n", b"\r\n", b"\n\n"])
        for n in range(8)
    )
    while data:
        size = rng.choice([1, 2, 7, 60])
        engine.send(data[:size])
        data = data[size:]
        time.sleep(0.001)
    assert [valid(engine.read())["id"] for _ in range(8)] == list(range(8))


def test_too_many_turns_are_refused():
    game = {"moves": [["A1", "A1"]], "turns": [0, 1], "nodes": 1}
    with EngineProcess() as engine:
        engine.send({"id": "long", "position": "start", "seconds": 1000})
        engine.send(*(game | {"id": n} for n in range(schema.MOST_QUEUED // 2 - 1)))
        assert valid(engine.ask({"action": "info"}))["waiting"] == schema.MOST_QUEUED - 1
        assert refusal(engine, game | {"id": "more"})["error"]["code"] == "queue-full"
        engine.send(FULL | {"id": "last"}, {"action": "version"})
        assert valid(engine.read())["action"] == "version"


# --- how it ends


def test_the_end_of_the_input_finishes_what_is_queued():
    done = subprocess.run(
        COMMAND,
        input=b"\n".join(json.dumps(FULL | {"id": n, "nodes": 20}).encode() for n in range(5)),
        capture_output=True,
        timeout=LONG,
    )
    answers = [valid(json.loads(line)) for line in done.stdout.splitlines()]
    assert [(a["id"], a["nodes"]) for a in answers] == [(n, 20) for n in range(5)]
    assert (done.returncode, done.stderr) == (0, b"")


def test_nothing_asked_is_nothing_answered():
    begun = time.perf_counter()
    done = subprocess.run(COMMAND, input=b"", capture_output=True, timeout=LONG)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert time.perf_counter() - begun < 10


def test_the_end_of_the_input_can_stop_everything():
    with EngineProcess("--quit-on-eof") as engine:
        engine.send(*(FULL | {"id": n, "nodes": 10**15} for n in range(3)))
        answers, status, _ = engine.end()
    assert status == 0
    assert [(valid(a)["id"], a["stopped_by"]) for a in answers] == [(n, "interrupt") for n in range(3)]


def test_closed_output_ends_it_quietly():
    with EngineProcess() as engine:
        valid(engine.ask(FULL))
        process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(json.dumps(FULL | {"nodes": 10**15}).encode() + b"\n")
        process.stdin.flush()
        time.sleep(1)
        process.stdout.close()  # while it searches, the input open, nothing to say
        assert process.wait(LONG) == 141
        assert process.stderr.read() == b""
        process.stdin.close()
        process.stderr.close()


def seconds_to_end(engine):
    begun = time.perf_counter()
    engine.interrupt()
    answers = engine.rest()
    status = engine.process.wait(LONG)
    return time.perf_counter() - begun, answers, status, engine.process.stderr.read()


def test_ctrl_c_ends_a_search_at_once_and_every_turn_is_answered():
    times = []
    for _ in range(3):
        with EngineProcess() as engine:
            valid(engine.ask(FULL))
            engine.send({"id": 2, "position": MIDDLE, "seconds": 1000, "threads": 2}, FULL | {"id": 3, "seconds": 99})
            time.sleep(0.3)
            seconds, answers, status, said = seconds_to_end(engine)
        assert [(valid(a)["id"], a["stopped_by"]) for a in answers] == [(2, "interrupt"), (3, "interrupt")]
        assert (status, said) == (130, b"")
        times.append(seconds)
        if seconds < 0.3:
            break
    assert min(times) < 0.3


@pytest.mark.parametrize("what", ["idle", "compiling", "not reading"])
def test_ctrl_c_ends_it_whatever_it_does(what, tmp_path, monkeypatch):
    if what == "compiling":
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    times = []
    for _ in range(3):
        with EngineProcess() as engine:
            engine.ask({"action": "version"})
            if what == "compiling":
                engine.send(FULL)
                time.sleep(2.5)
            elif what == "not reading":
                process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
                process.stdin.write(b"x\n" * 3000)  # more answers than a pipe holds, and nobody reads them
                time.sleep(0.5)
                begun = time.perf_counter()
                process.send_signal(2)
                assert process.wait(LONG) == 130
                times.append(time.perf_counter() - begun)
                process.stdin.close()
                process.stdout.close()
                continue
            seconds, _answers, status, said = seconds_to_end(engine)
        assert (status, said) == (130, b"")
        times.append(seconds)
        if seconds < 0.3:
            break
    assert min(times) < 0.3


def test_who_writes_all_before_reading_is_not_locked_out():
    count = 20_000
    engine_input = b"x\n" * count
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    # Written to the end before a byte is read: a loop that waits for its reader would never take it all.
    process.stdin.write(engine_input)
    process.stdin.close()
    assert len(process.stdout.read().splitlines()) == count
    assert process.wait(LONG) == 0
    process.stdout.close()


def test_without_standard_input_it_says_so(tmp_path):
    done = subprocess.run(["sh", "-c", f"exec {' '.join(COMMAND)} <&-"], capture_output=True, text=True, timeout=LONG)
    assert done.returncode == 2
    assert done.stderr.startswith("wts-fast engine: ")
    with open(tmp_path / "file", "wb") as file:
        done = subprocess.run(COMMAND, stdin=file, capture_output=True, text=True, timeout=LONG)
    assert (done.returncode, done.stderr) == (2, "wts-fast engine: Bad file descriptor\n")


# --- speed, and others who speak it


def test_a_query_costs_less_than_a_millisecond(engine):
    """All of it but the search: medians of a few, the least of them, as machines are busy now and then."""
    query = {"id": 1, "position": MIDDLE, "nodes": 0, "seed": 1}
    medians = []
    for _ in range(20):
        times = []
        for _ in range(20):
            begun = time.perf_counter()
            engine.ask(query)
            times.append(time.perf_counter() - begun)
        medians.append(statistics.median(times))
    assert min(medians) < 0.001


def test_a_match_can_be_played_against_it(capsys):
    command = " ".join([sys.executable, "-m", "wts_fast", "engine"])
    arguments = ["match", f"command:nodes=2,{command}", "random", "--games", "2", "--seed", "1", "--json"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2


# --- the parts


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_lines_are_the_same_however_they_come(size):
    data = b"one\r\ntwo\n\n" + b"x" * 9 + b"\n" + b"y" * 8 + b"\nlast"
    splitter = lines.Splitter(8)
    found = [line for at in range(0, len(data), size) for line in splitter.feed(data[at : at + size])]
    assert [*found, *splitter.end()] == [b"one", b"two", b"", None, b"y" * 8, b"last"]
    assert list(splitter.end()) == []


def test_a_line_without_end_is_told_at_once_and_not_kept():
    splitter = lines.Splitter(1000)
    found = [line for _ in range(1000) for line in splitter.feed(b"x" * 1000)]
    assert found == [None]
    assert sum(map(len, splitter._parts)) <= 2000
    assert list(splitter.feed(b"\nnext\n")) == [b"next"]


def test_json_is_read_as_it_was_written():
    value = {"a": [1, 2.5, None, True, "ä\u2028\ud83d\ude00"], "b": {"c": {}}}
    assert lines.read_json(json.dumps(value).encode()) == lines.read_json(json.dumps(value, ensure_ascii=True).encode())


def test_every_refusal_names_a_field_even_where_objects_are_deep():
    with pytest.raises(WtsError) as caught:
        schema.check(FULL | {"only": {"black": ["A1", ["A2"]]}})
    assert caught.value.field == "only.black[1]"


def test_an_object_of_very_many_names_is_read_in_no_time():
    line = b"{" + b",".join(b'"%d":1' % (n // 2) for n in range(80_000, 0, -1)) + b"}"
    begun = time.perf_counter()
    with pytest.raises(WtsError):
        lines.read_json(line)
    assert time.perf_counter() - begun < 2
