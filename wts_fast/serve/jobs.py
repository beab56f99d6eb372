"""Work that takes long: in threads beside the event loop, a few at once, ended when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..errors import WtsError

__all__ = ["FAULT", "Answer", "Busy", "Place", "Slots", "Stream", "Threads", "error_data", "finish", "line"]

#: What a client is told where this program is wrong.
FAULT = {"error": {"code": "fault", "field": None, "reason": "a fault of the server; its terminal shows more"}}

T = TypeVar("T")
Report = Callable[[dict[str, Any]], None]
Work = Callable[[Report, Callable[[], bool]], dict[str, Any]]


class Busy(WtsError):
    """All places are taken, and the queue for them is full."""

    def __init__(self) -> None:
        super().__init__("too much is being searched; try again soon", code="busy")


def line(data: dict[str, Any]) -> bytes:
    """Return strict JSON on one line."""
    return json.dumps(data, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def error_data(error: WtsError) -> dict[str, Any]:
    """Return an error as the interface tells it."""
    data: dict[str, Any] = {"code": error.code, "field": error.field, "reason": error.reason}
    for name in ("line", "column", "turn"):
        value = getattr(error, name, None)
        if value is not None:
            data[name] = value
    return {"error": data}


class Slots:
    """A number of places, and a queue of limited length for them.

    Parameters
    ----------
    places, queue : int
        How many may work at once, and how many may wait.
    """

    def __init__(self, places: int, queue: int) -> None:
        self._free = places
        self._most = queue
        self._queue: deque[Place] = deque()

    def ask(self, wake: Callable[[], object]) -> Place:
        """Return a place, taken or in the queue; `wake` is called when it has come nearer.

        Raises
        ------
        Busy
            If the queue is full.
        """
        if not self._free and len(self._queue) >= self._most:
            raise Busy
        place = Place(self, wake)
        self._queue.append(place)
        self._serve()
        return place

    def ahead(self, place: Place) -> int:
        """Return how many wait before a place that waits."""
        return self._queue.index(place)

    def leave(self, place: Place) -> None:
        """Give a place back, or leave the queue."""
        if place.taken:
            self._free += 1
        elif place in self._queue:
            self._queue.remove(place)
        self._serve()

    def _serve(self) -> None:
        while self._free and self._queue:
            self._free -= 1
            first = self._queue.popleft()
            first.taken = True
            first.wake()
        for place in self._queue:
            place.wake()


class Place:
    """One place of `Slots`: in the queue until it is `taken`."""

    def __init__(self, slots: Slots, wake: Callable[[], object]) -> None:
        self._slots = slots
        self._left = False
        self.wake = wake
        self.taken = False

    @property
    def ahead(self) -> int:
        """How many wait before it."""
        return self._slots.ahead(self)

    def leave(self) -> None:
        """Give it back; a second time does nothing."""
        if not self._left:
            self._left = True
            self._slots.leave(self)


class Threads:
    """Runs functions in threads that do not keep the process alive."""

    def __init__(self) -> None:
        self.ending = threading.Event()

    def run(self, function: Callable[[], T]) -> asyncio.Future[T]:
        """Start a function and return the future of its result, which can be left alone."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def finish(result: T | None, error: Exception | None) -> None:
            if future.cancelled():
                return
            if error is None:
                future.set_result(result)  # type: ignore[arg-type]
            else:
                future.set_exception(error)

        def body() -> None:
            result, failure = None, None
            try:
                result = function()
            except Exception as error:
                failure = error
            try:
                loop.call_soon_threadsafe(finish, result, failure)
            except RuntimeError:  # the loop has ended, and with it everybody who waited
                return

        threading.Thread(target=body, name="wts-serve", daemon=True).start()
        return future


class Answer(Response):
    """A response of strict JSON, ASCII only: half a character that came in goes out escaped."""

    media_type = "application/json"

    def __init__(self, data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(line(data), status, headers)


async def finish(request: Request, threads: Threads, slots: Slots, work: Callable[[Callable[[], bool]], T]) -> T:
    """Return what ``work(should_stop)`` gives, once there is a place for it.

    Raises
    ------
    Busy
        If the queue for a place is full.
    ClientDisconnect
        If the client has gone; the work is told to stop.
    """
    news, stop = asyncio.Event(), threading.Event()
    place = slots.ask(news.set)
    gone = asyncio.ensure_future(_until_gone(request.receive))
    gone.add_done_callback(lambda _: news.set())
    done: asyncio.Future[T] | None = None

    def leave(_: object) -> None:
        place.leave()
        news.set()

    try:
        while not gone.done():
            if done is None and place.taken:
                done = threads.run(lambda: work(lambda: stop.is_set() or threads.ending.is_set()))
                done.add_done_callback(leave)
            if done is not None and done.done():
                return done.result()
            await news.wait()
            news.clear()
        raise ClientDisconnect
    finally:
        stop.set()
        gone.cancel()
        if done is None:
            place.leave()


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Stream:
    """A response of JSON lines from work that goes on: `ASGI` application of one request.

    Parameters
    ----------
    threads : Threads
        Where the work is done.
    slots : Slots
        Its places; while there is none, lines say how many wait before it.
    work : callable
        ``work(report, should_stop)`` returns the last line and may report others; where the client reads too
        slowly, only the newest of those is kept. `should_stop` tells it when the client has gone.

    Raises
    ------
    Busy
        If the queue for a place is full.
    """

    def __init__(self, threads: Threads, slots: Slots, work: Work) -> None:
        self._threads = threads
        self._work = work
        self._news = asyncio.Event()
        self._newest: bytes | None = None
        self._gone = False
        self._stop = threading.Event()
        self._loop = asyncio.get_running_loop()
        self._place = slots.ask(self._news.set)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        headers = [(b"content-type", b"application/x-ndjson"), (b"cache-control", b"no-store")]
        watch = asyncio.ensure_future(self._watch(receive))
        done: asyncio.Future[bytes] | None = None

        async def write(data: bytes, more: bool = True) -> None:
            await send({"type": "http.response.body", "body": data, "more_body": more})

        try:
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            told = -1
            while not self._gone and not self._place.taken:
                ahead = self._place.ahead
                if ahead != told:
                    told = ahead
                    await write(line({"queued": ahead + 1}))
                else:
                    await self._wait()
            if self._gone:
                return
            if self._threads.ending.is_set():
                await write(b"", more=False)
                return
            done = self._threads.run(self._run)
            done.add_done_callback(self._leave)
            while not self._gone and not done.done():
                if self._newest is not None:
                    newest, self._newest = self._newest, None
                    await write(newest)
                else:
                    await self._wait()
            if not self._gone:
                await write(done.result(), more=False)
        finally:
            self._stop.set()
            watch.cancel()
            if done is None:
                self._place.leave()

    def _leave(self, _: object) -> None:
        self._place.leave()
        self._news.set()

    async def _wait(self) -> None:
        await self._news.wait()
        self._news.clear()

    async def _watch(self, receive: Receive) -> None:
        await _until_gone(receive)
        self._gone = True
        self._news.set()

    def _should_stop(self) -> bool:
        return self._stop.is_set() or self._threads.ending.is_set()

    def _run(self) -> bytes:
        loop = self._loop

        def put(data: bytes) -> None:
            self._newest = data
            self._news.set()

        def report(data: dict[str, Any]) -> None:
            if not self._should_stop():
                loop.call_soon_threadsafe(put, line(data))

        try:
            return line(self._work(report, self._should_stop))
        except WtsError as error:
            return line({**error_data(error), "final": True})
        except Exception:
            logging.getLogger(__name__).exception("a search failed")
            return line({**FAULT, "final": True})
