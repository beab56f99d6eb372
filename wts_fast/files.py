"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path

__all__ = ["write_bytes_atomically", "write_text_atomically"]


def write_text_atomically(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 text file so that a reader finds the old content or the new, never a part of either.

    The text goes to a new file beside the old one, which it replaces in one step once the disk has
    taken all of it. A symbolic link stays a link and its target is replaced; permissions of an old
    file are kept. What is no ordinary file (a pipe, a terminal, ``/dev/stdout``) is written to directly.

    Parameters
    ----------
    path : str or path-like
        Where to write.
    text : str
        The whole content; line ends are written as they are.

    Raises
    ------
    OSError
        If the folder is missing, the disk full or the place not writable. Its ``filename`` is `path`,
        and an old file stays as it was.
    """
    write_bytes_atomically(path, text.encode("utf-8"))


def write_bytes_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file of bytes as `write_text_atomically` writes text."""
    target = Path(os.path.realpath(path))
    try:
        # /dev/stdout may lead to a file that a shell holds open; replacing it would lose what follows.
        if os.path.abspath(path).startswith("/dev/") or (target.exists() and not (target.is_file() or target.is_dir())):
            with open(path, "ab") as stream:
                stream.write(data)
            return
        _replace(target, data)
    except OSError as error:
        # The name of the temporary file would puzzle the one who reads the message.
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None


def _replace(target: Path, data: bytes) -> None:
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode_for(target))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _mode_for(target: Path) -> int:
    """Return the permissions of the old file, or those that an ordinary new file would get."""
    try:
        return target.stat().st_mode & 0o7777
    except FileNotFoundError:
        # umask can only be read by setting it.
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
