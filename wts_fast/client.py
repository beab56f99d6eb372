"""`EngineClient`: analyses by an engine in a process of its own, which can be stopped, lost or killed without harm."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, Unpack

from .errors import EngineClosed, LimitError, ParseError, WtsError
from .limits import real
from .protocol.lines import Splitter, read_json
from .protocol.schema import PROTOCOL
from .squares import Colour, Square, parse_square, square_name

if TYPE_CHECKING:
    from ._kernel import Position
    from .analysis import Analysis
    from .game import Game
    from .record import Record

__all__ = ["EngineClient", "Settings", "Stream"]

#: A longer line is no answer.
_MOST_LINE = 16 << 20

_OPTIONS = ("leaf", "weights", "final", "exploration", "learners")
_NAMES = {"memory_mb": "memory", "report_every": "reportEvery"}


class Settings(TypedDict, total=False):
    """What a query can say of the search; all as for `analyze`.

    ``avoid`` is the counterpart of ``only``: squares that a player may not choose this turn.
    """

    seconds: float | None
    nodes: int | None
    seed: int | None
    method: str
    threads: int
    memory_mb: int
    leaf: Literal["playouts", "evaluation"] | None
    weights: Literal["fitted", "hand"] | None
    final: Literal["average", "root-matrix"] | None
    exploration: float | None
    learners: int | None
    only: Mapping[Colour, Iterable[Square | str]] | None
    avoid: Mapping[Colour, Iterable[Square | str]] | None


class EngineClient:
    """An engine in another process, and what is asked of it.

    Queries are answered one after another; several threads may ask at once. It belongs to the process that made it.

    Parameters
    ----------
    command : sequence of str, optional
        The program and its arguments; ``wts-fast engine`` of this installation if left out.
    patience : float
        Seconds after which an engine that does not react at all is given up. One that searches does react, however
        long it takes.

    Attributes
    ----------
    version : str
        The engine's.

    Raises
    ------
    EngineClosed
        From here and from every method: if the engine cannot be started, has ended, does not react, or says what is no
        answer. What was asked is lost then, and the client is of no more use.

    Examples
    --------
    >>> import wts_fast as wts
    >>> with wts.EngineClient() as engine:
    ...     found = engine.analyze(wts.Position(), nodes=100)
    >>> found.nodes, found.stopped_by
    (100, 'nodes')
    """

    def __init__(self, command: Sequence[str] | None = None, *, patience: float = 30.0) -> None:
        self._patience = real(patience, "patience", 0.1, 3600.0)
        words = [sys.executable, "-m", "wts_fast", "engine"]
        if command is not None:
            if not isinstance(command, (list, tuple)) or not all(isinstance(word, str) for word in command):
                raise WtsError("expected the words of a command, as a list", code="command", field="command")
            words = list(command)
        self._owner = os.getpid()
        self._ids = itertools.count(1)
        self._changed = threading.Condition()  # guards all but the pipe for queries
        self._sending = threading.Lock()  # guards that one
        self._asked: dict[int, _Asked] = {}
        self._failure: EngineClosed | None = None
        self._pinged: float | None = None  # when, if there was no answer since
        self._reacted = time.monotonic()
        self._greeting: dict[str, Any] = {}
        self._closed = False
        try:
            # A session of its own: Ctrl-C at the terminal is for the program that asks.
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
            )
        except (OSError, ValueError, IndexError) as error:
            reason = getattr(error, "strerror", None) or error
            raise EngineClosed(f"the engine cannot be started: {reason}", code="engine-start") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._pipe = self._process.stdin.fileno()
        os.set_blocking(self._pipe, False)
        source = self._process.stdout.fileno()
        self._listener = threading.Thread(target=self._listen, args=(source,), name="wts-engine-client", daemon=True)
        try:
            self._listener.start()
            self._ping()
            self._wait(lambda: self._greeting, None)
            if self._greeting.get("protocol") != PROTOCOL:
                self._fail(f"the engine does not speak protocol {PROTOCOL}", "engine-protocol")
                self._check()
        except BaseException:
            self.close()
            raise
        self.version = str(self._greeting.get("version"))

    # --- asking

    def analyze(
        self, position: Position | str, *, timeout: float | None = None, **settings: Unpack[Settings]
    ) -> Analysis:
        """Return the analysis of a position.

        Parameters
        ----------
        position : Position or str
            A position, or its text.
        timeout : float, optional
            Seconds to wait for the answer, the time for what was asked before included.
        **settings
            As for `analyze`; see `Settings`.

        Raises
        ------
        WtsError
            If the engine refuses the query; the field is the protocol's.
        LimitError
            If `timeout` is over (code ``timeout``). The search is stopped then.
        EngineClosed
            If the engine is lost.
        """
        with self._ask({"position": str(position)}, settings, 1) as asked:
            self._wait(lambda: asked.left == 0, timeout, asked)
            return asked.finals[0][1]()

    def analyze_game(
        self,
        game: Game | Record,
        *,
        turns: Sequence[int] | None = None,
        timeout: float | None = None,
        **settings: Unpack[Settings],
    ) -> tuple[Analysis, ...]:
        """Return the analyses of the positions of a game.

        Parameters
        ----------
        game : Game or Record
            Anything with a ``start`` and ``turns``.
        turns : sequence of int, optional
            Which positions: 0 is the start, 1 the position after the first turn. All of them if left out.
        timeout : float, optional
            Seconds to wait for all of them together.
        **settings
            For each turn; see `Settings`.

        Returns
        -------
        tuple of Analysis
            In the order of `turns`.

        Raises
        ------
        WtsError, LimitError, EngineClosed
            As `analyze`.
        """
        moves = [[square_name(black), square_name(white)] for black, white in game.turns]
        wanted = list(range(len(moves) + 1)) if turns is None else list(turns)
        data = {"start": str(game.start), "moves": moves, "turns": wanted}
        with self._ask(data, settings, len(wanted)) as asked:
            self._wait(lambda: asked.left == 0, timeout, asked)
            found = dict(asked.finals)
            if set(found) != set(wanted):
                self._fail("the engine answered other turns than those asked for", "engine-answer")
                self._check()
            return tuple(found[turn]() for turn in wanted)

    def stream(self, position: Position | str, *, report_every: float = 0.25, **settings: Unpack[Settings]) -> Stream:
        """Return the reports of a search as it goes on, to be iterated over; the last one is its answer.

        Parameters
        ----------
        position : Position or str
            A position, or its text.
        report_every : float
            Seconds from one report to the next, 0.01 to 3600. Who takes longer gets the newest.
        **settings
            As for `analyze`; see `Settings`.
        """
        data = {"position": str(position), "reportEvery": report_every}
        return Stream(self, self._ask(data, settings, 1))

    def stop(self) -> None:
        """Stop all searches of this client; those who wait for them get what was found.

        Raises
        ------
        EngineClosed
            If the engine is lost.
        """
        self._send({"action": "stop_all"})

    def close(self) -> None:
        """End the engine, within a few seconds; those who wait get an `EngineClosed`. A second call does nothing."""
        if self._owner != os.getpid():
            return
        with self._changed:
            if self._closed:
                return
            self._closed = True
        self._fail("the engine has been closed", "engine-closed")
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            os.write(self._pipe, b'\n{"action": "stop_all"}\n')
        # Who is sending gives up within a tenth of a second.
        with self._sending, contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._listener.ident is not None:
            # A grandchild may still hold the other end of the pipe; the listener is left to it then.
            self._listener.join(1.0)
        if not self._listener.is_alive():
            self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- sending and waiting

    def _ask(self, data: dict[str, Any], settings: Settings, turns: int) -> _Asked:
        self._check()
        given = {name: value for name, value in settings.items() if value is not None}
        for name in ("only", "avoid"):
            if name in given:
                given[name] = _names(name, given[name])
        options = {name: given.pop(name) for name in _OPTIONS if name in given}
        if options:
            data["options"] = options
        data |= {_NAMES.get(name, name): value for name, value in given.items()}
        asked = _Asked(self, next(self._ids), turns)
        with self._changed:
            self._asked[asked.id] = asked
        try:
            self._send({"id": asked.id, **data})
        except BaseException:
            with self._changed:
                self._asked.pop(asked.id, None)
            raise
        return asked

    def _send(self, data: dict[str, Any]) -> None:
        try:
            line = memoryview(json.dumps(data, allow_nan=False, default=_plain).encode() + b"\n")
        except (TypeError, ValueError) as error:
            raise WtsError(f"cannot be sent: {error}", code="type", field="query") from None
        until = time.monotonic() + self._patience
        self._check()
        with self._sending:
            try:
                while line:
                    self._check()
                    try:
                        line = line[os.write(self._pipe, line) :]
                    except BlockingIOError:
                        poll = select.poll()
                        poll.register(self._pipe, select.POLLOUT)
                        if not poll.poll(50) and time.monotonic() > until:
                            self._fail("the engine does not read what it is asked", "engine-mute")
            except WtsError:
                raise
            except OSError:
                self._fail(f"the engine has ended{self._status()}", "engine-ended")
                self._check()
            except BaseException:
                # A line that is there by half would spoil the next one.
                self._fail("a query was interrupted", "engine-closed")
                raise

    def _wait(self, ready: Callable[[], object], timeout: float | None, asked: _Asked | None = None) -> None:
        """Wait until something is so, the query is refused, time is over, or the engine is lost."""
        self._check_owner()
        limit = None if timeout is None else time.monotonic() + real(timeout, "timeout", 0.0, 31_536_000.0)
        while True:
            with self._changed:
                if asked is not None and asked.refusal is not None:
                    raise asked.refusal
                if ready():
                    return
                self._check()
                now = time.monotonic()
                if limit is not None and now >= limit:
                    raise LimitError("the engine has not answered in time", code="timeout", field="timeout")
                due = self._reacted + self._patience / 2 if self._pinged is None else self._pinged + self._patience
                if now < due:
                    self._changed.wait(min(due, limit if limit is not None else due) - now + 0.001)
                    continue
                mute = self._pinged is not None
                if not mute:
                    self._pinged = now
            if mute:
                self._fail("the engine does not react", "engine-mute")
            else:
                self._ping()

    def _ping(self) -> None:
        with self._changed:
            self._pinged = time.monotonic()
        self._send({"action": "version"})

    def _check_owner(self) -> None:
        # After a fork the threads are gone, and a lock may be held for ever.
        if self._owner != os.getpid():
            raise EngineClosed("the engine belongs to another process", code="engine-process")

    def _check(self) -> None:
        self._check_owner()
        if self._failure is not None:
            # Anew each time: several threads may get it.
            raise EngineClosed(self._failure.reason, code=self._failure.code)

    def _fail(self, reason: str, code: str) -> None:
        with self._changed:
            if self._failure is None:
                self._failure = EngineClosed(reason, code=code)
                if code != "engine-closed":
                    self._process.kill()
            self._changed.notify_all()

    def _status(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
        status = self._process.returncode
        return "" if status is None else f", status {status}"

    # --- listening

    def _listen(self, source: int) -> None:
        splitter = Splitter(_MOST_LINE)
        try:
            while data := os.read(source, 1 << 16):
                # What comes after a failure is read and dropped, so that the engine can end.
                for line in splitter.feed(data) if self._failure is None else ():
                    self._hear(line)
            self._fail(f"the engine has ended{self._status()}", "engine-ended")
        except (OSError, WtsError) as error:
            self._fail(f"the engine said what is no answer: {error}", "engine-answer")
        except Exception as error:
            self._fail(f"the engine could not be heard: {error!r}", "engine-answer")

    def _hear(self, line: bytes | None) -> None:
        if line is None:
            raise _no_answer("an endless line")
        reply = read_json(line)
        if not isinstance(reply, dict):
            raise _no_answer("no object")
        with self._changed:
            if "action" in reply:
                if reply["action"] == "version":
                    self._greeting = reply
                    self._pinged = None
                    self._reacted = time.monotonic()
            else:
                self._take(reply)
            self._changed.notify_all()

    def _take(self, reply: dict[str, Any]) -> None:
        identity, error, final = reply.get("id"), reply.get("error"), reply.get("final", True)
        asked = self._asked.get(identity) if type(identity) is int else None
        if asked is None:
            raise _no_answer("about what nobody asked", error)
        if error is not None:
            asked.refusal = _refusal(error)
        turn = reply.get("turn")
        if (type(turn) is not int and error is None) or not isinstance(final, bool):
            raise _no_answer("neither a report nor final")
        if final:
            # A query that is refused as a whole is answered with that.
            asked.left = asked.left - 1 if type(turn) is int else 0
            asked.newest = lambda: self._analysis(reply)
            asked.finals.append((turn or 0, asked.newest))
            if asked.left == 0:
                del self._asked[asked.id]
        else:
            asked.report = asked.newest = lambda: self._analysis(reply)

    def _analysis(self, reply: dict[str, Any]) -> Analysis:
        try:
            return _analysis(reply)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self._fail(f"the engine said what is no analysis: {error!r}"[:300], "engine-answer")
            self._check()
            raise


class _Asked:
    """A query, and what has been heard of it."""

    def __init__(self, client: EngineClient, identity: int, turns: int) -> None:
        self.client = client
        self.id = identity
        self.left = turns
        self.finals: list[tuple[int, Callable[[], Analysis]]] = []
        self.report: Callable[[], Analysis] | None = None  # the newest, not fetched yet
        self.newest: Callable[[], Analysis] | None = None  # or the answer, fetched or not
        self.refusal: WtsError | None = None

    def stop(self) -> None:
        if self.left > 0:
            self.client._send({"action": "stop", "id": self.id})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *rest: object) -> None:
        # Left before the end: its answers are still taken, so that they surprise nobody, and dropped.
        with contextlib.suppress(WtsError):
            self.stop()


class Stream(Iterator["Analysis"]):
    """The reports of a search, the newest first of those not seen yet; the last one is the answer.

    Ends by itself, or with `stop` after one more. To leave a loop over it early, use it in a ``with`` block, or
    `close` it: the search would go on otherwise.
    """

    def __init__(self, client: EngineClient, asked: _Asked) -> None:
        self._client = client
        self._asked = asked
        self._over = False

    def __next__(self) -> Analysis:
        if self._over:
            raise StopIteration
        asked = self._asked
        try:
            self._client._wait(lambda: asked.left == 0 or asked.report is not None, None, asked)
        except BaseException:
            self.close()
            raise
        with self._client._changed:
            if asked.left == 0:
                self._over = True
                found = asked.finals[0][1]
            else:
                assert asked.report is not None
                found, asked.report = asked.report, None
        return found()

    def latest(self) -> Analysis | None:
        """Return the newest report, or the answer, without waiting; None before the first."""
        self._client._check()
        with self._client._changed:
            if self._asked.refusal is not None:
                raise self._asked.refusal
            newest = self._asked.newest
        return None if newest is None else newest()

    def stop(self) -> None:
        """Stop the search; what it has found is the next and last report."""
        self._asked.stop()

    def close(self) -> None:
        """Stop the search, and give no more reports."""
        self._over = True
        self._asked.__exit__()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *rest: object) -> None:
        self.close()


def _names(field: str, given: Any) -> dict[str, list[str]]:
    if not isinstance(given, Mapping):
        raise WtsError("expected squares by 'black' and 'white'", code="type", field=field)
    found = {}
    for colour, squares in given.items():
        if isinstance(squares, (str, bytes)) or not isinstance(squares, Iterable):
            raise WtsError("expected squares", code="type", field=f"{field}.{colour}")
        found[colour] = [square_name(parse_square(square, f"{field}.{colour}")) for square in squares]
    return found


def _plain(value: Any) -> Any:
    """Return a number of numpy's as one of Python's."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return value.item()
    raise TypeError(f"{type(value).__name__} is no value of JSON")


def _no_answer(reason: str, error: object = None) -> WtsError:
    more = f" ({json.dumps(error)[:200]})" if error is not None else ""
    return WtsError(reason + more, code="engine-answer")


def _refusal(error: object) -> WtsError:
    if not isinstance(error, dict):
        raise _no_answer("an error without a reason")
    reason, code, field, column = (error.get(name) for name in ("reason", "code", "field", "column"))
    name = field if isinstance(field, str) else None
    if isinstance(column, int):
        return ParseError(str(reason), code=str(code), column=column, field=name)
    return WtsError(str(reason), code=str(code), field=name)


def _analysis(reply: dict[str, Any]) -> Analysis:
    """Return the analysis that an answer describes."""
    import numpy as np

    from ._kernel import Position
    from .analysis import Analysis
    from .notation import parse_turn
    from .search import Continuation

    def strategy(parts: dict[str, float]) -> Any:
        full = np.zeros(81)
        for name, part in parts.items():
            full[parse_square(name)] = part
        full.setflags(write=False)
        return full

    plain = {name: reply[name] for name in Analysis.__slots__ if name in reply}
    plain["position"] = Position(reply["position"])
    plain["black"], plain["white"] = strategy(reply["black"]), strategy(reply["white"])
    plain["continuations"] = tuple(
        Continuation(tuple(parse_turn(turn) for turn in line["turns"]), line["probability"], line["value"])
        for line in reply["continuations"]
    )
    return Analysis(**plain)
