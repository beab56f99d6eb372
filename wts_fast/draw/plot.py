"""Curves over the turns of a game, and bars for each turn, as an SVG picture without any dependency.

Colours are Okabe and Ito's; what they say, a pattern of dashes or hatching and a name beside the curve say too. The
picture follows the reader's choice of light or dark.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from ..errors import WtsError
from .svg import Svg

__all__ = ["Series", "plot"]

_WIDTH, _LEFT, _RIGHT, _TOP = 900, 46, 120, 40
_CURVES, _GAP, _BARS, _BOTTOM = 260, 46, 130, 40  # heights of the panels, and what stands between and below
_LABEL = 17  # lines of text keep so far apart

_STYLE = (
    ".wts-plot{--ink:#2b2a26;--faint:#6d644f;--grid:#dfd5bd;--paper:#fffdf8;--s0:#2b2a26;--s1:#0072b2;--s2:#c04f00}"
    "@media(prefers-color-scheme:dark){.wts-plot{--ink:#f1ede2;--faint:#b5ab95;--grid:#4a463c;--paper:#22211e;"
    "--s0:#f1ede2;--s1:#56b4e9;--s2:#f0a04b}}"
    ".wts-plot text{fill:var(--ink);font-size:14px}.wts-plot .faint{fill:var(--faint);font-size:13px}"
    ".wts-plot .paper{fill:var(--paper)}.wts-plot .grid{stroke:var(--grid);stroke-width:1}"
    ".wts-plot .zero{stroke:var(--faint);stroke-width:1.2}"
    ".wts-plot .c0,.wts-plot .c1,.wts-plot .c2{fill:none;stroke-linejoin:round;stroke-linecap:round}"
    ".wts-plot .c0{stroke:var(--s0);stroke-width:3}.wts-plot .c1{stroke:var(--s1);stroke-width:2.4;"
    "stroke-dasharray:9 5}.wts-plot .c2{stroke:var(--s2);stroke-width:2.4;stroke-dasharray:1.5 5}"
    ".wts-plot .b0{fill:var(--s1)}.wts-plot .b1{fill:var(--paper);stroke:var(--s1);stroke-width:1.6}"
    ".wts-plot .b2{fill:var(--s2)}.wts-plot .t0{fill:var(--s0)}.wts-plot .t1{fill:var(--s1)}"
    ".wts-plot .t2{fill:var(--s2)}.wts-plot .turn{fill:transparent}.wts-plot .turn:hover{fill:var(--faint);"
    "fill-opacity:.14}"
)


class Series(NamedTuple):
    """A named row of numbers."""

    name: str
    values: Sequence[float]


def plot(
    curves: Sequence[Series],
    bars: Sequence[Series],
    *,
    first: int = 1,
    notes: Sequence[str] = (),
    links: Sequence[str] = (),
    title: str = "",
) -> Svg:
    """Return a picture of up to three curves over the turns, with up to three bars for each turn below.

    Parameters
    ----------
    curves : sequence of Series
        Values before the first turn and after each, one more than there are turns.
    bars : sequence of Series
        A value for each turn.
    first : int
        The number of the first turn.
    notes : sequence of str
        What to show when a turn is pointed at, for each turn, or nothing.
    links : sequence of str
        Where a click on each turn leads, an empty text for nowhere, or nothing.
    title : str
        Read out by screen readers.

    Returns
    -------
    Svg
        A ``str`` with ``_repr_svg_`` and ``_repr_html_``.

    Raises
    ------
    WtsError
        If there are too many series, their lengths do not fit, or a value is not finite.

    Examples
    --------
    >>> plot([Series("value", [0.0, 0.5])], [Series("luck", [0.5])], title="A game").startswith("<svg ")
    True
    """
    turns = len(curves[0].values) - 1 if curves else -1
    lengths = [len(c.values) - 1 for c in curves] + [len(b.values) for b in bars]
    if turns < 0 or len(curves) > 3 or len(bars) > 3 or set(lengths) != {turns}:
        raise WtsError("expected up to three curves, and up to three bars, of fitting lengths", code="plot-series")
    if not all(math.isfinite(v) for series in (*curves, *bars) for v in series.values):
        raise WtsError("a value is not finite", code="plot-finite")
    step = (_WIDTH - _LEFT - _RIGHT) / max(1, turns)
    height = _TOP + _CURVES + (_GAP + _BARS if turns and bars else 0) + _BOTTOM
    parts = [f'<rect class="paper" width="{_WIDTH}" height="{height}"/>']
    upper = _Panel(_TOP, _CURVES, [v for c in curves for v in c.values], 1.0)
    parts += upper.frame("Black's value, and what made it", first, turns, step, not (turns and bars))
    ends = []
    for index, curve in enumerate(curves):
        points = " ".join(f"{_LEFT + i * step:.1f},{upper.y(v):.1f}" for i, v in enumerate(curve.values))
        parts.append(f'<polyline class="c{index}" points="{points}"/>')
        if not turns:
            parts.append(f'<circle class="b{index}" cx="{_LEFT}" cy="{upper.y(curve.values[0]):.1f}" r="4"/>')
        ends.append((upper.y(curve.values[-1]) + 5, index, curve.name))
    for y, index, name in _apart(ends):
        parts.append(f'<text class="t{index}" x="{_WIDTH - _RIGHT + 10}" y="{y:.1f}">{escape(name)}</text>')
    if turns and bars:
        lower = _Panel(_TOP + _CURVES + _GAP, _BARS, [v for b in bars for v in b.values], 0.25)
        parts += lower.frame("Each turn", first, turns, step, True)
        parts += _draw_bars(bars, lower, step)
    bottom = height - _BOTTOM
    for i in range(turns):
        note = f"<title>{escape(notes[i])}</title>" if i < len(notes) else ""
        box = (
            f'<rect class="turn" x="{_LEFT + i * step:.1f}" y="{_TOP}" width="{step:.1f}" '
            f'height="{bottom - _TOP}">{note}</rect>'
        )
        link = links[i] if i < len(links) else ""
        parts.append(f'<a href={quoteattr(link)} aria-label="turn {first + i}">{box}</a>' if link else box)
    return Svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="wts-plot" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'height="{height}" role="{"group" if any(links) else "img"}" aria-label={quoteattr(title)} '
        f'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>{''.join(parts)}</svg>"
    )


class _Panel:
    """A part of the picture with a scale of its own, which holds all values and at least -least to least."""

    def __init__(self, top: int, height: int, values: Sequence[float], least: float) -> None:
        low, high = min(-least, *values, 0.0), max(least, *values, 0.0)
        span = high - low
        units = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0 ** math.ceil(math.log10(span)))
        self.unit = next(unit for unit in units if span <= 6 * unit)
        self.low = math.floor(low / self.unit + 1e-9) * self.unit
        self.high = math.ceil(high / self.unit - 1e-9) * self.unit
        self.top, self.height = top, height

    def y(self, value: float) -> float:
        """Return where a value stands."""
        return self.top + self.height * (self.high - value) / (self.high - self.low)

    def frame(self, heading: str, first: int, turns: int, step: float, numbered: bool) -> list[str]:
        """Return the heading, the lines of the scale and, for the lowest panel, the numbers of the turns."""
        parts = [f'<text x="{_LEFT}" y="{self.top - 14}" font-weight="bold">{escape(heading)}</text>']
        right = _WIDTH - _RIGHT
        for k in range(round(self.low / self.unit), round(self.high / self.unit) + 1):
            value, y = k * self.unit, self.y(k * self.unit)
            parts.append(f'<path class="{"grid" if k else "zero"}" d="M{_LEFT} {y:.1f}H{right}"/>')
            label = f"{value:+g}" if k else "0"
            parts.append(f'<text class="faint" x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
        if numbered:
            every = next(e for e in (1, 2, 5, 10, 20, 50, 100, 200, 500, 10**9) if turns <= 24 * e)
            for i in range(turns):
                if (first + i) % every == 0 or turns == 1:
                    x, y = _LEFT + (i + 0.5) * step, self.top + self.height + 18
                    parts.append(f'<text class="faint" x="{x:.1f}" y="{y}" text-anchor="middle">{first + i}</text>')
            parts.append(f'<text class="faint" x="{right + 10}" y="{self.top + self.height + 18}">turn</text>')
        return parts


def _draw_bars(bars: Sequence[Series], panel: _Panel, step: float) -> list[str]:
    parts = []
    width = min(14.0, 0.8 * step / len(bars))
    zero = panel.y(0.0)
    for index, series in enumerate(bars):
        for i, value in enumerate(series.values):
            x = _LEFT + (i + 0.5) * step + (index - len(bars) / 2) * width
            y = panel.y(value)
            if abs(y - zero) >= 0.3:
                parts.append(
                    f'<rect class="b{index}" x="{x:.1f}" y="{min(y, zero):.1f}" width="{0.86 * width:.1f}" '
                    f'height="{abs(y - zero):.1f}"/>'
                )
        y = panel.top + 20 + 24 * index
        parts.append(f'<rect class="b{index}" x="{_WIDTH - _RIGHT + 10}" y="{y - 11}" width="11" height="11"/>')
        parts.append(f'<text x="{_WIDTH - _RIGHT + 27}" y="{y}">{escape(series.name)}</text>')
    return parts


def _apart(labels: list[tuple[float, int, str]]) -> list[tuple[float, int, str]]:
    """Move labels that would hide one another, keeping their order from above."""
    placed: list[tuple[float, int, str]] = []
    for y, index, name in sorted(labels):
        placed.append((max(y, placed[-1][0] + _LABEL) if placed else y, index, name))
    over = placed[-1][0] - (_TOP + _CURVES + 5) if placed else 0
    return [(y - max(0.0, over), index, name) for y, index, name in placed]
