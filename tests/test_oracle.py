"""The oracle as a value, its key and canonical form from their definitions, and its random play."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator

import pytest

from wts_fast.errors import InvalidPosition, WtsError
from wts_fast.oracle import Position, random_playout, uniform_choice
from wts_fast.squares import SYMMETRIES
from wts_fast.state import Outcome, State

SAMPLE = "9/9/9/9/3be3w/9/2e6/9/9 E5,C3"


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_position_survives_every_pickle_protocol(protocol: int) -> None:
    position = Position(SAMPLE)
    again = pickle.loads(pickle.dumps(position, protocol))
    assert (again, hash(again), again.key) == (position, hash(position), position.key)


def test_a_position_is_a_value() -> None:
    position = Position(SAMPLE)
    assert copy.copy(position) is position
    assert copy.deepcopy(position) is position
    assert repr(position) == f"Position('{SAMPLE}')"
    assert position == Position.from_state(position.state)
    assert position != Position(SAMPLE.replace("E5,C3", "C3,E5"))
    assert position != SAMPLE
    with pytest.raises(AttributeError):
        position._state = State()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del position._state
    with pytest.raises(AttributeError):
        position.note = "x"  # type: ignore[attr-defined]


def test_a_state_that_no_board_can_hold_is_refused() -> None:
    with pytest.raises(InvalidPosition):
        Position.from_state(State((81,), (), ()))


def test_the_key_is_made_from_published_words() -> None:
    """The first outputs of splitmix64 from seed 0 are the words of A1 and B1 for Black."""
    assert Position().key == 0
    assert Position("9/9/9/9/9/9/9/9/b8 -").key == 0xE220A8397B1DCDAF
    assert Position("9/9/9/9/9/9/9/9/1b7 -").key == 0x6E789E6AA1B965F4
    assert Position("9/9/9/9/9/9/9/9/bb7 -").key == 0xE220A8397B1DCDAF ^ 0x6E789E6AA1B965F4


def test_canonical_is_the_same_for_all_sixteen_and_sorts_first() -> None:
    images = [Position(SAMPLE).transform(symmetry, swap) for symmetry in SYMMETRIES for swap in (False, True)]
    assert len({str(image) for image in images}) == 16
    assert {str(image.canonical()) for image in images} == {min(str(image) for image in images)}


@pytest.mark.parametrize("symmetry", ["rotate", "", None, 3])
def test_an_unknown_symmetry_is_refused(symmetry: object) -> None:
    with pytest.raises(WtsError) as caught:
        Position().transform(symmetry)  # type: ignore[arg-type]
    assert caught.value.code == "symmetry"


def test_an_unknown_colour_is_refused() -> None:
    with pytest.raises(WtsError):
        Position().winning("red")  # type: ignore[arg-type]


def test_notebooks_see_a_picture() -> None:
    assert Position(SAMPLE)._repr_svg_().startswith("<svg ")


def test_random_play_follows_the_indices_it_is_given() -> None:
    """Black always names the first legal square and White the second: A1 to I1 fill up in turn."""
    told: list[int] = []

    def choose(num_legal: int) -> tuple[int, int]:
        told.append(num_legal)
        return 0, 1

    playout = random_playout(Position(), choose, cap=3)
    assert told == [81, 79, 77]
    assert str(playout.position) == "9/9/9/9/9/9/9/9/bwbwbw3 -"
    assert (playout.outcome, playout.turns) == (None, 3)


def test_random_play_of_a_finished_game_is_no_play() -> None:
    def never(num_legal: int) -> tuple[int, int]:
        raise AssertionError("nothing is left to choose")

    playout = random_playout(Position("9/9/9/9/9/9/9/9/bbbbb4 -"), never)
    assert (playout.outcome, playout.turns) == (Outcome.BLACK, 0)


def test_random_play_is_uniform_and_independent() -> None:
    """Chi-square over the first squares of both players, 81 x 81 cells folded to 9 x 9 ranks (seed 1)."""
    choose = uniform_choice(1)
    counts = [[0] * 9 for _ in range(9)]
    for _ in range(16200):
        black, white = choose(81)
        counts[black // 9][white // 9] += 1
    chi_square = sum((count - 200) ** 2 / 200 for row in counts for count in row)
    assert 40 < chi_square < 130  # 80 degrees of freedom: 1 in 10,000 lies above 130


def test_random_games_end_and_repeat_by_their_seed() -> None:
    def lengths() -> Iterator[int]:
        for seed in range(20):
            playout = random_playout(Position(), uniform_choice(seed))
            assert playout.outcome is not None
            assert playout.position.legal == ()
            yield playout.turns

    assert list(lengths()) == list(lengths())
