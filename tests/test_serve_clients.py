"""Many clients, slow ones, those that never read, and how the server begins and ends."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from serving import Served, begin_search, post, raw_request, read_until, served, strict, wait_until_warm

import wts_fast as wts
from wts_fast.game import Game

START = "9/9/9/9/9/9/9/9/9 -"
TURN = {"position": START, "black": "E5", "white": "H5"}


# ---------------------------------------------------------------- load, and slow clients


def test_fifty_clients_at_once_are_answered_in_bounded_memory(server: Served) -> None:
    def play(number: int) -> tuple[int, int]:
        busy = done = 0
        with server.client() as own:
            position = START
            for move in range(2):
                square = wts.squares.square_name((number + 9 * move) % 81)
                told = post(own, "api/turn", {"position": position, "black": square, "white": square})
                position = told["after"]["position"]
                with own.stream("POST", "api/analyze", json={"position": position, "nodes": 200}) as answer:
                    rows = [strict(row) for row in answer.iter_lines()]
                if answer.status_code == 503:
                    busy += 1
                else:
                    assert rows[-1]["final"] is True
                    done += 1
        return busy, done

    def storm() -> list[tuple[int, int]]:
        with ThreadPoolExecutor(50) as pool:
            return list(pool.map(play, range(50)))

    storm()
    before = server.resident()
    results = storm()
    assert sum(busy + done for busy, done in results) == 100
    assert sum(done for _, done in results) >= 10
    assert server.resident() - before < 64


def test_large_requests_of_many_clients_leave_no_trace(server: Served) -> None:
    game = Game()
    game.play("E5", "E5")
    body = json.dumps({"text": "\n".join([str(game)] * 2000)}).encode()

    def send(_: int) -> int:
        with server.client() as own:
            return own.post("api/record", content=body, headers={"content-type": "application/json"}).status_code

    def storm() -> set[int]:
        with ThreadPoolExecutor(20) as pool:
            return set(pool.map(send, range(20)))

    storm()
    before = server.resident()
    assert storm() <= {200, 503}
    assert server.resident() - before < 64


@pytest.fixture(scope="module")
def impatient() -> Iterator[Served]:
    """A server whose time limits are short enough for a test."""
    change = (
        "server.HEAD_SECONDS = server.STALL_SECONDS = 0.5; server.IDLE_SECONDS = 1; app.LIMITS['body_seconds'] = 0.5"
    )
    with served(before=change) as running:
        yield running


def gone_after(connection: socket.socket, drip: bytes = b"") -> tuple[float, bytes]:
    """Return when the server closed a connection, into which a byte drips all the while, and what it said."""
    begun, said = time.monotonic(), b""
    connection.settimeout(0.1)
    with connection, contextlib.suppress(ConnectionError):
        while time.monotonic() - begun < 20:
            try:
                part = connection.recv(65536)
                if not part:
                    break
                said += part
            except TimeoutError:
                connection.sendall(drip)
    return time.monotonic() - begun, said


def test_a_client_that_says_nothing_is_dropped(impatient: Served) -> None:
    took, said = gone_after(impatient.connect())
    assert took < 5
    assert said == b""


@pytest.mark.parametrize("first", [b"G", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "])
def test_a_head_that_drips_is_dropped(impatient: Served, first: bytes) -> None:
    connection = impatient.connect()
    connection.sendall(first)
    took, _ = gone_after(connection, drip=b"x")
    assert took < 5


def test_a_second_head_that_drips_is_dropped_too(impatient: Served) -> None:
    connection = impatient.connect()
    connection.sendall(b"GET /api/about HTTP/1.1\r\nHost: localhost\r\n\r\n")
    read_until(connection, b"}\n")
    connection.sendall(b"GET / HTTP/1.1\r\n")
    took, _ = gone_after(connection, drip=b"x")
    assert took < 5


def test_a_body_that_drips_is_refused(impatient: Served) -> None:
    connection = impatient.connect()
    connection.sendall(raw_request("/api/turn", TURN)[:-20])
    took, said = gone_after(connection, drip=b" ")
    assert took < 5
    assert said.startswith(b"HTTP/1.1 408 ")


def test_a_body_that_nobody_reads_is_not_waited_for(impatient: Served) -> None:
    connection = impatient.connect()
    connection.sendall(b"GET /api/about HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
    took, said = gone_after(connection, drip=b"x")
    assert took < 5
    assert said.startswith(b"HTTP/1.1 200 ")


def send_on(connection: socket.socket, request: bytes) -> None:
    """Send a request and then, for half a minute, what is none."""
    connection.sendall(request)
    for _ in range(300):
        connection.send(b"\r\n")
        time.sleep(0.1)


def test_a_client_that_does_not_read_is_dropped(impatient: Served) -> None:
    page = Path(wts.__file__).parent / "serve" / "static"
    file = max(page.glob("*.js"), key=lambda path: path.stat().st_size)
    times = (24 << 20) // file.stat().st_size  # more than the system takes over for the server
    request = f"GET /static/{file.name} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(30)
        connection.connect(("127.0.0.1", impatient.port))
        with pytest.raises(ConnectionError):
            send_on(connection, times * request)
    assert impatient.alive()


def test_a_slow_client_holds_up_nobody_else(impatient: Served) -> None:
    connections = [impatient.connect() for _ in range(100)]
    for connection in connections:
        connection.sendall(b"POST /api/turn HTTP/1.1\r\nHost: localhost\r\n")
    begun = time.monotonic()
    assert impatient.post("api/turn", TURN).status_code == 200
    assert time.monotonic() - begun < 2
    for connection in connections:
        connection.close()


# ---------------------------------------------------------------- beginning and end


def end(running: Served) -> tuple[float, int]:
    begun = time.perf_counter()
    running.process.send_signal(signal.SIGINT)
    status = running.process.wait(timeout=30)
    return time.perf_counter() - begun, status


@pytest.mark.parametrize("searching", [False, True])
def test_ctrl_c_ends_at_once(searching: bool) -> None:
    took = []
    for _ in range(3):
        with served() as running:
            wait_until_warm(running)
            searches = [begin_search(running) for _ in range(4 * searching)]
            for search in searches[:2]:
                read_until(search, b'"value"')
            seconds, status = end(running)
            took.append(seconds)
            for search in searches:
                search.close()
        assert status == 130
        if took[-1] < 0.3:
            return
    pytest.fail(f"took {took} s")


def test_ctrl_c_ends_while_code_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    with served() as running:
        search = begin_search(running)
        time.sleep(2)
        with running.client() as own:
            assert own.get("api/about").json()["warm"] is False
        seconds, status = end(running)
        search.close()
    assert status == 130
    assert seconds < 3


def test_sigterm_ends_it(server: Served) -> None:
    with served() as running:
        running.process.terminate()
        assert running.process.wait(timeout=30) == -signal.SIGTERM


def test_a_search_that_is_cut_off_still_gets_its_last_line() -> None:
    for _ in range(3):  # it has a moment for that, which a busy machine may not have
        with served() as running:
            wait_until_warm(running)
            with begin_search(running) as search:
                read_until(search, b'"value"')
                running.process.send_signal(signal.SIGINT)
                told = b""
                with contextlib.suppress(ConnectionError):
                    while part := search.recv(65536):
                        told += part
        if b'"final":true' in told:
            return
    pytest.fail(f"told {told!r}")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--port", "65536"], "65536"),
        (["--port", "-1"], "-1"),
        (["--host", "no.such.host.invalid"], "no.such.host.invalid"),
        (["--host", "a" * 300], "aaa"),
        (["--host", ""], "host"),
        (["--allow", "a b"], "allow"),
    ],
)
def test_what_cannot_be_served_is_told_in_one_line(arguments: list[str], word: str) -> None:
    command = [sys.executable, "-m", "wts_fast", "serve", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert (done.stdout, done.stderr.count("\n")) == ("", 1), done.stderr
    assert word in done.stderr


def test_a_port_that_is_taken_is_told(server: Served) -> None:
    command = [sys.executable, "-m", "wts_fast", "serve", "--port", str(server.port)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert str(server.port) in done.stderr


def test_whoever_lets_others_in_is_told() -> None:
    command = [sys.executable, "-m", "wts_fast", "serve", "--host", "0.0.0.0", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        assert "Everybody" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130


def test_a_reader_that_has_gone_ends_it_quietly() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "wts_fast", "serve", "--port", "0"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_it_listens_on_this_machine_only(server: Served) -> None:
    assert server.url.startswith("http://127.0.0.1:")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing; tells by which address this machine would
        own = probe.getsockname()[0]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((own, server.port), timeout=2).close()


def test_nothing_went_wrong_in_all_this(server: Served, impatient: Served) -> None:
    """The fixtures look at what the servers complained of when they end; here they are still alive."""
    assert server.alive()
    assert impatient.alive()
    assert threading.active_count() < 60
