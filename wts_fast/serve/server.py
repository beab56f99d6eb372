"""Binding, time limits for slow clients, and an end without delay."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .app import Board
from .guard import MOST_HEAD, Names

__all__ = ["address", "bind", "serve"]

#: For the head of a request to arrive once it has begun (or the connection has), for a client to take the next part
#: of an answer, and for a connection that nobody uses.
HEAD_SECONDS, STALL_SECONDS, IDLE_SECONDS = 10.0, 20.0, 60
MOST_CONNECTIONS = 256


class Protocol(H11Protocol):
    """A connection that is dropped where its client sends or reads too slowly."""

    _head: asyncio.TimerHandle | None = None
    _stall: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        if len(self.connections) > 2 * MOST_CONNECTIONS:
            transport.abort()
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        for timer in (self._head, self._stall):
            _cancel(timer)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        if self._at_rest() and self._head is None:
            self._await_head()
        super().data_received(data)
        if not self._at_rest():
            _cancel(self._head)
            self._head = None

    def on_response_complete(self) -> None:
        """Let the last bytes leave, or wait for the next request."""
        if self.transport.is_closing():  # which lasts until the client has read what is left
            _cancel(self._stall)
            self._stall = self.loop.call_later(STALL_SECONDS, self.transport.abort)
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Begin to wait for a client that does not read."""
        super().pause_writing()
        _cancel(self._stall)
        self._stall = self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop waiting for it."""
        super().resume_writing()
        _cancel(self._stall)

    def _at_rest(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _await_head(self) -> None:
        self._head = self.loop.call_later(HEAD_SECONDS, self.transport.abort)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


class Server(uvicorn.Server):
    """A server that ends at once: searches are told to stop, and no connection is waited for."""

    def __init__(self, config: uvicorn.Config, board: Board, ready: Callable[[], object]) -> None:
        super().__init__(config)
        self._board = board
        self._ready = ready
        self._leave: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        self._loop, self._leave = asyncio.get_running_loop(), asyncio.Event()
        await super().startup(sockets)
        self._ready()
        self._warm = asyncio.ensure_future(self._board.warm_up())

    async def main_loop(self) -> None:
        """Go on until told to leave."""
        assert self._leave is not None
        counter = 0
        while not await self.on_tick(counter):
            counter = (counter + 1) % 864000
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._leave.wait(), 0.1)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take a signal."""
        super().handle_exit(sig, frame)
        if self._loop is not None and self._leave is not None:
            self._loop.call_soon_threadsafe(self._leave.set)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close everything; answers on their way get a moment."""
        self._board.end()
        for server in self.servers:
            server.close()
        # A search that has been told to stop gives its last line; then all connections end, and with them all answers.
        await self._tasks(0.1)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await self._tasks(0.02)
        logging.getLogger("uvicorn.error").disabled = True  # what is cancelled now is no news

    async def _tasks(self, seconds: float) -> None:
        tasks = set(self.server_state.tasks)
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)


def bind(host: str, port: int) -> socket.socket:
    """Return a socket bound to an address; port 0 takes any that is free.

    Raises
    ------
    OSError
        If it cannot be had.
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no name of a host"
        raise OSError(0, reason, host or "--host") from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(256)
    except OSError as error:
        listener.close()
        raise OSError(error.errno, error.strerror, f"{host} port {port}") from None
    return listener


def address(host: str, listener: socket.socket) -> str:
    """Return the address at which a browser finds the page."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)
    return f"http://{f'[{name}]' if ':' in name else name}:{listener.getsockname()[1]}/"


def serve(listener: socket.socket, names: Names, ready: Callable[[], object]) -> None:
    """Serve until a signal ends it.

    Parameters
    ----------
    listener : socket
        Bound and listening.
    names : Names
        By which the server may be called.
    ready : callable
        Called once requests are answered.
    """
    board = Board(names)
    settings: dict[str, Any] = {
        "http": Protocol,
        "ws": "none",
        "loop": "asyncio",
        "lifespan": "off",
        "interface": "asgi3",
        "log_config": None,
        "log_level": logging.ERROR,
        "access_log": False,
        "proxy_headers": False,
        "server_header": False,
        "h11_max_incomplete_event_size": MOST_HEAD,
        "limit_concurrency": MOST_CONNECTIONS,
        "timeout_keep_alive": IDLE_SECONDS,
    }
    server = Server(uvicorn.Config(board.app, **settings), board, ready)
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
