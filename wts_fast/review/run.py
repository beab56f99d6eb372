"""`review`: analyse the positions of a game from its end back to its start, and take its turns apart."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .._kernel import Position
from ..analysis import Analysis, analyze
from ..errors import WtsError
from ..game import Game
from ..limits import MOST_NODES, duration, whole
from ..record import Record
from ..squares import NUM_SQUARES, Square
from ..symmetry import symmetries_of
from ..threats import threats
from .assess import assess, put, symmetric, within
from .missed import Bounds, Seen, missed
from .model import Choice, Review, TurnReview

__all__ = ["SECONDS", "review"]

Floats = npt.NDArray[np.float64]

#: For a turn, where nothing else is said.
SECONDS = 0.2

_EXACT = 2e-6  # bounds are kept in single precision


def review(
    game: Game | Record,
    *,
    seconds: float | None = None,
    nodes: int | None = None,
    seed: int | None = None,
    threads: int = 1,
    memory_mb: int = 512,
    on_progress: Callable[[int, int], object] | None = None,
    should_stop: Callable[[], object] | None = None,
    keep_on_interrupt: bool = False,
) -> Review:
    """Take a game apart: what each player's choices lost, and what luck gave.

    Parameters
    ----------
    game : Game or Record
        The game, finished or not.
    seconds : float, optional
        For the analysis of each position; 0.2 if `nodes` is not given either.
    nodes : int, optional
        For each position, from 1. With nodes alone the same game gives the same review.
    seed : int, optional
        0 to 2^64 - 1; drawn if left out. The tree draws nothing, so it changes nothing.
    threads, memory_mb : int
        As for `analyze`.
    on_progress : callable, optional
        Called with the number of positions analysed so far and that of all.
    should_stop : callable, optional
        Asked some hundred times a second. Once it returns something true, the review ends with the turns it has.
    keep_on_interrupt : bool
        Whether Ctrl-C ends the review in the same way, instead of raising `KeyboardInterrupt`.

    Returns
    -------
    Review
        Work goes from the end of the game to its start, so what an interrupted review holds are the last turns, with
        the numbers of a whole one.

    Raises
    ------
    LimitError
        If a limit, the seed or `threads` is not what it should be.
    WtsError
        If `game` is none, or, from a record, not one that can be played.

    Notes
    -----
    The payoffs of a position are those of its analysis, but for what was played: there stands the value of the position
    that followed, which is known from looking further. The matrix is solved again, which gives the value of the
    position, and so on to the start. So the numbers of all turns add up, without remainder, to what became of the game:
    see `assess`. Where the analysis has proved bounds, the value keeps to them, and where a symmetry maps the position
    to itself, the matrix and the mixtures have it too.

    Examples
    --------
    >>> from wts_fast import Game
    >>> game = Game("9/9/9/9/2bbbb3/9/9/9/w1w1w4 -")
    >>> after = game.play("B5", "G5")
    >>> found = review(game, nodes=200)
    >>> turn = found.turns[0]
    >>> turn.outcome, round(turn.before - turn.black.loss + turn.white.loss + turn.luck, 9)
    (<Outcome.BLACK: 1>, 1.0)
    """
    if isinstance(game, Record):
        game = Game.from_record(game)
    if not isinstance(game, Game):
        raise WtsError(f"expected a Game, not {type(game).__name__}", code="game-type", field="game")
    limit = duration(SECONDS if seconds is None and nodes is None else seconds)
    most = None if nodes is None else whole(nodes, "nodes", 1, MOST_NODES)
    number = secrets.randbits(64) if seed is None else whole(seed, "seed", 0, 2**64 - 1)
    whole(threads, "threads", 1, 2**31 - 1)

    def look(position: Position) -> Analysis:
        return analyze(
            position,
            seconds=limit,
            nodes=most,
            seed=number,
            threads=threads,
            memory_mb=memory_mb,
            should_stop=should_stop,
        )

    begun = time.perf_counter()
    positions = game.positions
    total = len(positions) - (game.outcome is not None)
    end = value = None
    bounds: Bounds = (-1.0, 1.0)
    turns: list[TurnReview] = []
    used = threads
    compiling = 0.0
    try:
        for index in reversed(range(len(positions))):
            position = positions[index]
            found = look(position)
            used = found.threads
            compiling += found.compile_seconds
            if found.stopped_by == "interrupt":
                break
            if index == len(positions) - 1:
                end = value = found.value
            else:
                assert value is not None
                turn = _turn(index + 1, position, game.turns[index], found, value, bounds, positions[index + 1])
                turns.append(turn)
                value = turn.before
            bounds = found.lower, found.upper
            if on_progress is not None and found.stopped_by != "finished":
                on_progress(total - index, total)
    except KeyboardInterrupt:
        if not keep_on_interrupt:
            raise
    return Review(
        tags=dict(game.tags),
        start=game.start,
        length=len(game),
        result=game.result,
        outcome=game.outcome,
        turns=tuple(reversed(turns)),
        start_value=value,
        end=end,
        complete=end is not None and len(turns) == len(game),
        seconds_a_turn=limit,
        nodes_a_turn=most,
        seed=number,
        threads=used,
        seconds=time.perf_counter() - begun - compiling,
        compile_seconds=compiling,
    )


def _turn(
    number: int,
    position: Position,
    played: tuple[Square, Square],
    found: Analysis,
    after: float,
    bounds: Bounds,
    following: Position,
) -> TurnReview:
    """Take one turn apart, given the value of the position that followed and what is proved about it."""
    assert found.payoffs is not None
    legal = position.legal
    places = {square: i for i, square in enumerate(legal)}
    images = [
        (np.array([places[int(squares[s])] for s in legal], np.intp), swap) for squares, swap in symmetries_of(position)
    ]
    payoff = symmetric(found.payoffs[np.ix_(legal, legal)], images)
    row, column = (places[square] for square in played)
    put(payoff, row, column, after, images)
    fixed = np.zeros(payoff.shape, np.bool_)
    for place, swap in [(np.arange(len(legal)), False), *images]:
        fixed[(place[column], place[row]) if swap else (place[row], place[column])] = True
    payoff = within(payoff, found.lower - _EXACT, found.upper + _EXACT, fixed)
    judged = assess(payoff, row, column, images)
    seen = Seen(
        played=played,
        outcome=following.outcome,
        legal=legal,
        payoff=payoff,
        mixes=(judged.black, judged.white),
        losses=(judged.black_losses, judged.white_losses),
        before=(found.lower, found.upper),
        after=bounds,
    )
    return TurnReview(
        number=number,
        position=position,
        before=judged.value,
        after=after,
        black=_choice(legal, row, judged.black, judged.black_losses),
        white=_choice(legal, column, judged.white, judged.white_losses),
        luck=judged.luck,
        lower=found.lower,
        upper=found.upper,
        outcome=following.outcome,
        missed=missed(seen, threats(position)),
        nodes=found.nodes,
    )


def _choice(legal: tuple[Square, ...], place: int, mix: Floats, losses: Floats) -> Choice:
    shares, costs = np.zeros(NUM_SQUARES), np.full(NUM_SQUARES, np.nan)
    shares[list(legal)], costs[list(legal)] = mix, losses
    for array in (shares, costs):
        array.setflags(write=False)
    return Choice(legal[place], float(mix[place]), float(losses[place]), shares, costs)
