"""One number for how this build plays: the same on every machine, instruction set and number of threads.

It moves when a rule, a text, a key or the generator of random play moves, and at nothing else. Numbers with a
point (strategies, values) are left out: processors may round them differently.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

import numpy as np

from ._kernel import Position
from .engine import Batch, playouts

__all__ = ["POSITIONS", "format_signature", "signature"]

#: Fixed positions by name: boards as random play finds them, and dense ones where captures, hatching,
#: dissolving eggs, sudden death and the full board are near.
POSITIONS: dict[str, str] = {
    "start": "9/9/9/9/9/9/9/9/9 -",
    "middle": "ww5b1/3bwe1b1/b3w1bw1/wb3wb2/2b1wb3/w1e1wbeww/ww1b1b3/1bw2wwb1/bb4b2 F8,G4,C4",
    "brackets": "2bbbebw1/wwebe1ebw/wwwb2be1/5eb1w/1we3www/ebw1b1bw1/w1bbb1bee/1bee1eew1/wb1b4e "
    "G8,I3,H3,C8,D2,F2,I1,C5,A4,G2,F9,F6,H7,C2,E8",
    "eggs": "1eeeweebe/wb2we1ww/wwb1ww1ee/ebeeebb1e/w1we1ww2/wb1eeew1e/ewwwe1e2/eb1ewwe1w/2eewbe1w "
    "E4,G3,G2,E3,I6,E6,D9,D6,I4,I7,F9,H7,C9,G9,D2,A2,D5,F4,I9,A6,D4,F8,A3,C1,C6,D1,B9,G1",
    "sudden-death": "1w2bb1b1/wb1b1wbbw/b2bw1w1e/b2b1wbb1/b1bbw1bw1/bbwwww1wb/b1w2w1bb/web1w1e1b/wwwbew1w1 I7,B2,E1,G2",
    "nearly-full": "wwwwebweb/ebbbebwew/bwb1b1bww/wwbwwb1wb/ewwbeewbw/bwweweewb/wbbwwbbwe/b1wbbbbee/wwbbwbbwb "
    "F4,D4,A5,G4,I2,E8,E9,H2,E5,I3,H9,A8,H8,F5",
}

_GAMES = 40_000  # from the start: several chunks, so that threads can take them in any order
_GAMES_EACH = 3_000  # from every other position: more than one chunk together
_WALK = 24  # turns of a walk, at most, from every position
_ROWS, _STEPS = 64, 48  # of the batch that is played in step

_WORD = (1 << 64) - 1


def signature(threads: int = 1, isa: str | None = None) -> int:
    """Return the signature, a number of 64 bits.

    Parameters
    ----------
    threads : int
        For the random games; the number is the same for any.
    isa : str, optional
        The code path of the random games, as for `engine.playouts`; the number is the same for any. Every other part
        goes by the path that was chosen when the kernel was loaded.

    Returns
    -------
    int
        A BLAKE2b hash, cut to 64 bits, of checksums of random games, explained turns, and a batch played in step.

    Raises
    ------
    LimitError, WtsError
        If `threads` is out of range or this processor cannot run the path.

    Examples
    --------
    >>> signature() == signature(threads=2)
    True
    """
    digest = hashlib.blake2b(digest_size=8)
    for part in (_random_games(threads, isa), _walks(), _steps()):
        for line in part:
            digest.update(f"{line}\n".encode("ascii"))
    return int.from_bytes(digest.digest(), "big")


def format_signature(value: int) -> str:
    """Return a signature as it is written everywhere: 16 hexadecimal digits."""
    return f"{value:016x}"


def _random_games(threads: int, isa: str | None) -> Iterator[str]:
    positions = [Position(text) for text in POSITIONS.values()]
    yield repr(playouts(None, _GAMES, seed=1, threads=threads, isa=isa))
    for seed, position in enumerate(positions):
        yield repr(playouts(position, _GAMES_EACH, seed=seed, threads=threads, isa=isa))
    yield repr(playouts(positions[1], 500, seed=9, threads=threads, cap=5, isa=isa))
    yield repr(Batch(positions).playouts(_GAMES_EACH, seed=_WORD, threads=threads, isa=isa).tolist())


def _walks() -> Iterator[str]:
    """Turns told event by event, one walk from every position."""
    for stream, text in enumerate(POSITIONS.values()):
        position = Position(text)
        draws = _splitmix64(stream)
        for _ in range(_WALK):
            legal = position.legal
            yield f"{position} {position.key} {position.canonical()} {position.sudden_death} {legal}"
            yield f"{position.outcome} {position.winning('black')} {position.winning('white')}"
            if not legal:
                break
            black = next(draws) % len(legal)
            # Collisions are one turn in eighty on an open board; here they are one in eight.
            white = black if next(draws) % 8 == 0 else next(draws) % len(legal)
            turn = position.explain(legal[black], legal[white])
            yield json.dumps([event.as_dict() for event in turn.events], sort_keys=True)
            position = turn.position


def _steps() -> Iterator[str]:
    """Play a batch in step until most games are over."""
    batch = Batch(_ROWS)
    draws = _splitmix64(_WORD)
    for _ in range(_STEPS):
        squares = np.full((2, _ROWS), -1, np.int8)
        for row, mask in enumerate(batch.legal()):
            legal = np.flatnonzero(mask)
            if len(legal):
                squares[:, row] = [legal[next(draws) % len(legal)] for _ in range(2)]
        batch.step(squares[0], squares[1])
        yield batch.outcomes.tobytes().hex()
    for row in range(_ROWS):
        yield f"{batch[row]} {batch[row].key}"


def _splitmix64(seed: int) -> Iterator[int]:
    """Numbers that no other Python or numpy version can change (Steele, Lea and Flood, 2014)."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _WORD
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
        yield z ^ (z >> 31)
