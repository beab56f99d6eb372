"""The verb ``engine``: analyses for programs, by lines of JSON on standard input and output."""

from __future__ import annotations

import argparse
import os
import sys

from . import common

__all__ = ["EXAMPLE", "HELP", "add_arguments", "run"]

HELP = "answer queries of programs, JSON lines on standard input and output"
EXAMPLE = "wts-fast engine"

_INTERRUPTED, _PIPE_CLOSED = 130, 141


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "--quit-on-eof",
        action="store_true",
        help="at the end of the input, stop what is queued instead of finishing it",
    )


def run(args: argparse.Namespace) -> int:
    """Answer until the input ends; the protocol is described in docs/protocol.md."""
    source = common.standard_input().fileno()

    from ..protocol.loop import Engine

    try:
        status = 0 if Engine(source, sys.stdout.fileno(), quit_on_eof=args.quit_on_eof).run() else _PIPE_CLOSED
    except KeyboardInterrupt:
        status = _INTERRUPTED
    # All is written. A search that is being compiled cannot be stopped, and Python would wait for its thread; and where
    # compiled code is loaded, it takes a while to leave.
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(status)
