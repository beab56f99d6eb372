"""The conformance file, put to both engines; and the scorer, put to engines that are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wts_fast import conformance, oracle
from wts_fast.errors import WtsError

CASES = conformance.load()
CLAUSES = [f"R{n}" for n in range(1, 26)]
GAPS = [f"G{n}" for n in range(1, 8)]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(rules: Any, case: dict[str, Any], tmp_path: Path) -> None:
    alone = tmp_path / "case.json"
    alone.write_text(json.dumps({"schema": 1, "cases": [case]}), encoding="utf-8")
    (result,) = conformance.score(rules.Position, alone)
    assert result.problems == ()


@pytest.mark.parametrize("clause", CLAUSES + GAPS)
def test_every_clause_and_every_gap_has_cases(clause: str) -> None:
    assert sum(clause in case["clauses"] for case in CASES) >= (2 if clause in CLAUSES else 1)


def test_names_are_unique_and_begin_with_their_first_clause() -> None:
    names = [case["name"] for case in CASES]
    assert len(set(names)) == len(names)
    assert [n for n, case in zip(names, CASES, strict=True) if n[:3] != f"r{int(case['clauses'][0][1:]):02}"] == []


def test_cases_hold_only_documented_fields() -> None:
    text = (Path(__file__).parents[2] / "RULES.md").read_text(encoding="utf-8")
    fields = {key for case in CASES for key in case}
    fields |= {key for case in CASES for turn in case["turns"] + case.get("refused", []) for key in turn}
    fields |= {key for case in CASES for turn in case["turns"] for event in turn["events"] for key in event}
    assert [field for field in sorted(fields) if f"`{field}`" not in text] == []


class Wrong(oracle.Position):
    """An engine that forgets one thing; `score` must see it."""

    __slots__ = ()


class NoVerdict(Wrong):
    outcome = None  # type: ignore[assignment]


class NoMoves(Wrong):
    legal = ()  # type: ignore[assignment]


class Lenient(Wrong):
    def play(self, black: object, white: object) -> Any:
        try:
            return super().play(black, white)
        except ValueError:
            return self


class Swapping(Wrong):
    def play(self, black: object, white: object) -> Any:
        return super().play(white, black)


class Silent(Wrong):
    def explain(self, black: object, white: object) -> Any:
        turn = super().explain(black, white)
        return type(turn)(turn.position, turn.events[:-1])


class Broken(Wrong):
    def play(self, black: object, white: object) -> Any:
        raise RuntimeError("out of order")


@pytest.mark.parametrize("wrong", [NoVerdict, NoMoves, Lenient, Swapping, Silent, Broken])
def test_the_scorer_sees_a_wrong_engine(wrong: Any) -> None:
    results = conformance.score(wrong)
    assert len(results) == len(CASES)
    assert [result for result in results if not result.passed]


@pytest.mark.parametrize("text", ['{"schema": 2, "cases": []}', '{"cases": []}', "[]", "not JSON", ""])
def test_a_file_that_is_no_conformance_file_is_refused(tmp_path: Path, text: str) -> None:
    other = tmp_path / "other.json"
    other.write_text(text, encoding="utf-8")
    with pytest.raises(WtsError) as caught:
        conformance.load(other)
    assert caught.value.code == "schema"
