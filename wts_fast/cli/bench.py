"""The verb ``bench``: measure every layer, check what it computes, and print the signature; or compare two runs."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from typing import Any

from ..errors import WtsError
from .common import print_json, seconds

__all__ = ["EXAMPLE", "HELP", "add_arguments", "compared", "run", "table"]

HELP = "measure speeds, check the results, print the signature"
EXAMPLE = "wts-fast bench --seconds 10 --json > before.json"

FINDING, INTERRUPTED = 1, 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    what = parser.add_mutually_exclusive_group()
    parser.add_argument("--seconds", type=seconds, default=5.0, metavar="S", help="how long to measure, about (5)")
    parser.add_argument("--only", metavar="LAYERS", help="measure these layers only, joined by commas")
    what.add_argument("--signature", action="store_true", help="print the signature and measure nothing")
    what.add_argument(
        "--compare", nargs=2, metavar=("BEFORE", "AFTER"), help="compare two runs, files written with --json"
    )
    parser.add_argument(
        "--fail", type=_percent, metavar="PERCENT", help="with --compare: status 1 if a layer lost more"
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure, or compare; the status is 1 if a result is wrong, or two runs differ in more than speed."""
    if args.fail is not None and args.compare is None:
        raise WtsError("goes with --compare", code="conflict", field="--fail")
    if args.signature:
        return _signature(args.json)
    if args.compare is not None:
        before, after = args.compare
        return _compare(before, after, args.fail, args.json)
    from ..measure import measure

    only = None if args.only is None else [name.strip() for name in args.only.split(",")]
    report = measure(args.seconds, only)
    if args.json:
        print_json(report.as_dict(), indent=2)
    else:
        print(table(report.as_dict()))
    if report.interrupted:
        return INTERRUPTED
    return 0 if report.ok else FINDING


def table(report: dict[str, Any]) -> str:
    """Return a report as text.

    Parameters
    ----------
    report : dict
        As `measure.Report.as_dict` makes it.
    """
    build, versions = report["build"], report["versions"]
    header = [
        f"wts_fast {versions['wts_fast']}, {report['date']}",
        f"processor   {report['processor']}, {report['processors_usable']} usable; {report['system']}",
        f"built with  {build['compiler']}, {build['flags']}",
        f"path        {build['isa']}{' (forced)' if build['isa_forced'] else ''} of {' '.join(build['isa_usable'])}",
        f"versions    {', '.join(f'{name} {version}' for name, version in versions.items() if name != 'wts_fast')}",
        f"signature   {report['signature']}",
    ]
    if not report["optimised"]:
        header.append("This build is not optimised. Its figures are not for publication.")
    rows = [("layer", "a second", "best", "unit", "ratio (least)", "to", "what")]
    for layer in report["layers"]:
        ratio = "" if layer["ratio"] is None else f"{_ratio(layer['ratio'])} ({_ratio(layer['worst_ratio'])})"
        to = layer["against"] if ratio else ""
        speeds = _amount(layer["per_s"]), _amount(layer["best_per_s"])
        rows.append((layer["layer"], *speeds, layer["unit"], ratio, to, layer["what"]))
    repeats = report["layers"][0]["repeats"] if report["layers"] else 0
    footer = [f"median and best of {repeats} rounds; each ratio is the median of those within a round"]
    footer += [f"left out: {name}: {reason}" for name, reason in report["left_out"].items()]
    footer += ["stopped before the time was over"] if report["interrupted"] else []
    wrong = [layer for layer in report["layers"] if not layer["ok"]]
    footer += [f"wrong result: {layer['layer']} {layer['problem']}" for layer in wrong]
    footer.append(f"{len(wrong)} of {len(report['layers'])} wrong" if wrong else "every result is what it must be")
    return "\n".join([*header, "", *_columns(rows, right={1, 2, 4}), "", *footer])


def _signature(as_json: bool) -> int:
    from ..signature import format_signature, signature

    number = format_signature(signature())
    if as_json:
        print_json({"signature": number})
    else:
        print(number)
    return 0


def _compare(before_path: str, after_path: str, most_lost: float | None, as_json: bool) -> int:
    result = compared(_read(before_path), _read(after_path), most_lost)
    if as_json:
        print_json(result, indent=2)
        return 0 if result["ok"] else FINDING
    rows = [("layer", "before", "after", "unit", "ratio", "of bests", "beside the oracle")]
    for name, row in result["layers"].items():
        ratios = (_ratio(row[key]) if row[key] is not None else "" for key in ("ratio", "best_ratio", "beside_oracle"))
        rows.append((name, _amount(row["before"]), _amount(row["after"]), row["unit"], *ratios))
    print("\n".join([*_columns(rows, right={1, 2, 4, 5, 6}), "", *result["notes"], *result["findings"]]))
    print("no finding" if result["ok"] else f"{len(result['findings'])} found")
    return 0 if result["ok"] else FINDING


def compared(before: dict[str, Any], after: dict[str, Any], most_lost: float | None = None) -> dict[str, Any]:
    """Compare two reports.

    Parameters
    ----------
    before, after : dict
        As `measure.Report.as_dict` makes them.
    most_lost : float, optional
        How many per cent of its speed a layer may lose.

    Returns
    -------
    dict
        ``layers`` by name, with speeds, the ratio after to before of the medians and of the bests, and the former
        divided by that of the oracle, which tells a slower program from a slower machine; ``notes``; ``findings``;
        ``ok``, whether there are none.
    """
    olds = {layer["layer"]: layer for layer in before["layers"]}
    news = {layer["layer"]: layer for layer in after["layers"]}
    both = [name for name in olds if name in news]
    scale = news["oracle"]["per_s"] / olds["oracle"]["per_s"] if "oracle" in both else None
    layers: dict[str, dict[str, Any]] = {}
    for name in both:
        old, new = olds[name], news[name]
        ratio = new["per_s"] / old["per_s"]
        layers[name] = {
            "unit": new["unit"],
            "before": old["per_s"],
            "after": new["per_s"],
            "ratio": ratio,
            "best_ratio": new["best_per_s"] / old["best_per_s"],
            "beside_oracle": ratio / scale if scale else None,
        }
    notes = [
        f"{what}: {before[key]} before, {after[key]} after"
        for key, what in (("processor", "another processor"), ("build", "another build"))
        if before[key] != after[key]
    ]
    notes += [f"only in one of the runs: {name}" for name in [*olds, *news] if name not in both]
    findings = []
    if before["signature"] != after["signature"]:
        findings.append(f"they play differently: signature {before['signature']} before, {after['signature']} after")
    for when, run in (("before", before), ("after", after)):
        findings += [f"a wrong result {when}: {layer['layer']}" for layer in run["layers"] if not layer["ok"]]
    if most_lost is not None:
        lost = {name: 100 * (1 - row["ratio"]) for name, row in layers.items()}
        findings += [f"{name} lost {percent:.1f} %" for name, percent in lost.items() if percent > most_lost]
    return {"ok": not findings, "layers": layers, "notes": notes, "findings": findings}


def _read(path: str) -> dict[str, Any]:
    """Read a report from a file and refuse what is none."""

    def refuse(text: str) -> float:
        raise ValueError(f"{text} is no JSON")

    with open(path, "rb") as file:
        raw = file.read(1 << 20)
    try:
        data = json.loads(raw, parse_constant=refuse)
        wanted: dict[str, type] = {"signature": str, "processor": str, "build": dict, "layers": list}
        for name, kind in wanted.items():
            if not isinstance(data[name], kind):
                raise TypeError(f"{name} is of type {type(data[name]).__name__}")
        for layer in data["layers"]:
            speeds = layer["per_s"], layer["best_per_s"]
            if not all(isinstance(s, float) and 0 < s < math.inf for s in speeds):
                raise TypeError("a speed is no positive number")
            if not all(isinstance(layer[name], str) for name in ("layer", "unit")) or not isinstance(layer["ok"], bool):
                raise TypeError("a layer is none")
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise WtsError(
            f"{path[:80]} is no report of bench --json: {type(error).__name__}: {str(error)[:60]}",
            code="bench-report",
            field="--compare",
        ) from None
    return dict(data)


def _percent(text: str) -> float:
    """Argparse type for a part in per cent, from 0 to 100."""
    digits = text.removesuffix("%")
    if not (digits.isascii() and digits.replace(".", "", 1).isdigit() and 0 <= float(digits) <= 100):
        raise argparse.ArgumentTypeError(f"expected per cent from 0 to 100, not {text[:20]!r}")
    return float(digits)


def _columns(rows: Sequence[tuple[str, ...]], right: set[int]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        sized = enumerate(zip(row, widths, strict=True))
        cells = [cell.rjust(width) if i in right else cell.ljust(width) for i, (cell, width) in sized]
        lines.append("  ".join(cells).rstrip())
    return lines


def _amount(number: float) -> str:
    """Return a speed with three digits: ``142 M``, ``2.05 M``, ``14.9 k``."""
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return _three_digits(number / size) + letter
    return _three_digits(number)


def _ratio(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else _three_digits(number)


def _three_digits(number: float) -> str:
    return f"{number:.{max(0, 2 - math.floor(math.log10(number)))}f}" if number > 0 else "0"
