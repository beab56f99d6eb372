"""R1 to R3: squares, contents, eggs and their order."""

from __future__ import annotations

import random
from typing import Any

import pytest
from geometry81 import EVERY, board

from wts_fast.errors import InvalidPosition
from wts_fast.squares import SQUARE_NAMES
from wts_fast.state import State


def test_r01_a_square_is_nine_times_its_rank_and_its_file() -> None:
    assert [SQUARE_NAMES[n] for n in (0, 8, 9, 80, 40)] == ["A1", "I1", "A2", "I9", "E5"]
    assert [("ABCDEFGHI".index(name[0]) + 9 * (int(name[1]) - 1)) for name in SQUARE_NAMES] == list(EVERY)


@pytest.mark.parametrize("square", EVERY)
def test_r01_name_and_number_mean_the_same_square(rules: Any, square: int) -> None:
    """Placed by number and by name in either case; the text shows it by file and by rank from the top."""
    other = (square + 40) % 81
    by_number = rules.Position().play(square, other)
    for names in (SQUARE_NAMES, [name.lower() for name in SQUARE_NAMES]):
        assert rules.Position().play(names[square], names[other]) == by_number
    rank = str(by_number).split(" ")[0].split("/")[8 - square // 9]
    squares = "".join("." * int(c) if c.isdigit() else c for c in rank)
    assert squares[square % 9] == "b"
    assert by_number.black == (square,)
    assert by_number.white == (other,)


def test_r02_a_square_holds_one_thing(rules: Any) -> None:
    for state in (State((3,), (3,), ()), State((3,), (), (3,)), State((), (3,), (3,)), State((), (), (3, 3))):
        with pytest.raises(InvalidPosition):
            rules.Position.from_state(state)


def test_r02_the_four_contents(rules: Any) -> None:
    position = rules.Position("9/9/9/9/3bew3/9/9/9/9 E5")
    assert (position.black, position.white, position.eggs) == ((39,), (41,), (40,))
    assert set(position.legal) == set(EVERY) - {39, 40, 41}


@pytest.mark.parametrize("seed", range(5))
def test_r03_eggs_remember_the_order_in_which_they_were_laid(rules: Any, seed: int) -> None:
    squares = random.Random(seed).sample(EVERY, 80)
    position = rules.Position()
    for number, square in enumerate(squares, 1):
        position = position.play(square, square)
        assert position.eggs == tuple(squares[:number])
    assert board(rules, eggs=squares) == position


def test_r03_the_order_is_part_of_the_position(rules: Any) -> None:
    one, other = board(rules, "H5", "F5 G5", "A9 I1"), board(rules, "H5", "F5 G5", "I1 A9")
    assert one != other
    assert str(one) != str(other)
    assert one.key != other.key
    assert one.play("E5", "D1").black != other.play("E5", "D1").black


@pytest.mark.parametrize(
    ("symmetry", "images"),
    [
        ("identity", "A1 B1"),
        ("rotate90", "A9 A8"),
        ("rotate180", "I9 H9"),
        ("rotate270", "I1 I2"),
        ("mirror_files", "I1 H1"),
        ("mirror_ranks", "A9 B9"),
        ("transpose", "A1 A2"),
        ("antitranspose", "I9 I8"),
    ],
)
def test_r01_symmetries_send_a1_and_b1_where_their_names_say(rules: Any, symmetry: str, images: str) -> None:
    position = rules.Position().play("A1", "B1")
    image = position.transform(symmetry)
    assert [SQUARE_NAMES[square] for square in (*image.black, *image.white)] == images.split()
    swapped = position.transform(symmetry, True)
    assert [SQUARE_NAMES[square] for square in (*swapped.white, *swapped.black)] == images.split()
