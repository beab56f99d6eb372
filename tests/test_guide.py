"""The advice of docs/players.md wins: a player who follows it and knows nothing else beats level 1."""

from __future__ import annotations

import random

from wts_fast import Outcome, Position
from wts_fast.levels import choose
from wts_fast.threats import threats

GAMES = 20


def fives() -> list[list[int]]:
    """All lines of five squares."""
    lines = []
    for square in range(81):
        for files, ranks in ((1, 0), (0, 1), (1, 1), (1, -1)):
            line = [(square % 9 + files * n, square // 9 + ranks * n) for n in range(5)]
            if all(0 <= file < 9 and 0 <= rank < 9 for file, rank in line):
                lines.append([rank * 9 + file for file, rank in line])
    return lines


FIVES = fives()


def follow_the_guide(position: Position, rng: random.Random) -> int:
    """Complete a row; else name the square where the other would; else lengthen the line with the most room."""
    own, other = threats(position).side("black"), threats(position).side("white")
    for rows in (own.completions, other.completions):
        if rows:
            return rng.choice(rows).square
    if own.offers and position.eggs:
        return rng.choice(own.offers).square
    room = dict.fromkeys(position.legal, 0.0)
    barred = {*position.white, *position.eggs}
    for line in FIVES:
        if not barred & set(line):
            for square in set(line) & room.keys():
                room[square] += 4.0 ** len(set(line) & set(position.black))
    return max(room, key=lambda square: room[square] + rng.random())


def won(level: int, seed: int) -> float:
    rng, position = random.Random(seed), Position()
    for turn in range(200):
        if position.outcome is not None:
            break
        white = choose(position, 1, level, seed=1000 * seed + turn).square
        position = position.play(follow_the_guide(position, rng), white)
    return {Outcome.BLACK: 1.0, Outcome.WHITE: 0.0}.get(position.outcome, 0.5)  # type: ignore[arg-type]


def test_the_advice_of_the_guide_beats_level_1() -> None:
    assert sum(won(1, seed) for seed in range(GAMES)) >= 0.9 * GAMES


def test_level_2_loses_to_it_less_often() -> None:
    """And still in more than half of the games: a beginner has somewhere to go."""
    assert 0.5 * GAMES < sum(won(2, seed) for seed in range(GAMES)) < 0.9 * GAMES
