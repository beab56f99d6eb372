"""The page: the files in ``static/``, read once, so that no request ever names a file to open."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response

__all__ = ["Page"]

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    type: str
    tag: str


class Page:
    """All files of the page.

    Parameters
    ----------
    folder : Traversable, optional
        Where they are; the package's ``static`` if left out.
    """

    def __init__(self, folder: Traversable | None = None) -> None:
        self._files: dict[str, _File] = {}
        self._read(folder or resources.files(__package__) / "static", "")

    def _read(self, folder: Traversable, path: str) -> None:
        for item in folder.iterdir():
            if item.is_dir():
                self._read(item, f"{path}{item.name}/")
                continue
            kind = TYPES.get("." + item.name.rpartition(".")[2])
            if kind is not None:
                content = item.read_bytes()
                self._files[path + item.name] = _File(content, kind, f'"{hashlib.sha256(content).hexdigest()[:32]}"')

    def answer(self, request: Request, name: str) -> Response | None:
        """Return the file of a name, or that the browser's copy is still right; None where there is none."""
        file = self._files.get(name)
        if file is None:
            return None
        headers = {"ETag": file.tag, "Cache-Control": "no-cache"}
        if file.tag in [tag.strip() for tag in request.headers.get("if-none-match", "").split(",")]:
            return Response(status_code=304, headers=headers)
        return Response(file.content, headers={**headers, "Content-Type": file.type})
