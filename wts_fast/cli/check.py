"""``wts-fast check``: everything that is wrong in record files."""

from __future__ import annotations

import argparse

from .common import print_json, standard_input

HELP = "check record files and report everything that is wrong in them"
EXAMPLE = "wts-fast check game.wts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="record files, or - for standard input")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(args: argparse.Namespace) -> int:
    """Run the verb and return the exit status: 1 if anything is wrong."""
    from ..record import check_file

    report = []
    for name in args.files:
        games, findings = check_file(standard_input() if name == "-" else name)
        report.append(
            {
                "file": name,
                "games": games,
                "findings": [
                    {"line": f.line, "column": f.column, "code": f.code, "reason": f.reason} for f in findings
                ],
            }
        )
        if not args.json:
            for f in findings:
                print(f"{name}:{f.line}:{f.column}: {f.code}: {f.reason}")
            print(f"{name}: {_number(games, 'game')}, {_number(len(findings), 'finding')}")
    if args.json:
        print_json({"files": report})
    return 1 if any(entry["findings"] for entry in report) else 0


def _number(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"
