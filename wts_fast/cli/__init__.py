"""The command ``wts-fast``: one module a verb, of which only the one asked for is imported.

Exit status: 0 success; 1 a finding (a mismatch, an invalid file); 2 bad usage, or a file or
folder that cannot be used; 130 after Ctrl-C; 141 where the reader of a pipe has gone, as
for any command that this ends.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import NoReturn, TextIO

from .. import __version__
from ..errors import WtsError

__all__ = ["VERBS", "main"]

#: The verbs in the order in which the help lists them.
VERBS = (
    "analyze",
    "solve",
    "play",
    "review",
    "serve",
    "show",
    "check",
    "match",
    "engine",
    "fuzz",
    "perft",
    "bench",
    "doctor",
)

FAILED, INTERRUPTED, PIPE_CLOSED = 2, 130, 141


class Parser(argparse.ArgumentParser):
    """An argument parser that says what is wrong in one line and takes no abbreviations."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the arguments and leave with status 2."""
        self.exit(FAILED, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with `argv` (the process's own arguments by default).

    Returns
    -------
    int
        The exit status, as the module says.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    name = " ".join(["wts-fast", *(v for v in arguments[:1] if v in VERBS)])
    status = 0
    try:
        _prepare_streams()
        status = _dispatch(arguments)
        sys.stdout.flush()
    except SystemExit as leaving:  # argparse leaves this way, with its text possibly unwritten
        status = leaving.code if isinstance(leaving.code, int) else FAILED
        try:
            sys.stdout.flush()
        except OSError as error:
            status = _report(name, error)
    except KeyboardInterrupt:
        status = INTERRUPTED
        try:
            sys.stdout.flush()
        except OSError:
            _discard(sys.stdout)
    except (OSError, WtsError) as error:
        status = _report(name, error)
    except ImportError as error:
        if not (error.name or "").startswith("wts_fast."):
            raise
        _complain(f"{name}: {error.name} is not there; build it with: pip install -e .")
        status = FAILED
    return status


def _dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        sys.stdout.write(_overview())
        return 0 if arguments else FAILED
    if arguments[0] in ("-V", "--version"):
        print(f"wts-fast {__version__}")
        return 0
    if arguments[0] not in VERBS:
        raise WtsError(f"no verb is called {arguments[0][:20]!r}; there are {', '.join(VERBS)}", code="verb")
    verb = _verb(arguments[0])
    parser = Parser(
        prog=f"wts-fast {arguments[0]}",
        description=verb.HELP[:1].upper() + verb.HELP[1:] + ".",
        epilog=f"example:\n  {verb.EXAMPLE}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    verb.add_arguments(parser)
    return int(verb.run(parser.parse_args(arguments[1:])))


def _verb(name: str) -> ModuleType:
    return importlib.import_module(f".{name}", __name__)


def _overview() -> str:
    lines = [
        "usage: wts-fast VERB ...",
        "",
        "A fast engine and solver for What the Shell, the 9x9 game where both players move at once.",
        "",
        "verbs:",
        *(f"  {name:<9} {_verb(name).HELP.rstrip('.')}" for name in VERBS),
        "",
        "A POSITION is a position text, start, a record file with an optional turn (game.wts@12), or - for",
        "standard input. wts-fast VERB --help tells the rest; wts-fast --version the version.",
    ]
    return "\n".join(lines) + "\n"


def _prepare_streams() -> None:
    if sys.stdout is None:  # Python's way to say that descriptor 1 is closed
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard output")
    # Names and comments come from files; a terminal that cannot show a letter must not end the run.
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _report(name: str, error: OSError | WtsError) -> int:
    """Say in one line what went wrong and return the exit status."""
    if isinstance(error, OSError):
        # What is still in the buffer would fail again at exit, then with a traceback.
        _discard(sys.stdout)
    if isinstance(error, BrokenPipeError):
        return PIPE_CLOSED
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        where = f": {error.filename}" if error.filename else ""
        _complain(f"{name}: {reason}{where}")
    else:
        _complain(f"{name}: {error}")
    return FAILED


def _complain(line: str) -> None:
    try:
        print(line.replace("\n", " "), file=sys.stderr, flush=True)
    except (OSError, AttributeError):
        _discard(sys.stderr)  # nowhere left to say it; the status still does


def _discard(stream: TextIO | None) -> None:
    """Send what a stream still holds, and all that follows, nowhere."""
    try:
        descriptor = stream.fileno() if stream is not None else -1
    except (OSError, ValueError):
        return
    if descriptor >= 0:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)
