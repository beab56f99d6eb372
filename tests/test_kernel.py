"""What the compiled kernel promises beside the rules: layout, values, forced paths, plain errors."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from wts_fast import _kernel
from wts_fast.engine import STATE_DTYPE
from wts_fast.errors import GameOver, IllegalMove, InvalidSquare, WtsError
from wts_fast.squares import SYMMETRIES

TEXT = "9/9/9/9/3be3w/9/2e6/9/9 E5,C3"


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_numpy_sees_the_layout_that_c_has():
    row = np.frombuffer(_kernel.Position(TEXT).to_bytes(), STATE_DTYPE)[0]
    assert (row["black"].tolist(), row["white"].tolist()) == ([1 << 39, 0], [1 << 44, 0])
    assert row["queue"][:3].tolist() == [40, 20, 0]
    assert (row["num_eggs"], row["outcome"]) == (2, 0)


def test_square_80_lies_in_the_high_word():
    row = np.frombuffer(_kernel.Position().play(80, 63).to_bytes(), STATE_DTYPE)[0]
    assert (row["black"].tolist(), row["white"].tolist()) == ([0, 1 << 16], [1 << 63, 0])


def test_a_position_is_a_value():
    position = _kernel.Position(TEXT)
    assert copy.copy(position) is position
    assert copy.deepcopy(position) is position
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(position, protocol)) == position
    with pytest.raises(AttributeError):
        position.legal = ()
    position.__init__("9/9/9/9/9/9/9/9/9 -")
    assert str(position) == TEXT


def test_same_pieces_in_another_egg_order_are_another_position():
    other = _kernel.Position("9/9/9/9/3be3w/9/2e6/9/9 C3,E5")
    assert other != _kernel.Position(TEXT)
    assert other.key != _kernel.Position(TEXT).key


def test_play_leaves_the_position_as_it_was():
    position = _kernel.Position(TEXT)
    position.play(0, 1)
    for squares, error in [(("E5", 0), IllegalMove), ((0, "Z1"), InvalidSquare), ((0, True), InvalidSquare)]:
        with pytest.raises(error):
            position.play(*squares)
    assert str(position) == TEXT


@pytest.mark.parametrize(
    "bad",
    [
        True,
        False,
        1.0,
        81,
        -1,
        2**31,
        2**64,
        -(2**70),
        None,
        "",
        "E",
        "E55",
        " E5",
        "E５",
        b"E5",
        np.bool_(1),
        np.float64(3),
    ],
)
def test_what_is_no_square_is_refused_with_the_players_name(bad):
    for squares, field in [((bad, 0), "black"), ((0, bad), "white")]:
        with pytest.raises(InvalidSquare) as caught:
            _kernel.Position().play(*squares)
        assert caught.value.field == field
        with pytest.raises(InvalidSquare):
            _kernel.Position().explain(*squares)


def test_numpy_integers_are_squares():
    assert _kernel.Position().play(np.int64(40), np.uint8(41)) == _kernel.Position().play(40, 41)


def test_a_finished_game_takes_no_turn():
    won = _kernel.Position("9/9/9/9/9/9/9/9/bbbbb4 -")
    for method in (won.play, won.explain):
        with pytest.raises(GameOver):
            method(70, 71)


def test_the_key_is_the_published_one():
    def mix(i):
        mask = (1 << 64) - 1
        z = (i + 1) * 0x9E3779B97F4A7C15 & mask
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        return z ^ z >> 31

    assert _kernel.Position().key == 0
    assert _kernel.Position(TEXT).key == mix(39) ^ mix(81 + 44) ^ mix(162 + 40) ^ mix(162 + 81 + 20)
    assert len({mix(i) for i in range(162 + 81 * 81)} - {0}) == 162 + 81 * 81


def test_canonical_is_shared_by_all_sixteen_and_sorts_first():
    position = _kernel.Position("4b4/7wb/3b2wbb/wbw6/1w5w1/5bw1b/2wb1b1b1/w1b5w/2w1w1e1e I1,G1")
    family = {str(position.transform(name, swap)) for name in SYMMETRIES for swap in (False, True)}
    assert len(family) == 16
    assert {str(_kernel.Position(text).canonical()) for text in family} == {min(family)}


def test_an_unknown_symmetry_is_refused():
    with pytest.raises(WtsError, match="symmetry"):
        _kernel.Position().transform("shear")


def test_the_path_can_be_forced_and_a_wrong_name_is_no_fallback():
    show = "from wts_fast import _kernel; print(_kernel.build_info()['isa'])"
    for isa in _kernel.build_info()["isa_usable"]:
        assert run(show, WTS_FAST_ISA=isa).stdout == f"{isa}\n"
    for wrong in ("", "AVX2", "sse9"):
        result = run(show, WTS_FAST_ISA=wrong)
        assert result.returncode != 0
        assert "WTS_FAST_ISA" in result.stderr


def test_build_info_names_what_was_built():
    info = _kernel.build_info()
    assert info["isa"] in info["isa_usable"]
    assert info["compiler"]
    assert info["flags"].startswith("-O")
    assert info["abi"] == _kernel.ABI


def test_hash_and_key_are_the_same_in_another_process():
    code = f"from wts_fast import _kernel; p = _kernel.Position({TEXT!r}); print(hash(p), p.key)"
    position = _kernel.Position(TEXT)
    assert run(code, PYTHONHASHSEED="1").stdout == f"{hash(position)} {position.key}\n"
