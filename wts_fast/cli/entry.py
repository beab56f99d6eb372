"""Lines that a player types: with editing on a terminal, without an echo where the other one must not read them."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator

__all__ = ["Entry"]


class Entry:
    """Standard input, line by line; it need not be a terminal.

    Raises
    ------
    OSError
        If standard input is closed.
    """

    def __init__(self) -> None:
        if sys.stdin is None:  # Python's way to say that descriptor 0 is closed
            raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard input")
        # Whatever bytes come, they are at worst no square.
        reconfigure = getattr(sys.stdin, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
        self.terminal = sys.stdin.isatty()
        if self.terminal and sys.stdout.isatty():
            with contextlib.suppress(ImportError):  # not every Python has it; lines then come without editing
                import readline  # noqa: F401  # input() edits lines once this is there

    def line(self, prompt: str, *, hidden: bool = False) -> str:
        """Return the next line without its end.

        Parameters
        ----------
        prompt : str
            What stands before it.
        hidden : bool
            Whether a terminal shall not show what is typed.

        Raises
        ------
        EOFError
            If there is none.
        """
        if not self.terminal:
            text = sys.stdin.readline()
            # A transcript reads like a game at a terminal.
            print(prompt + ("" if hidden else text.rstrip("\r\n")), flush=True)
            return _ended(text)
        if not hidden:
            return input(prompt)
        with _unseen():
            print(prompt, end="", flush=True)
            # Not by input(): its history would tell the other player.
            text = sys.stdin.readline()
        # The end of the line was not shown either.
        sys.stdout.write("\n")
        return _ended(text)


def _ended(text: str) -> str:
    """Return a line without its end."""
    if not text:
        raise EOFError
    return text.rstrip("\r\n")


@contextlib.contextmanager
def _unseen() -> Iterator[None]:
    """Switch the echo off, and on again whatever happens."""
    import termios

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    silent = [*before]
    silent[3] &= ~termios.ECHO
    # What was typed ahead has been seen already; it is dropped.
    termios.tcsetattr(descriptor, termios.TCSAFLUSH, silent)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
