"""The engine itself: a thread that reads, one that searches and one that writes, and one that looks after them.

Reading never waits for a search, so that `stop` is heard at once; only the searcher gives final answers, and it gives
one for each task that was queued.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import select
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .. import __version__, methods
from .._kernel import build_info
from ..errors import ParseError, WtsError
from ..limits import processors
from .lines import Splitter, read_json
from .queries import Query, Task, read_query
from .schema import MOST_LINE, MOST_MOVES, MOST_QUEUED, PROTOCOL, check

if TYPE_CHECKING:
    from ..analysis import Analysis

__all__ = ["Engine"]

#: Bytes of answers that may wait for a reader: more, and no more is read or searched until he has caught up.
_MOST_WAITING = 64 << 20

#: With so many waiting, reports of progress are left out.
_BUSY = 1 << 20

#: How often to look whether there is still a reader, in seconds.
_LOOK = 0.2

#: What searches and answers get after Ctrl-C, together.
_FAREWELL = 0.15


class Engine:
    """Answers queries.

    Parameters
    ----------
    source, sink : int
        File descriptors to read queries from and to write answers to.
    quit_on_eof : bool
        Whether the end of the input stops what is queued, instead of having it finished.
    """

    def __init__(self, source: int, sink: int, *, quit_on_eof: bool = False) -> None:
        self._source = source
        self._quit_on_eof = quit_on_eof
        self._writer = _Writer(sink)
        self._queue: deque[Task] = deque()
        self._queries: dict[tuple[type, str | int], Query] = {}
        self._waiting = 0  # turns without a final answer
        self._changed = threading.Condition()  # guards the three above and the one below
        self._ended = False  # nothing more will be queued
        self._failure: BaseException | None = None
        self._finished = threading.Event()
        self._line = 0

    def run(self) -> bool:
        """Answer until the input ends and all is answered.

        Returns
        -------
        bool
            False if nobody reads the answers any more.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C. All that was queued has its final answer then, if somebody reads them in time.
        """
        try:
            for work in (self._read, self._search, self._writer.run):
                threading.Thread(target=work, name=f"wts-engine-{work.__name__}", daemon=True).start()
            for stage in (self._finished, self._writer.finished):
                while not stage.wait(_LOOK):
                    self._writer.look()
                    if self._writer.broken:
                        self._end()
                        return False
                self._writer.finish()
            if self._failure is not None:
                raise self._failure
            return not self._writer.broken
        except KeyboardInterrupt:
            self._end()
            until = time.monotonic() + _FAREWELL
            if self._finished.wait(_FAREWELL):
                self._writer.finish()
                self._writer.finished.wait(max(0.0, until - time.monotonic()))
            raise

    # --- reading

    def _read(self) -> None:
        splitter = Splitter(MOST_LINE)
        try:
            while not self._ended:
                data = _patiently(os.read, self._source, 1 << 16)
                for line in splitter.feed(data) if data else splitter.end():
                    self._take(line)
                if not data:
                    break
                self._writer.wait_for_room()
        except BaseException as error:
            self._failure = error
        finally:
            self._end(stop=self._quit_on_eof or self._failure is not None)

    def _take(self, line: bytes | None) -> None:
        """Do what a line asks, or say why not."""
        self._line += 1
        if line is not None and not line.strip():
            return
        identity: object = None
        try:
            if line is None:
                raise WtsError(f"longer than {MOST_LINE} bytes", code="line-length", field="line")
            data = read_json(line)
            identity = _identity(data)
            action = check(data)
            if action == "analyze":
                self._queue_up(read_query(data))
            else:
                self._writer.put(
                    {**({"id": data["id"]} if "id" in data else {}), "action": action} | self._do(action, data)
                )
        except (WtsError, MemoryError) as error:
            refusal = error if isinstance(error, WtsError) else WtsError("not enough memory", code="memory")
            self._writer.put({"id": identity, "line": self._line, "error": _error(refusal)})

    def _queue_up(self, query: Query) -> None:
        with self._changed:
            if _key(query.id) in self._queries:
                raise WtsError("a query of that id is not answered yet", code="id-in-use", field="id")
            if self._waiting + query.left > MOST_QUEUED:
                raise WtsError(f"more than {MOST_QUEUED} turns would wait", code="queue-full", field="turns")
            self._queries[_key(query.id)] = query
            self._waiting += query.left
            self._queue.extend(query.tasks)
            self._changed.notify_all()

    def _do(self, action: str, data: dict[str, Any]) -> dict[str, Any]:
        """Do something at once; return the answer but for its first fields."""
        if action == "stop":
            with self._changed:
                query = self._queries.get(_key(data["id"]))
                if query is not None:
                    query.stopped = True
                return {"stopped": 0 if query is None else query.left}
        if action == "stop_all":
            return {"stopped": self._stop_all()}
        if action == "version":
            return {"version": __version__, "protocol": PROTOCOL}
        return self._info()

    def _stop_all(self) -> int:
        with self._changed:
            for query in self._queries.values():
                query.stopped = True
            return self._waiting

    def _end(self, stop: bool = True) -> None:
        """Take no more queries; stop those that are there, or have them finished."""
        with self._changed:
            self._ended = True
            if stop:
                self._stop_all()
            self._changed.notify_all()

    def _info(self) -> dict[str, Any]:
        return {
            "version": __version__,
            "protocol": PROTOCOL,
            "python": platform.python_version(),
            "platform": platform.platform(),
            "kernel": build_info(),
            "methods": [
                {"name": m.name, "about": m.about, "options": list(m.options), "limited": m.limited}
                for m in methods.METHODS.values()
            ],
            "limits": {"line": MOST_LINE, "moves": MOST_MOVES, "queued": MOST_QUEUED, "processors": processors()},
            "waiting": self._waiting,
        }

    # --- searching

    def _search(self) -> None:
        try:
            while (task := self._next()) is not None:
                answer = self._answer(task)
                # First the books, then the answer: who has read it may use the id again.
                with self._changed:
                    self._waiting -= 1
                    task.query.left -= 1
                    if task.query.left == 0:
                        del self._queries[_key(task.query.id)]
                self._writer.put(answer)
                self._writer.wait_for_room()
        except BaseException as error:
            self._failure = error
        finally:
            self._finished.set()

    def _next(self) -> Task | None:
        with self._changed:
            while not self._queue:
                if self._ended:
                    return None
                self._changed.wait()
            return self._queue.popleft()

    def _answer(self, task: Task) -> dict[str, Any]:
        """Search, and return the final answer."""
        query = task.query
        try:
            return _reply(task, self._analyze(task), final=True)
        except WtsError as error:
            failure = error
        except MemoryError:
            failure = WtsError("not enough memory", code="memory", field="memory")
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            failure = WtsError(f"{type(error).__name__}: {error}"[:500], code="internal")
        return {"id": query.id, "turn": task.turn, "final": True, "error": _error(failure)}

    def _analyze(self, task: Task) -> Analysis:
        from ..analysis import analyze

        query = task.query
        arguments = dict(query.arguments)
        if query.stopped:
            arguments["nodes"] = 0
        elif query.reports:
            arguments["on_progress"] = lambda found: self._report(task, found)
        found = analyze(
            task.position, only=task.only, should_stop=lambda: query.stopped or self._writer.broken, **arguments
        )
        stopped = query.stopped and found.stopped_by == "nodes" and found.nodes == 0
        return replace(found, stopped_by="interrupt") if stopped else found

    def _report(self, task: Task, found: Analysis) -> None:
        if self._writer.waiting < _BUSY:
            self._writer.put(_reply(task, found, final=False))


class _Writer:
    """Writes answers in the order in which they come, each at once, whatever the reader does."""

    def __init__(self, sink: int) -> None:
        self._sink = sink
        self._lines: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self.waiting = 0  # bytes
        self.broken = False
        self.finished = threading.Event()

    def put(self, answer: dict[str, Any]) -> None:
        line = json.dumps(answer, allow_nan=False).encode("ascii") + b"\n"
        with self._changed:
            self._lines.append(line)
            self.waiting += len(line)
            self._changed.notify_all()

    def wait_for_room(self) -> None:
        """Wait until the reader has caught up."""
        if self.waiting > _MOST_WAITING:
            with self._changed:
                self._changed.wait_for(lambda: self.broken or self.waiting <= _MOST_WAITING)

    def finish(self) -> None:
        with self._changed:
            self._closing = True
            self._changed.notify_all()

    def look(self) -> None:
        """See whether there is still a reader: one that has gone is otherwise noticed with the next answer only."""
        poll = select.poll()
        poll.register(self._sink, 0)
        # Errors are told unasked. That of a pipe whose reader has gone is POLLERR; a terminal hangs up.
        if poll.poll(0):
            self._break()

    def _break(self) -> None:
        with self._changed:
            self.broken = True
            self._lines.clear()
            self.waiting = 0
            self._changed.notify_all()

    def run(self) -> None:
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._lines or self._closing or self.broken)
                    if self.broken or not self._lines:
                        return
                    data = b"".join(self._lines)
                    self._lines.clear()
                left = memoryview(data)
                while left:
                    left = left[_patiently(os.write, self._sink, left) :]
                with self._changed:
                    self.waiting -= len(data)
                    self._changed.notify_all()
        except OSError:
            self._break()
        finally:
            self.finished.set()


def _patiently(call: Callable[..., Any], descriptor: int, argument: object) -> Any:
    """Read or write, also where another process has made the descriptor one that does not wait."""
    while True:
        try:
            return call(descriptor, argument)
        except BlockingIOError:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN if call is os.read else select.POLLOUT)
            poll.poll()


def _key(identity: str | int) -> tuple[type, str | int]:
    return type(identity), identity


def _identity(data: object) -> object:
    """Return the id of a query in which something else may be wrong, if it is one."""
    from .schema import Identity

    identity = data.get("id") if isinstance(data, dict) else None
    with contextlib.suppress(WtsError):
        Identity().check(identity, "id")
        return identity
    return None


def _error(error: WtsError) -> dict[str, Any]:
    column = error.column if isinstance(error, ParseError) else None
    return {"code": error.code, "field": error.field, "column": column, "reason": error.reason}


def _reply(task: Task, found: Analysis, *, final: bool) -> dict[str, Any]:
    outcome = task.position.outcome
    return {
        "id": task.query.id,
        "turn": task.turn,
        "final": final,
        "outcome": None if outcome is None else outcome.name.lower(),
        **found.to_dict(),
    }
