"""Both strategies as heat maps in a PNG, by matplotlib, which is loaded for this alone."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

from ..errors import WtsError
from ..squares import FILES, NUM_SQUARES, RANKS
from ..state import State
from .marks import HasState, checked_heat, percent, pieces_of, state_of

__all__ = ["png_pair", "require"]

_WOOD, _LINE, _INK, _BLUE = "#eddfc0", "#c9b48a", "#2b2a26", (0x0B / 255, 0x4A / 255, 0x86 / 255)


def require() -> None:
    """Make sure that matplotlib is there.

    Raises
    ------
    WtsError
        If it cannot be loaded (code ``matplotlib``); the reason says how to get it.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise WtsError("a PNG needs matplotlib: pip install 'wts_fast[png]'", code="matplotlib", field="png") from None


def png_pair(
    position: State | HasState, black: Iterable[float], white: Iterable[float], *, title: str = "", width: int = 1600
) -> bytes:
    """Return the heat maps of both strategies side by side, Black's on the left.

    Parameters
    ----------
    position : State or position
        The board.
    black, white : iterable of 81 floats
        Both strategies.
    title : str
        The heading.
    width : int
        In pixels.

    Raises
    ------
    WtsError
        If matplotlib is not there, or the state or a strategy is not what it should be.
    """
    require()
    # Without pyplot: no window system is asked for, and nothing is kept between two pictures.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    state = state_of(position)
    figure = Figure(figsize=(12, 6.6), dpi=width / 12, facecolor="#fffdf8")
    FigureCanvasAgg(figure)
    if title:
        figure.suptitle(title, fontsize=15, color=_INK)
    for number, (name, heat) in enumerate((("Black", black), ("White", white)), 1):
        axes = figure.add_subplot(1, 2, number)
        _board(axes, state, checked_heat(heat, name.lower()), name)
    figure.tight_layout()
    stream = io.BytesIO()
    # Without the version of matplotlib: the same picture everywhere the fonts are the same.
    figure.savefig(stream, format="png", metadata={"Software": None})
    return stream.getvalue()


def _board(axes: Any, state: State, heat: tuple[float, ...], name: str) -> None:
    from matplotlib.patches import Circle, Ellipse, Rectangle

    axes.set_title(f"{name} (percent)", fontsize=13, color=_INK)
    axes.set_xlim(0, 9)
    axes.set_ylim(0, 9)
    axes.set_aspect("equal")
    axes.set_xticks([i + 0.5 for i in range(9)], list(FILES))
    axes.set_yticks([i + 0.5 for i in range(9)], list(RANKS))
    axes.tick_params(length=0, colors=_INK)
    pieces = pieces_of(state)
    peak = max(heat) or 1.0
    wood = [int(_WOOD[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    for square in range(NUM_SQUARES):
        x, y = square % 9, square // 9
        share = heat[square] / peak
        shade = tuple(w + share * (b - w) for w, b in zip(wood, _BLUE, strict=True))
        axes.add_patch(Rectangle((x, y), 1, 1, facecolor=shade, edgecolor=_LINE))
        middle = (x + 0.5, y + 0.5)
        if square not in pieces:
            colour = "white" if share > 0.55 else _INK
            axes.text(*middle, percent(heat[square]), ha="center", va="center", color=colour, fontsize=12)
            continue
        turtle, age = pieces[square]
        if turtle is None:
            axes.add_patch(Ellipse(middle, 0.5, 0.64, facecolor="#f9d976", edgecolor="#8a6100"))
            axes.text(*middle, str(age), ha="center", va="center", color=_INK, fontsize=11)
        else:
            fill, ink = ("#1c1c1c", "white") if turtle == "black" else ("white", _INK)
            axes.add_patch(Circle(middle, 0.36, facecolor=fill, edgecolor="#1c1c1c", linewidth=1.5))
            axes.text(*middle, turtle[0].upper(), ha="center", va="center", color=ink, fontsize=11)
