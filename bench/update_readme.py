"""Measure, and put the figures into README.md between their markers: ``python bench/update_readme.py [SECONDS]``."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

README = Path(__file__).resolve().parents[1] / "README.md"
MARKERS = re.compile(r"(<!-- bench: begin -->\n).*?(<!-- bench: end -->\n)", re.DOTALL)

#: The layers that a first reader wants to see, in this order; `wts-fast bench` shows them all.
LAYERS = ("oracle", "play", "step", "playouts", "playouts-2-threads")


def replaced(text: str, figures: str) -> str:
    """Return the text with `figures` between the markers."""
    new, times = MARKERS.subn(lambda match: match[1] + figures + match[2], text)
    if times != 1:
        sys.exit("README.md: expected the markers <!-- bench: begin --> and <!-- bench: end --> once")
    return new


def table(report: dict[str, Any]) -> str:
    """Return the chosen layers as a Markdown table, with where and when they were measured."""
    layers = {layer["layer"]: layer for layer in report["layers"]}
    oracle = layers["oracle"]["per_s"]
    rows = [
        f"| {layer['what']} | {amount(layer['per_s'])} {layer['unit']} | {layer['per_s'] / oracle:,.0f} |"
        for layer in (layers[name] for name in LAYERS if name in layers)
    ]
    build = report["build"]
    return "\n".join(
        [
            "| one core, unless it says otherwise | a second | times the oracle |",
            "|---|---:|---:|",
            *rows,
            "",
            f"Medians on {report['processor']} ({report['processors_usable']} cores), {report['date'][:10]}: compiler "
            f"{build['compiler']}, `{build['flags']}`, path `{build['isa']}`; signature `{report['signature']}`.",
            "",
        ]
    )


def amount(number: float) -> str:
    """Return a speed with about three digits."""
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g}"


def main() -> None:
    """Measure with `wts-fast bench` itself, so that anyone can repeat it."""
    seconds = sys.argv[1] if len(sys.argv) > 1 else "20"
    command = [sys.executable, "-m", "wts_fast", "bench", "--json", "--seconds", seconds]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    report = json.loads(done.stdout)
    if not report["ok"] or not report["optimised"]:
        sys.exit("a result is wrong, or the build is not optimised: nothing to publish")
    README.write_text(replaced(README.read_text(encoding="utf-8"), table(report)), encoding="utf-8")


if __name__ == "__main__":
    main()
