"""Random play: uniform, independent, reproducible, the same on every path and for every number of threads."""

import numpy as np
import pytest

from wts_fast import _kernel, oracle
from wts_fast.engine import STATE_DTYPE, Batch, Playouts, playouts
from wts_fast.errors import LimitError, WtsError

PATHS = _kernel.build_info()["isa_usable"]
EGGS = "1b1b1b3/wwe1e2b1/1e1w1w3/b2e1b2w/2w1e1b2/1b2w1e2/w1e2b1w1/2b1w2e1/1w2b2b1 C8,E8,B7,D6,E5,G4,C3,H2"
MASK = (1 << 64) - 1


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def xoshiro(seed, game):
    """Draw what the kernel draws for one game, written from the generator's definition alone."""
    golden = 0x9E3779B97F4A7C15
    stream = mix((seed + golden * (game + 1)) & MASK)
    s = [mix((stream + golden * (i + 1)) & MASK) for i in range(4)]

    def rotl(x, k):
        return ((x << k) | (x >> (64 - k))) & MASK

    while True:
        yield (rotl((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)


def oracle_game(start, seed, game, cap):
    """Play a numbered game with the oracle; return the outcome's code and the number of turns."""
    position, draws, turns = oracle.Position(start), xoshiro(seed, game), 0
    while position.outcome is None and turns < cap:
        draw, legal = next(draws), position.legal
        black, white = ((draw >> 32) * len(legal)) >> 32, ((draw & 0xFFFFFFFF) * len(legal)) >> 32
        position, turns = position.play(legal[black], legal[white]), turns + 1
    codes = {None: 0, "BLACK": 1, "WHITE": 2, "DRAW": 3}
    return position, codes[position.outcome and position.outcome.name], turns


def game_hash(position, game, turns, code):
    """Return the checksum's part of one game, from the oracle's board."""

    def words(squares):
        bits = sum(1 << s for s in squares)
        return ((bits & MASK) + 0x9E3779B97F4A7C15 * (bits >> 64)) & MASK

    def rotl(x, k):
        return ((x << k) | (x >> (64 - k))) & MASK

    board = words(position.black) ^ rotl(words(position.white), 21) ^ rotl(words(position.eggs), 42)
    return mix(((board ^ (turns * 4 + code)) + 0x9E3779B97F4A7C15 * game) & MASK)


@pytest.mark.parametrize("isa", PATHS)
@pytest.mark.parametrize(
    ("start", "games", "cap"), [(str(_kernel.Position()), 40, 1000), (EGGS, 40, 1000), (EGGS, 20, 3)]
)
def test_every_path_plays_the_reference_games(isa, start, games, cap):
    seed, checksum, turns, codes = 20261130, 0, 0, []
    for game in range(games):
        position, code, length = oracle_game(start, seed, game, cap)
        checksum += game_hash(position, game, length, code)
        turns += length
        codes.append(code)
    got = playouts(_kernel.Position(start), games, seed=seed, cap=cap, isa=isa)
    counts = [codes.count(code) for code in range(4)]
    assert [got.unfinished, got.black, got.white, got.draws] == counts
    assert (got.turns, got.checksum) == (turns, checksum & MASK)


@pytest.mark.parametrize("isa", PATHS)
def test_paths_agree_on_many_games_with_eggs_and_captures(isa):
    assert playouts(_kernel.Position(EGGS), 6000, seed=5, isa=isa) == playouts(_kernel.Position(EGGS), 6000, seed=5)


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_any_number_of_threads_gives_the_same_answer(threads):
    assert playouts(n=100_003, seed=9, threads=threads) == playouts(n=100_003, seed=9)


def test_another_seed_gives_other_games():
    assert playouts(n=100, seed=1).checksum != playouts(n=100, seed=2).checksum


def test_a_finished_position_counts_as_it_stands():
    won = _kernel.Position("9/9/9/9/9/9/9/9/bbbbb4 -")
    for isa in PATHS:
        assert playouts(won, 11, isa=isa) == Playouts(11, 0, 11, 0, 0, 0, playouts(won, 11).checksum)


def test_one_empty_square_is_a_collision_and_a_full_board():
    position = _kernel.Position(
        "wwbbwwbb1/bbwwbbwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw -"
    )
    assert position.legal == (80,)
    for isa in PATHS:
        result = playouts(position, 5, isa=isa)
        assert (result.turns, result.draws) == (5, 5)


def test_r24_a_game_cut_off_by_the_cap_is_unfinished_and_not_a_draw():
    for isa in PATHS:
        result = playouts(n=50, seed=3, cap=4, isa=isa)
        assert (result.unfinished, result.draws, result.turns) == (50, 0, 200)


def test_no_games_is_an_answer_too():
    assert playouts(n=0) == Playouts(0, 0, 0, 0, 0, 0, 0)
    assert playouts(n=0).value == 0.0


def test_squares_are_uniform_and_the_players_independent():
    """One random turn from a position with 77 empty squares, many times; chi-square over squares and over pairs."""
    start = _kernel.Position("9/9/2b3e2/9/9/9/w8/9/4w4 G7")
    n, legal, seed = 200_000, start.legal, 77
    rng_first = [next(xoshiro(seed, game)) for game in range(3)]
    states = np.frombuffer(start.to_bytes(), STATE_DTYPE)
    assert states["num_eggs"][0] == 1
    assert len(set(rng_first)) == 3
    draws = np.array([next(xoshiro(seed, game)) for game in range(n)], np.uint64)
    size = np.uint64(len(legal))
    black = ((draws >> np.uint64(32)) * size) >> np.uint64(32)
    white = ((draws & np.uint64(0xFFFFFFFF)) * size) >> np.uint64(32)
    # That the kernel plays these draws is proved by the oracle's games above; here is how good they are.
    for ranks in (black, white):
        counts = np.bincount(ranks.astype(np.int64), minlength=len(legal))
        statistic = ((counts - n / len(legal)) ** 2 / (n / len(legal))).sum()
        assert abs(statistic - (len(legal) - 1)) < 5 * np.sqrt(2 * (len(legal) - 1)), f"seed {seed}: {statistic}"
    pairs = np.bincount((black * size + white).astype(np.int64), minlength=len(legal) ** 2)
    expected = n / len(legal) ** 2
    statistic = ((pairs - expected) ** 2 / expected).sum()
    freedom = len(legal) ** 2 - 1
    assert abs(statistic - freedom) < 5 * np.sqrt(2 * freedom), f"seed {seed}: {statistic}"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"n": -1}, "n"),
        ({"n": True}, "n"),
        ({"n": 1.5}, "n"),
        ({"n": "10"}, "n"),
        ({"seed": -1}, "seed"),
        ({"seed": 1 << 64}, "seed"),
        ({"threads": 0}, "threads"),
        ({"threads": 2.0}, "threads"),
        ({"cap": 0}, "cap"),
    ],
)
def test_numbers_out_of_range_are_refused_by_name(arguments, field):
    with pytest.raises(LimitError) as caught:
        playouts(**arguments)
    assert caught.value.field == field


def test_a_path_that_does_not_exist_is_refused():
    with pytest.raises(WtsError) as caught:
        playouts(n=1, isa="sse9")
    assert caught.value.field == "isa"


@pytest.mark.parametrize("isa", PATHS)
def test_batch_playouts_from_many_positions_equal_those_from_one(isa):
    positions = [_kernel.Position(), _kernel.Position(EGGS), _kernel.Position("9/9/9/9/9/9/9/9/bbbbb4 -")]
    rows = Batch(positions).playouts(300, seed=4, isa=isa)
    assert rows.sum(axis=1).tolist() == [300, 300, 300]
    assert rows[2].tolist() == [0, 300, 0, 0]
    first = playouts(positions[0], 300, seed=4)
    assert rows[0].tolist() == [first.unfinished, first.black, first.white, first.draws]
    assert rows.tolist() == Batch(positions).playouts(300, seed=4, threads=2).tolist()
