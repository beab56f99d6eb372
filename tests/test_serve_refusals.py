"""What the server refuses, and how it says so: fields, bodies, names, origins, addresses."""

from __future__ import annotations

import contextlib
import json
import re
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from serving import Served, read_until, refusal, strict

import wts_fast as wts
from wts_fast.errors import WtsError
from wts_fast.serve.app import Board
from wts_fast.serve.files import Page
from wts_fast.serve.guard import Names
from wts_fast.tutorial import EXERCISES

START = "9/9/9/9/9/9/9/9/9 -"
FOUR = "9/9/9/9/2bbbb3/9/9/9/9 -"
WON = "9/9/9/9/2bbbbb2/9/9/9/9 -"
LONE_SURROGATE = "\ud800"


# ---------------------------------------------------------------- refusals

POSTS = ("position", "turn", "record", "write", "analyze", "review", "commit", "reveal", "tutorial/check")
TURN = {"position": START, "black": "E5", "white": "H5"}
COMMIT = {"position": START, "colour": "black", "level": 1}
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
        ("commit", COMMIT, "position", WON, "position", "game-over"),
        ("commit", COMMIT, "colour", "green", "colour", "colour"),
        ("commit", COMMIT, "colour", 0, "colour", "field-type"),
        ("commit", COMMIT, "level", 0, "level", "level-range"),
        ("commit", COMMIT, "level", 9, "level", "level-range"),
        ("commit", COMMIT, "level", 1.0, "level", "field-type"),
        ("commit", COMMIT, "seed", 1, "seed", "field-unknown"),
        ("reveal", {"game": "", "square": "A1"}, "game", 5, "game", "field-type"),
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
    "colour",
    "level",
    "game",
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
    assert answer.status_code in (200, 400, 404), answer.text
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
