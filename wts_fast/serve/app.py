"""The interface: which addresses there are, what each takes, and what it gives."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from .. import __version__
from ..errors import WtsError
from ..methods import DEFAULT, METHODS, method
from ..squares import BLACK, square_name
from . import views
from .commitments import Hidden, Store
from .fields import MOST_TURNS, Fields, read_body
from .files import Page
from .guard import Guard, Names
from .jobs import FAULT, Answer, Busy, Report, Slots, Stream, Threads, error_data, finish

if TYPE_CHECKING:
    from ..levels import Choice

__all__ = ["Board"]

LIMITS = {
    "body_bytes": 1 << 20,
    "small_body_bytes": 1 << 16,
    "body_seconds": 15,
    "turns": MOST_TURNS,
    "analyze_seconds": 60,
    "review_seconds": 2,
    "review_turns": 500,
    "searches": 2,
    "searches_waiting": 8,
    "hidden": 1000,
}
#: Of all bodies being read together.
ALL_BODIES = 32 << 20

MEMORY_MB = 256
Handler = Callable[[Request], Awaitable[ASGIApp]]
Should = Callable[[], bool]


class Board:
    """The application: `app` is the ASGI side of it, `end` stops what it is at.

    Parameters
    ----------
    names : Names
        By which it may be called.
    """

    def __init__(self, names: Names) -> None:
        self.threads = Threads()
        self._page = Page()
        self._searches = Slots(LIMITS["searches"], LIMITS["searches_waiting"])
        self._choices = Slots(2, 16)
        self._hidden = Store(LIMITS["hidden"])
        self._heavy = Slots(1, 16)
        self._bodies = 0
        self._warm = False
        gets: dict[str, Handler] = {
            "/": self.page,
            "/static/{name:path}": self.page,
            "/api/about": self.about,
            "/api/levels": self.levels,
            "/api/tutorial": self.tutorial,
        }
        posts: dict[str, Handler] = {
            "/api/position": self.position,
            "/api/turn": self.turn,
            "/api/record": self.record,
            "/api/write": self.write,
            "/api/analyze": self.analyze,
            "/api/review": self.review,
            "/api/commit": self.commit,
            "/api/reveal": self.reveal,
            "/api/tutorial/check": self.tutorial_check,
        }
        #: Every address with its method.
        self.addresses = [*((path, "GET") for path in gets), *((path, "POST") for path in posts)]
        routes = [Route(path, handler, methods=["GET"]) for path, handler in gets.items()]
        routes += [Route(path, handler, methods=["POST"]) for path, handler in posts.items()]
        inner = Starlette(
            routes=routes,
            exception_handlers={
                WtsError: _wts_error,
                HTTPException: _http_error,
                ClientDisconnect: _gone,
                Exception: _fault,
            },
        )
        inner.router.redirect_slashes = False
        self.app: ASGIApp = Guard(inner, names)

    def end(self) -> None:
        """Let every search end with what it has."""
        self.threads.ending.set()

    async def warm_up(self) -> None:
        """Load the compiled code, or compile it, before somebody waits for it."""
        from .._kernel import Position
        from ..analysis import analyze

        try:
            await self.threads.run(lambda: analyze(Position(), nodes=1, should_stop=self.threads.ending.is_set))
        except Exception:
            logging.getLogger(__name__).exception("the compiled code could not be loaded")
        else:
            self._warm = True

    # ---- what requests hold

    async def _body(self, request: Request, most: int) -> bytes:
        """Return the body of a request, within its limits."""
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise WtsError("expected application/json", code="content-type", field="content-type")
        length = request.headers.get("content-length", "0")
        too_large = WtsError(f"more than {most} bytes", code="too-large", field="body")
        if not length.isdecimal() or int(length[:20]) > most:
            raise too_large
        body = bytearray()
        try:
            async with asyncio.timeout(LIMITS["body_seconds"]):
                async for chunk in request.stream():
                    body += chunk
                    self._bodies += len(chunk)
                    if len(body) > most:
                        raise too_large
                    if self._bodies > ALL_BODIES:
                        raise Busy
        except TimeoutError:
            raise WtsError("the request came too slowly", code="slow", field="body") from None
        finally:
            self._bodies -= len(body)
        return bytes(body)

    async def _fields(self, request: Request, most: int = LIMITS["small_body_bytes"]) -> Fields:
        return Fields(read_body(await self._body(request, most)))

    # ---- the page

    async def page(self, request: Request) -> Response:
        """``GET /`` and ``GET /static/...``."""
        found = self._page.answer(request, request.path_params.get("name", "index.html"))
        if found is None:
            raise HTTPException(404)
        return found

    async def about(self, request: Request) -> Response:
        """``GET /api/about``: version, build, limits."""
        from .._kernel import build_info

        return Answer(
            {
                "version": __version__,
                "build": build_info(),
                "methods": {name: found.about for name, found in METHODS.items()},
                "limits": LIMITS,
                "warm": self._warm,
            }
        )

    # ---- the rules

    async def position(self, request: Request) -> Response:
        """``POST /api/position``: the board of a position, or of the one that turns lead to."""
        fields = await self._fields(request, LIMITS["body_bytes"])
        _, position = fields.moves(fields.position())
        fields.end()
        return Answer(views.board(position))

    async def turn(self, request: Request) -> Response:
        """``POST /api/turn``: what happens in a turn, and the board after it."""
        fields = await self._fields(request)
        position = fields.open_position()
        black, white = fields.square("black"), fields.square("white")
        fields.end()
        return Answer(views.turn(position, black, white))

    async def record(self, request: Request) -> Response:
        """``POST /api/record``: the games of a record."""
        fields = await self._fields(request, LIMITS["body_bytes"])
        text = fields.text("text")
        fields.end()
        return await finish(request, self.threads, self._heavy, lambda _: Answer(views.record_games(text)))

    async def write(self, request: Request) -> Response:
        """``POST /api/write``: a game as the text of a record."""
        fields = await self._fields(request, LIMITS["body_bytes"])
        return await finish(request, self.threads, self._heavy, lambda _: Answer(views.record_text(fields)))

    # ---- searches

    async def analyze(self, request: Request) -> ASGIApp:
        """``POST /api/analyze``: lines of what a search finds."""
        fields = await self._fields(request)
        position = fields.position()
        limits: dict[str, Any] = {"seconds": 10.0}
        if "seconds" in fields:
            limits["seconds"] = fields.real("seconds", 0.0, LIMITS["analyze_seconds"])
        if "nodes" in fields:
            limits["nodes"] = fields.whole("nodes", 0, 10**9)
        # What JavaScript holds exactly.
        limits["seed"] = fields.whole("seed", 0, 2**64 - 1) if "seed" in fields else secrets.randbits(53)
        limits["method"] = method(fields.text("method") if "method" in fields else DEFAULT).name
        fields.end()

        def work(report: Report, should_stop: Should) -> dict[str, Any]:
            from ..analysis import analyze
            from ..threats import threats

            told = threats(position).to_dict()
            found = analyze(
                position,
                **limits,
                memory_mb=MEMORY_MB,
                on_progress=lambda so_far: report(views.analysis_line(so_far, told, final=False)),
                should_stop=should_stop,
            )
            return views.analysis_line(found, told, final=True)

        return Stream(self.threads, self._searches, work)

    async def review(self, request: Request) -> ASGIApp:
        """``POST /api/review``: lines that tell how far it is, then the review of a game."""
        fields = await self._fields(request, LIMITS["body_bytes"])
        start = fields.position()
        turns, _ = fields.moves(start)
        seconds = fields.real("seconds", 0.0, LIMITS["review_seconds"]) if "seconds" in fields else 0.2
        fields.end()
        if len(turns) > LIMITS["review_turns"]:
            raise WtsError(f"more than {LIMITS['review_turns']} turns", code="too-many", field="moves")

        def work(report: Report, should_stop: Should) -> dict[str, Any]:
            from ..game import Game
            from ..review import review

            game = Game(start)
            for black, white in turns:
                game.play(black, white)
            found = review(
                game,
                seconds=seconds,
                memory_mb=MEMORY_MB,
                on_progress=lambda done, of: report({"progress": done, "of": of}),
                should_stop=should_stop,
            )
            return {"final": True, "review": found.to_dict()}

        return Stream(self.threads, self._searches, work)

    # ---- playing

    async def levels(self, request: Request) -> Response:
        """``GET /api/levels``: whom one can play against."""
        from ..levels import LEVELS

        return Answer([{"number": one.number, "name": dict(one.name), "about": dict(one.about)} for one in LEVELS])

    async def commit(self, request: Request) -> Response:
        """``POST /api/commit``: choose a square for the engine, and answer with its hash."""
        from ..commitment import commit
        from ..levels import LEVELS, choose

        fields = await self._fields(request)
        position, colour = fields.open_position(), fields.colour()
        level = fields.whole("level", 1, len(LEVELS))
        fields.end()

        def work(should_stop: Should) -> Choice:
            return choose(position, colour, level, seed=secrets.randbits(64), should_stop=should_stop)

        choice = await finish(request, self.threads, self._choices, work)
        made = commit(choice.square)
        game = self._hidden.keep(Hidden(position, colour, made))
        return Answer({"game": game, "commitment": made.digest_hex})

    async def reveal(self, request: Request) -> Response:
        """``POST /api/reveal``: take the other player's square, and show the engine's."""
        fields = await self._fields(request)
        game = fields.text("game")
        hidden = self._hidden.look(game)
        square = fields.square("square")
        fields.end()
        own, made = hidden.commitment.square, hidden.commitment
        pair = (own, square) if hidden.colour == BLACK else (square, own)
        try:
            told = views.turn(hidden.position, *pair)
        except WtsError as error:
            error.field = "square"
            raise
        self._hidden.drop(game)
        shown = {"square": square_name(own), "salt": made.salt_hex, "commitment": made.digest_hex}
        return Answer({**shown, "turn": told})

    # ---- the tutorial

    async def tutorial(self, request: Request) -> Response:
        """``GET /api/tutorial``: the exercises."""
        from ..tutorial import EXERCISES

        return Answer([exercise.to_dict() for exercise in EXERCISES])

    async def tutorial_check(self, request: Request) -> Response:
        """``POST /api/tutorial/check``: whether a square solves an exercise."""
        from ..tutorial import check

        fields = await self._fields(request)
        name, square = fields.text("id"), fields.square("square")
        fields.end()
        found = check(name, square)
        turn = views.turn(found.position, found.black, found.white)
        return Answer({"ok": found.ok, "message": dict(found.message), "turn": turn})


# ---- answers


_STATUS = {"too-large": 413, "content-type": 415, "slow": 408, "busy": 503, "game": 404}
#: Where the body was not read to its end, so that the connection cannot be used again.
_UNREAD = (408, 413, 415, 503)


async def _wts_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, WtsError)
    status = _STATUS.get(error.code, 400)
    headers = {"Connection": "close"} if status in _UNREAD else {}
    if status == 503:
        headers["Retry-After"] = "2"
    return Answer(error_data(error), status, headers)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    codes = {404: ("not-found", "there is nothing at this address"), 405: ("method", "not by this method")}
    code, reason = codes.get(error.status_code, ("http", error.detail))
    headers = dict(error.headers or {})
    if request.method not in ("GET", "HEAD"):
        headers["Connection"] = "close"
    return Answer({"error": {"code": code, "field": None, "reason": reason}}, error.status_code, headers)


async def _gone(request: Request, error: Exception) -> Response:
    return Response(status_code=400)  # nobody reads it


async def _fault(request: Request, error: Exception) -> Response:
    return Answer(FAULT, 500, {"Connection": "close"})
