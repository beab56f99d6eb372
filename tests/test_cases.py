"""Positions with answers from a third implementation of the rules (see tests/data/README.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parent / "data"
TURNS = json.loads((DATA / "turns.json").read_text(encoding="utf-8"))
ENDGAMES = json.loads((DATA / "endgames.json").read_text(encoding="utf-8"))


def test_the_files_are_whole() -> None:
    assert (len(TURNS), len(ENDGAMES)) == (400, 20)


@pytest.mark.parametrize("chunk", range(20))
def test_turns_lead_where_the_third_implementation_says(rules: Any, chunk: int) -> None:
    for case in TURNS[chunk::20]:
        position = rules.Position(case["position"])
        assert str(position) == case["position"]
        for after in (
            position.play(case["black"], case["white"]),
            position.explain(case["black"], case["white"]).position,
        ):
            assert str(after) == case["after"]
            assert (after.outcome and after.outcome.name.lower()) == case["outcome"]


@pytest.mark.parametrize("swap", [False, True], ids=["", "swapped"])
@pytest.mark.parametrize("symmetry", ["rotate90", "mirror_files", "transpose", "rotate180"])
def test_turns_look_the_same_from_every_side(rules: Any, symmetry: str, swap: bool) -> None:
    for case in TURNS[::4]:
        position = rules.Position(case["position"]).transform(symmetry, swap)
        images = [rules.Position().play(case[c], case[c]).transform(symmetry).eggs[0] for c in ("black", "white")]
        after = position.play(*(images[::-1] if swap else images))
        assert after.state == rules.Position(case["after"]).transform(symmetry, swap).state


@pytest.mark.parametrize("number", range(20))
def test_endgames_are_open_positions_with_few_empty_squares(rules: Any, number: int) -> None:
    case = ENDGAMES[number]
    position = rules.Position(case["position"])
    assert position.outcome is None
    assert len(position.legal) == case["empties"]
    assert -1 <= case["value"] <= 1
