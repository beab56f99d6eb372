"""A server in a process of its own, as users run it, for the tests of the interface and of the page."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import httpx


@dataclass
class Served:
    """A running server."""

    url: str
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        return int(self.url.rstrip("/").rpartition(":")[2])

    def client(self, **options: Any) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=60, trust_env=False, **options)

    def post(self, path: str, data: Any) -> httpx.Response:
        with self.client() as client:
            return client.post(path, json=data)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def resident(self) -> int:
        """The memory that it holds, in mebibytes."""
        done = subprocess.run(["ps", "-o", "rss=", "-p", str(self.process.pid)], capture_output=True, text=True)
        return int(done.stdout) // 1024

    def alive(self) -> bool:
        return self.process.poll() is None


@contextlib.contextmanager
def served(*arguments: str, before: str = "") -> Iterator[Served]:
    """Run ``wts-fast serve --port 0``; `before` is a statement that changes limits in the modules app and server."""
    program = (
        f"import sys; import wts_fast.serve.app as app, wts_fast.serve.server as server; {before or 'pass'}\n"
        "from wts_fast.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, "serve", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONSAFEPATH": "1"},
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://"), process.communicate(timeout=30)
        yield Served(url, process)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=30)
        assert complaints == ""  # a fault of the server shows there
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate(timeout=30)


def wait_until_warm(server: Served) -> None:
    """Wait until the compiled code is there."""
    with server.client() as client:
        deadline = time.monotonic() + 600  # where nothing is compiled yet, on a machine that has other things to do
        while not client.get("api/about").json()["warm"]:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def strict(text: str | bytes) -> Any:
    def refuse(name: str) -> NoReturn:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def post(client: httpx.Client, path: str, data: Any) -> Any:
    answer = client.post(path, json=data)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    return strict(answer.content)


def lines(client: httpx.Client, path: str, data: Any) -> list[Any]:
    with client.stream("POST", path, json=data) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"] == "application/x-ndjson"
        return [strict(text) for text in answer.iter_lines()]


def raw_request(path: str, data: Any) -> bytes:
    body = json.dumps(data).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


def begin_search(server: Served) -> socket.socket:
    connection = server.connect()
    connection.sendall(raw_request("/api/analyze", {"position": "start", "seconds": 60}))
    return connection


def read_until(connection: socket.socket, word: bytes) -> bytes:
    data = b""
    while word not in data:
        part = connection.recv(65536)
        assert part, data
        data += part
    return data


def refusal(answer: httpx.Response, status: int) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    data = strict(answer.content)
    assert set(data) == {"error"}
    assert {"code", "field", "reason"} <= set(data["error"])
    error: dict[str, Any] = data["error"]
    return error
