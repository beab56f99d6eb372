"""The server as browsers and others meet it: every address, every refusal, many clients, slow ones, and the end."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from serving import Served, begin_search, lines, post, read_until, served, strict, wait_until_warm

import wts_fast as wts
from wts_fast.errors import WtsError
from wts_fast.game import Game
from wts_fast.note import Note
from wts_fast.serve.app import Board
from wts_fast.serve.files import Page
from wts_fast.serve.guard import Names
from wts_fast.threats import threats
from wts_fast.tutorial import EXERCISES

START = "9/9/9/9/9/9/9/9/9 -"
FOUR = "9/9/9/9/2bbbb3/9/9/9/9 -"
WON = "9/9/9/9/2bbbbb2/9/9/9/9 -"
LONE_SURROGATE = "\ud800"


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as running:
        wait_until_warm(running)
        yield running


@pytest.fixture(scope="module")
def client(server: Served) -> Iterator[httpx.Client]:
    with server.client() as opened:
        yield opened


def refusal(answer: httpx.Response, status: int) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    data = strict(answer.content)
    assert set(data) == {"error"}
    assert {"code", "field", "reason"} <= set(data["error"])
    error: dict[str, Any] = data["error"]
    return error


# ---------------------------------------------------------------- the rules


def test_a_board_says_all_that_a_picture_needs(client: httpx.Client) -> None:
    text = "9/9/3e5/9/2bbbb3/9/2www4/9/9 D7"
    told = post(client, "api/position", {"position": text})
    position = wts.Position(text)
    assert told == {
        "position": text,
        "legal": [wts.squares.square_name(s) for s in position.legal],
        "outcome": None,
        "sudden_death": False,
        "winning": {"black": [], "white": []},
        "eggs": ["D7"],
        "black": ["C5", "D5", "E5", "F5"],
        "white": ["C3", "D3", "E3"],
        "threats": threats(position).to_dict(),
    }
    assert [row["square"] for row in told["threats"]["black"]["completions"]] == ["B5", "G5"]


def test_the_board_of_a_game_that_is_over(client: httpx.Client) -> None:
    told = post(client, "api/position", {"position": WON})
    assert (told["outcome"], told["legal"]) == ("black", [])
    assert told["winning"]["black"] == ["C5", "D5", "E5", "F5", "G5"]


def test_turns_lead_from_a_position_to_another(client: httpx.Client) -> None:
    told = post(client, "api/position", {"position": "start", "moves": [["E5", "H5"], ["d4", "D4"]]})
    assert told["position"] == str(wts.Position().play("E5", "H5").play("D4", "D4"))


def test_a_turn_is_told_event_by_event(client: httpx.Client) -> None:
    before = wts.Position("9/9/9/9/2bww4/9/9/9/4e4 E1")
    told = post(client, "api/turn", {"position": str(before), "black": "F5", "white": "A1"})
    turn = before.explain("F5", "A1")
    assert told["turn"] == "F5 A1"
    assert told["events"] == [event.as_dict() for event in turn.events]
    assert [event["event"] for event in told["events"]].count("hatch") == 1
    assert told["after"] == post(client, "api/position", {"position": str(turn.position)})


def test_records_are_read_with_positions_and_notes(client: httpx.Client) -> None:
    game = Game(tags={"Black": "Ada", "White": "Bo"})
    game.play("E5", "H5")
    game.play("D4", "D4")
    game.annotate(0, Note("first"))
    game.annotate(2, Note("an egg", 0.25, {0: 0.5, 1: 0.5}, {80: 1.0}))
    told = post(client, "api/record", {"text": f"{game}\n{game}"})
    assert len(told["games"]) == 2
    assert told["games"][0] == told["games"][1]
    assert told["games"][1] == {
        "tags": {"Black": "Ada", "White": "Bo", "Date": "????.??.??", "Result": "*"},
        "start": START,
        "moves": [["E5", "H5"], ["D4", "D4"]],
        "positions": [str(position) for position in game.positions],
        "result": "*",
        "notes": {
            "0": {"text": "first", "value": None, "black": {}, "white": {}},
            "2": {"text": "an egg", "value": 0.25, "black": {"A1": 0.5, "B1": 0.5}, "white": {"I9": 1.0}},
        },
    }


def test_what_was_read_can_be_written_again(client: httpx.Client) -> None:
    game = Game(FOUR, tags={"Black": 'A "quoted" name', "White": "Bö", "Event": "test"})
    game.play("B5", "B5")
    game.annotate(1, Note("blocked", -0.5, {}, {7: 0.25}))
    game.end("0-1")
    read = post(client, "api/record", {"text": str(game)})["games"][0]
    fields = {"tags": read["tags"], "position": read["start"], "moves": read["moves"], "notes": read["notes"]}
    assert post(client, "api/write", fields) == {"text": str(game)}


def test_a_damaged_record_is_refused_with_line_and_column(client: httpx.Client) -> None:
    game = Game()
    game.play("E5", "H5")
    text = str(game).replace("E5 H5", "E5 J9")
    error = refusal(client.post("api/record", json={"text": text}), 400)
    line = next(number for number, row in enumerate(text.split("\n"), 1) if "J9" in row)
    assert (error["line"], error["column"], error["code"]) == (line, 7, "token")


def test_records_of_many_games_are_read(client: httpx.Client) -> None:
    game = Game()
    for square in ("A1", "B2", "C3", "D4"):
        game.play(square, square)
    count = 500_000 // len(str(game))
    assert len(post(client, "api/record", {"text": "\n".join([str(game)] * count)})["games"]) == count


# ---------------------------------------------------------------- searches


def test_an_analysis_streams_and_ends_with_the_answer(client: httpx.Client) -> None:
    *reports, last = lines(client, "api/analyze", {"position": FOUR, "seconds": 0.8, "seed": 5})
    assert reports
    assert all(report["final"] is False for report in reports)
    assert (last["final"], last["seed"], last["position"]) == (True, 5, FOUR)
    assert last["threats"] == threats(wts.Position(FOUR)).to_dict()
    assert any("completes a row" in sentence or "complete a row" in sentence for sentence in last["words"]["en"])
    assert abs(sum(last["black"].values()) - 1) < 1e-9


def test_nodes_alone_decide_an_analysis(client: httpx.Client) -> None:
    asked = {"position": "start", "seconds": 60, "nodes": 300, "seed": 1}
    one, two = (lines(client, "api/analyze", asked)[-1] for _ in range(2))
    assert one["stopped_by"] == "nodes"
    assert (one["black"], one["value"]) == (two["black"], two["value"])


@pytest.mark.parametrize("method", ["flat", "rm+"])
def test_other_methods_answer_too(client: httpx.Client, method: str) -> None:
    asked = {"position": "start", "seconds": 60, "nodes": 200, "method": method}
    assert lines(client, "api/analyze", asked)[-1]["method"] == method


def test_a_game_that_is_over_is_analysed_at_once(client: httpx.Client) -> None:
    (last,) = lines(client, "api/analyze", {"position": WON})
    assert (last["value"], last["stopped_by"], last["words"]) == (1.0, "finished", {"en": [], "de": []})


@contextlib.contextmanager
def two_searches(server: Served) -> Iterator[list[socket.socket]]:
    """Take both places, and leave them again."""
    searches = [begin_search(server) for _ in range(2)]
    try:
        for search in searches:
            read_until(search, b'"value"')
        yield searches
    finally:
        for search in searches:
            search.close()
        with server.client() as own:
            assert lines(own, "api/analyze", {"position": "start", "nodes": 1})[-1]["final"]


def test_a_review_streams_how_far_it_is_and_ends_with_the_review(client: httpx.Client) -> None:
    asked = {"position": "9/9/9/9/1bbb5/9/9/9/1www5 -", "moves": [["E5", "E1"], ["A5", "A5"]], "seconds": 0.05}
    *reports, last = lines(client, "api/review", asked)
    assert all(0 < report["progress"] <= report["of"] == 3 for report in reports)
    assert last["final"] is True
    turns = last["review"]["turns"]
    assert [turn["turn"] for turn in turns] == ["E5 E1", "A5 A5"]
    for turn in turns:
        total = turn["before"] - turn["black"]["loss"] + turn["white"]["loss"] + turn["luck"]
        assert abs(total - turn["after"]) < 1e-9


def test_a_client_that_goes_away_ends_its_search(server: Served) -> None:
    with two_searches(server) as searches:
        waiting = begin_search(server)
        told = read_until(waiting, b'{"queued":1}')
        assert b'"value"' not in told
        begun = time.monotonic()
        searches[0].close()
        read_until(waiting, b'"value"')
        assert time.monotonic() - begun < 3  # of the 60 seconds that the closed one would have taken
        waiting.close()


def test_the_queue_for_searches_has_an_end(server: Served) -> None:
    with two_searches(server):
        waiting = [begin_search(server) for _ in range(8)]
        for number, search in enumerate(waiting, 1):
            read_until(search, b'{"queued":%d}' % number)
        answer = server.post("api/analyze", {"position": "start"})
        assert refusal(answer, 503)["code"] == "busy"
        assert answer.headers["retry-after"]
        waiting[0].close()  # the others come nearer
        read_until(waiting[1], b'{"queued":1}')
        read_until(waiting[7], b'{"queued":7}')
        for search in waiting:
            search.close()


def test_turns_are_told_at_once_while_searches_run(server: Served, client: httpx.Client) -> None:
    times = []
    with two_searches(server):
        for _ in range(40):
            begun = time.perf_counter()
            post(client, "api/turn", {"position": "start", "black": "E5", "white": "H5"})
            times.append(time.perf_counter() - begun)
            time.sleep(0.01)
    assert statistics.median(times) < 0.1, times


# ---------------------------------------------------------------- the tutorial


def test_exercises_are_told_without_their_solutions(client: httpx.Client) -> None:
    told = strict(client.get("api/tutorial").content)
    assert [exercise["id"] for exercise in told] == [exercise.id for exercise in EXERCISES]
    for exercise in told:
        assert {"white", "accepted", "done"}.isdisjoint(exercise)
        assert set(exercise["task"]) == {"en", "de"}


def test_a_square_is_judged_and_its_turn_told(client: httpx.Client) -> None:
    exercise = EXERCISES[0]
    solution = exercise.accepted[0]
    told = post(client, "api/tutorial/check", {"id": exercise.id, "square": wts.squares.square_name(solution)})
    assert told["ok"] is True
    assert set(told["message"]) == {"en", "de"}
    turn = {
        "position": exercise.position,
        "black": wts.squares.square_name(solution),
        "white": wts.squares.square_name(exercise.white),
    }
    assert told["turn"] == post(client, "api/turn", turn)


# ---------------------------------------------------------------- refusals

POSTS = ("position", "turn", "record", "write", "analyze", "review", "tutorial/check")
TURN = {"position": START, "black": "E5", "white": "H5"}
WRITE = {"tags": {"Black": "Ada"}, "position": START, "moves": [["E5", "H5"]], "notes": {"1": {"text": "yes"}}}


@pytest.mark.parametrize(
    ("path", "good", "field", "value", "named", "code"),
    [
        ("position", {"position": START}, "position", 5, "position", "field-type"),
        ("position", {"position": START}, "position", "9/9", "position", None),
        ("position", {"position": START}, "moves", {}, "moves", "field-type"),
        ("position", {"position": START}, "moves", [["E5"]], "moves[0]", "field-type"),
        ("position", {"position": START}, "moves", [["E5", "A1"], "A1 B1"], "moves[1]", "field-type"),
        ("position", {"position": START}, "moves", [["E5", 40]], "moves[0]", "field-type"),
        ("position", {"position": START}, "moves", [["E5", "J1"]], "moves[0]", "square-name"),
        ("position", {"position": START}, "moves", [["E5", "A1"], ["E5", "B1"]], "moves[1]", "occupied"),
        ("position", {"position": WON}, "moves", [["A1", "B1"]], "moves[0]", "game-over"),
        ("position", {"position": START}, "moves", [["A1", "A1"]] * 2001, "moves", "too-many"),
        ("turn", TURN, "position", WON, "position", "game-over"),
        ("turn", TURN, "position", None, "position", "field-type"),
        ("turn", TURN, "black", "Z9", "black", "square-name"),
        ("turn", TURN, "black", True, "black", "field-type"),
        ("turn", TURN, "white", "\uff25\uff15", "white", "square-name"),
        ("turn", TURN, "white", LONE_SURROGATE, "white", "square-name"),
        ("turn", {**TURN, "position": FOUR, "black": "A1"}, "white", "E5", "white", "occupied"),
        ("turn", TURN, "colour", "black", "colour", "field-unknown"),
        ("record", {"text": ""}, "text", [], "text", "field-type"),
        ("record", {"text": ""}, "text", LONE_SURROGATE, "text", "field-value"),
        ("record", {"text": ""}, "text", "", None, "no-games"),
        ("write", WRITE, "position", "start ", "position", None),
        ("write", WRITE, "moves", [["E5", "E"]], "moves[0]", "square-name"),
        ("write", WRITE, "tags", [], "tags", "field-type"),
        ("write", WRITE, "tags", {"Black": 1}, "tags.Black", "tag-value"),
        ("write", WRITE, "tags", {"Bl ck": "x"}, "tags.Bl ck", "tag-name"),
        ("write", WRITE, "tags", {"Result": "2-0"}, "tags.result", "result"),
        ("write", WRITE, "tags", {"Position": FOUR}, "tags.Position", "tag-value"),
        ("write", WRITE, "notes", {"x": {}}, "notes.x", "field-value"),
        ("write", WRITE, "notes", {LONE_SURROGATE: {}}, "notes.\\ud800", "field-value"),
        ("write", WRITE, "notes", {"2": {}}, "notes.2.turn", "range"),
        ("write", WRITE, "notes", {"1": []}, "notes.1", "field-type"),
        ("write", WRITE, "notes", {"1": {"text": "{"}}, "notes.1.text", "comment-text"),
        ("write", WRITE, "notes", {"1": {"value": 1.5}}, "notes.1.value", "range"),
        ("write", WRITE, "notes", {"1": {"value": "0"}}, "notes.1.value", "number"),
        ("write", WRITE, "notes", {"1": {"black": {"E5": 1}}}, "notes.1.note", "annotation"),
        ("write", WRITE, "notes", {"1": {"white": {"A0": 1}}}, "notes.1.white", "square-name"),
        ("write", WRITE, "notes", {"1": {"colour": 1}}, "notes.1.colour", "field-unknown"),
        ("analyze", {"position": START}, "position", "", "position", None),
        ("analyze", {"position": START}, "seconds", 61, "seconds", "seconds-range"),
        ("analyze", {"position": START}, "seconds", -1, "seconds", "seconds-range"),
        ("analyze", {"position": START}, "seconds", "1", "seconds", "field-type"),
        ("analyze", {"position": START}, "seconds", True, "seconds", "field-type"),
        ("analyze", {"position": START}, "nodes", 1.5, "nodes", "field-type"),
        ("analyze", {"position": START}, "nodes", -1, "nodes", "nodes-range"),
        ("analyze", {"position": START}, "seed", 2**64, "seed", "seed-range"),
        ("analyze", {"position": START}, "method", "magic", "method", "method-name"),
        ("analyze", {"position": START}, "method", {}, "method", "field-type"),
        ("review", {"position": START}, "moves", [["E5", "E5"]] * 2, "moves[1]", "occupied"),
        ("review", {"position": START}, "moves", None, "moves", "field-type"),
        ("review", {"position": START}, "seconds", 2.5, "seconds", "seconds-range"),
        ("tutorial/check", {"id": "x", "square": "A1"}, "id", "y", "id", "exercise"),
        ("tutorial/check", {"id": "x", "square": "A1"}, "id", LONE_SURROGATE, "id", "field-value"),
        ("tutorial/check", {"id": EXERCISES[0].id, "square": "A1"}, "square", "A0", "square", "square-name"),
        ("analyze", {"position": START}, "path", "/etc/passwd", "path", "field-unknown"),
    ],
)
def test_what_is_wrong_is_named(
    client: httpx.Client, path: str, good: dict[str, Any], field: str, value: Any, named: str | None, code: str | None
) -> None:
    answer = client.post(
        f"api/{path}", content=json.dumps({**good, field: value}), headers={"content-type": "application/json"}
    )
    error = refusal(answer, 400)
    assert error["field"] == named
    assert code is None or error["code"] == code
    assert error["reason"]


@pytest.mark.parametrize(
    ("path", "field"),
    [(path, field) for path, fields in (("turn", TURN), ("analyze", {"position": 0}), ("write", {"position": 0}))
     for field in fields],
)  # fmt: skip
def test_what_is_missing_is_named(client: httpx.Client, path: str, field: str) -> None:
    data = {name: value for name, value in TURN.items() if name != field and path == "turn"}
    error = refusal(client.post(f"api/{path}", json=data), 400)
    assert (error["code"], error["field"]) == ("field-missing", field)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"start"',
        b"{'position': 'start'}",
        b'{"position": "start",}',
        b'{"position": "start"} {}',
        b'{"position": "start", "position": "start"}',
        b'{"position": NaN}',
        b'{"position": -Infinity}',
        b'{"position": "\xff"}',
        b'\xef\xbb\xbf{"position": "start"}',
        b'{"position": "sta\nrt"}',
        b'{"position": ' + b"9" * 5000 + b"}",
        b'{"position": ' + b"[" * 30000,
        '{"position": "start"}'.encode("utf-16"),
    ],
    ids=range(17),
)
@pytest.mark.parametrize("path", POSTS)
def test_only_strict_json_is_read(client: httpx.Client, path: str, body: bytes) -> None:
    answer = client.post(f"api/{path}", content=body, headers={"content-type": "application/json"})
    error = refusal(answer, 400)
    assert error["code"] in ("json", "encoding", "duplicate", "nesting", "number")
    assert error["field"] in ("body", "position")


def test_only_json_is_read(client: httpx.Client) -> None:
    """A form of a foreign page could be sent as anything but JSON without asking."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = client.post("api/turn", content=json.dumps(TURN), headers={"content-type": kind})
        assert refusal(answer, 415)["field"] == "content-type"
    answer = client.post(
        "api/turn", content=json.dumps(TURN), headers={"content-type": "Application/JSON; charset=utf-8"}
    )
    assert answer.status_code == 200


def test_large_bodies_are_refused_unread(server: Served, client: httpx.Client) -> None:
    for path, most in (("turn", 1 << 16), ("record", 1 << 20)):
        body = b" " * most
        headers = {"content-type": "application/json"}
        assert refusal(client.post(f"api/{path}", content=body, headers=headers), 400)["code"] == "json"
        assert refusal(client.post(f"api/{path}", content=body + b" ", headers=headers), 413)["field"] == "body"
    for head in (b"Content-Length: 99999999999999999999\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n"):
        with server.connect() as connection:
            connection.sendall(
                b"POST /api/record HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + head
            )
            if b"chunked" in head:
                with contextlib.suppress(ConnectionError):
                    for _ in range(40):
                        connection.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
            assert connection.recv(65536).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize(
    "request_",
    [
        b"\r\n\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 300,  # TLS
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
        b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /api/turn HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        b"POST /api/turn HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"POST /api/turn HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"POST /api/turn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n",
        b"G\x00T / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET http://localhost.evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    ],
)
def test_what_is_no_request_is_survived(server: Served, client: httpx.Client, request_: bytes) -> None:
    with server.connect() as connection, contextlib.suppress(ConnectionError):
        connection.sendall(request_)
        connection.shutdown(socket.SHUT_WR)
        answer = connection.recv(65536)
        assert answer == b"" or answer[9:12] in (b"400", b"421", b"431", b"501"), answer
    assert client.get("api/about").status_code == 200


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
    | st.sampled_from(["start", START, FOUR, WON, "E5", "A1"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
NAMES = [
    "position",
    "moves",
    "black",
    "white",
    "text",
    "tags",
    "notes",
    "seconds",
    "nodes",
    "seed",
    "method",
    "id",
    "square",
]


@given(
    path=st.sampled_from(POSTS),
    data=st.dictionaries(st.sampled_from(NAMES), JSON_VALUES, max_size=5) | JSON_VALUES,
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_json_is_a_fault(client: httpx.Client, path: str, data: Any) -> None:
    if isinstance(data, dict) and path == "analyze":
        data["nodes"] = 1
    if isinstance(data, dict) and path == "review":
        data["seconds"] = 0
    answer = client.post(f"api/{path}", content=json.dumps(data), headers={"content-type": "application/json"})
    assert answer.status_code in (200, 400), answer.text
    for row in answer.text.splitlines():
        strict(row)


# ---------------------------------------------------------------- who may ask


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.1.5",
                                  "localhost:x", "[::1", "", "local host", "user@localhost"])  # fmt: skip
def test_other_names_are_refused(client: httpx.Client, host: str) -> None:
    """A page whose name server says that its name is this machine (DNS rebinding) is still called by its name."""
    for method, path in (("GET", "/"), ("POST", "/api/turn")):
        assert refusal(client.request(method, path, json=TURN, headers={"host": host}), 421)["field"] == "host"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1", "127.0.0.1:9999", "[::1]:8000"])
def test_own_names_are_not(client: httpx.Client, host: str) -> None:
    assert client.post("/api/turn", json=TURN, headers={"host": host, "origin": f"http://{host}"}).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1", "http://127.0.0.1", "", "x"])
def test_other_origins_are_refused(client: httpx.Client, origin: str) -> None:
    for method, path in (("POST", "/api/turn"), ("POST", "/api/analyze"), ("GET", "/api/about")):
        assert refusal(client.request(method, path, json=TURN, headers={"origin": origin}), 403)["field"] == "origin"


def test_what_other_pages_ask_is_refused_and_their_links_are_followed(client: httpx.Client) -> None:
    for site in ("cross-site", "same-site"):
        assert refusal(client.get("/api/about", headers={"sec-fetch-site": site}), 403)["field"] == "origin"
        assert client.get("/", headers={"sec-fetch-site": site, "sec-fetch-mode": "navigate"}).status_code == 200
    assert client.get("/api/about", headers={"sec-fetch-site": "same-origin"}).status_code == 200


def test_names_depend_on_where_the_server_listens() -> None:
    here, everywhere, lan = Names("127.0.0.1", ("board.example",)), Names("0.0.0.0"), Names("192.168.1.5")
    assert here.allow("board.example:80")
    assert not here.allow("192.168.1.5")
    assert everywhere.allow("192.168.1.5:8181")
    assert everywhere.allow(f"{socket.gethostname()}:8181")
    assert not everywhere.allow("evil.example")
    assert lan.allow("192.168.1.5")
    assert not lan.allow("192.168.1.6")
    with pytest.raises(WtsError, match="allow"):
        Names("127.0.0.1", ("http://board.example/",))


@pytest.mark.parametrize("path", ["/", "/api/about", "/nothing", "/api/turn"])
def test_every_answer_tells_browsers_what_the_page_may_do(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    assert headers["content-security-policy"].startswith("default-src 'self'; ")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


# ---------------------------------------------------------------- addresses


@pytest.mark.parametrize("path", ["/nothing", "/api", "/api/turn/", "/api/Turn", "/static/", "/static/../app.py",
                                  "/static/%2e%2e/app.py", "/static//etc/passwd", "/%00", "/static/%ff"])  # fmt: skip
def test_there_is_nothing_at_other_addresses(server: Served, path: str) -> None:
    with server.connect() as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = read_until(connection, b"}}\n")
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert b'"not-found"' in answer


def test_other_methods_are_refused_with_those_that_do(client: httpx.Client) -> None:
    for method, path, allowed in (
        ("GET", "/api/turn", {"POST"}),
        ("POST", "/api/about", {"GET", "HEAD"}),
        ("DELETE", "/", {"GET", "HEAD"}),
        ("OPTIONS", "/api/turn", {"POST"}),
    ):
        answer = client.request(method, path)
        assert refusal(answer, 405)["code"] == "method"
        assert set(answer.headers["allow"].split(", ")) == allowed


def test_head_is_get_without_a_body(client: httpx.Client) -> None:
    head, get = client.head("/api/about"), client.get("/api/about")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == get.headers["content-length"]


def test_about_says_version_and_limits(client: httpx.Client) -> None:
    told = client.get("/api/about").json()
    assert told["version"] == wts.__version__
    assert told["limits"]["body_bytes"] == 1 << 20
    assert "tree" in told["methods"]
    assert told["warm"] is True


def test_the_docs_name_every_address() -> None:
    text = (Path(__file__).resolve().parents[1] / "docs" / "http.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `((?:GET|POST) /api/[a-z/]+)` \|", text, re.MULTILINE))
    board = Board(Names("127.0.0.1"))
    there = {f"{method} {path}" for path, method in board.addresses if path.startswith("/api/")}
    assert told == there


def test_the_page_is_served_with_all_it_names(client: httpx.Client) -> None:
    page = client.get("/")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert page.headers["cache-control"] == "no-cache"
    assert client.get("/", headers={"if-none-match": page.headers["etag"]}).status_code == 304
    named = re.findall(r'(?:src|href)="/?(static/[^"]+)"', page.text)
    assert any(name.endswith(".js") for name in named)
    for name in named:
        answer = client.get(name)
        assert answer.status_code == 200, name
        assert "javascript" in answer.headers["content-type"] or not name.endswith(".js")


def test_files_are_those_of_the_page_and_no_others(tmp_path: Path) -> None:
    from starlette.requests import Request

    (tmp_path / "lang").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html>")
    (tmp_path / "lang" / "en.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("not of the page")
    page = Page(tmp_path)

    def get(name: str, tag: str = "") -> Any:
        return page.answer(Request({"type": "http", "headers": [(b"if-none-match", tag.encode())]}), name)

    found = get("index.html")
    assert (found.status_code, found.body, found.headers["content-type"]) == (
        200,
        b"<!doctype html>",
        "text/html; charset=utf-8",
    )
    assert get("index.html", f'"other", {found.headers["etag"]}').status_code == 304
    assert get("lang/en.json").headers["content-type"] == "application/json"
    for name in ("notes.txt", "lang", "../index.html", "/etc/passwd", ""):
        assert get(name) is None
