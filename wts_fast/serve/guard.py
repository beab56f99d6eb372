"""Turns away what no page of ours sends, and tells browsers what the page may do.

A server on one's own machine is within reach of every page that a browser shows. What keeps those out: the name by
which they reach it (a page of theirs has another one in ``Host``, also where their name server calls this machine),
and the origin that browsers tell with every request that a page makes.
"""

from __future__ import annotations

import ipaddress
import re
import socket

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import WtsError
from .jobs import Answer

__all__ = ["MOST_HEAD", "Guard", "Names"]

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::[0-9]{1,5})?")

#: Bytes of an address and of the headers with it.
MOST_HEAD = 1 << 14

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Names:
    """The names by which the server may be called.

    Parameters
    ----------
    host : str
        What it is bound to.
    more : tuple of str
        Further names.

    Raises
    ------
    WtsError
        If one of these can be none.
    """

    def __init__(self, host: str, more: tuple[str, ...] = ()) -> None:
        for name in more:
            if not re.fullmatch(r"[A-Za-z0-9._-]{1,253}", name):
                raise WtsError(f"no name of a host: {name[:20]!r}", code="host-name", field="allow")
        self._names = {"localhost", host.lower(), *(name.lower() for name in more)}
        address = _address(host)
        self._everywhere = address is not None and address.is_unspecified
        if self._everywhere:
            own = socket.gethostname().lower()
            self._names |= {own, f"{own}.local"}

    def allow(self, header: str) -> bool:
        """Whether a ``Host`` header names this server; its port may be another one, that of a tunnel.

        No foreign name server stands behind an address in digits.
        """
        match = _HOST.fullmatch(header)
        if match is None:
            return False
        name = match[1].lower().strip("[]")
        address = _address(name)
        if address is not None and (self._everywhere or address.is_loopback):
            return True
        return name in self._names


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


class Guard:
    """An ASGI application in front of another: checks ``Host`` and ``Origin``, and adds headers to every answer."""

    def __init__(self, app: ASGIApp, names: Names) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if "cache-control" not in headers:
                    headers["Cache-Control"] = "no-store"
            await send(message)

        refused = self._refuse(scope)
        await (refused or self._app)(scope, receive, send_with_headers)

    def _refuse(self, scope: Scope) -> Answer | None:
        headers = Headers(scope=scope)
        # What arrives in one piece is not counted by the limit for what is incomplete.
        if sum(len(name) + len(value) for name, value in headers.raw) + len(scope["raw_path"]) > MOST_HEAD:
            return _refusal(431, "headers", f"more than {MOST_HEAD} bytes")
        host = headers.get("host", "")
        if not self._names.allow(host):
            return _refusal(421, "host", "this server is not called so")
        origins = headers.getlist("origin")
        if any(origin.lower() not in (f"http://{host}".lower(), f"https://{host}".lower()) for origin in origins):
            return _refusal(403, "origin", "the request comes from another page")
        # Following a link to the page is no misuse; asking the interface from elsewhere is.
        if scope["path"].startswith("/api") and headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return _refusal(403, "origin", "the request comes from another page")
        return None


def _refusal(status: int, field: str, reason: str) -> Answer:
    # What follows of the request is not read, so the connection cannot be used again.
    data = {"error": {"code": "refused", "field": field, "reason": reason}}
    return Answer(data, status, {"Connection": "close"})
