"""``wts-fast perft``: count the sequences of joint turns from a position."""

from __future__ import annotations

import argparse
from typing import Any

from .common import add_position_argument, print_json, read_position, whole_number

HELP = "count all sequences of joint turns from a position to a depth"
EXAMPLE = "wts-fast perft start 1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    from ..perft import MAX_DEPTH

    add_position_argument(parser)
    parser.add_argument("depth", type=whole_number(0, MAX_DEPTH), metavar="DEPTH", help="how many turns")
    parser.add_argument(
        "--engine", choices=("kernel", "oracle"), default="kernel", help="which implementation counts (default kernel)"
    )
    parser.add_argument("--divide", action="store_true", help="count below each first turn")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")


def run(args: argparse.Namespace) -> int:
    """Run the verb and return the exit status."""
    from ..perft import Counts, divide, perft

    position: Any = read_position(args.position)
    if args.engine == "oracle":
        from ..oracle import Position

        position = Position.from_state(position.state)
    if not args.divide:
        counts = perft(position, args.depth)
        if args.json:
            print_json(_header(args, position) | {"counts": counts.as_dict()})
        else:
            print(counts)
        return 0

    from ..notation import format_turn

    total, parts = Counts(), {}
    for black, white, counts in divide(position, args.depth):
        total.add(counts)
        turn = format_turn(black, white)
        if args.json:
            parts[turn] = counts.as_dict()
        else:
            print(f"{turn}: {counts}", flush=True)
    if args.json:
        print_json(_header(args, position) | {"counts": total.as_dict(), "divide": parts})
    else:
        print(f"total: {total}")
    return 0


def _header(args: argparse.Namespace, position: Any) -> dict[str, Any]:
    return {"position": str(position), "depth": args.depth, "engine": args.engine}
