"""The verb ``serve``: the board in a browser, served from this machine to this machine."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import threading
from typing import NoReturn

from . import common

__all__ = ["EXAMPLE", "HELP", "add_arguments", "run"]

HELP = "show the board in a browser: analyse, review, play, learn"
EXAMPLE = "wts-fast serve --open"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("--host", default="127.0.0.1", metavar="NAME", help="where to listen (127.0.0.1: this machine)")
    parser.add_argument(
        "--port", type=common.whole_number(0, 65535), default=8181, metavar="N", help="0 takes any that is free (8181)"
    )
    parser.add_argument(
        "--allow", action="append", default=[], metavar="NAME", help="another name by which browsers may call it"
    )
    parser.add_argument("--open", action="store_true", help="open the browser")


def run(args: argparse.Namespace) -> NoReturn:
    """Serve until Ctrl-C, then leave with status 130."""
    from ..serve.guard import Names
    from ..serve.server import address, bind, serve

    names = Names(args.host, tuple(args.allow))
    listener = bind(args.host, args.port)
    where = address(args.host, listener)

    def ready() -> None:
        print(where, flush=True)
        if not _only_here(listener.getsockname()[0]):
            print("Everybody who can reach this machine can use it.", file=sys.stderr, flush=True)
        if args.open:
            import webbrowser

            # Some browsers keep whoever opens them waiting.
            threading.Thread(target=webbrowser.open, args=(where,), daemon=True).start()

    serve(listener, names, ready)
    # Taking down what numba holds takes a second, and would crash where a thread is still compiling.
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    os._exit(130)


def _only_here(host: str) -> bool:
    import ipaddress

    return ipaddress.ip_address(host.partition("%")[0]).is_loopback
