"""RULES.md: every drawn example is what it says, on both engines, and every clause has one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from wts_fast.notation import parse_position
from wts_fast.squares import FILES, SQUARE_NAMES

TEXT = (Path(__file__).parents[2] / "RULES.md").read_text(encoding="utf-8")
CLAUSES = [f"R{n}" for n in range(1, 26)]
FIELDS = {"position", "turn", "after", "verdict", "legal"}


class Example(NamedTuple):
    clause: str
    drawing: list[str]
    fields: list[tuple[str, str]]

    def all(self, name: str) -> list[str]:
        return [value for field, value in self.fields if field == name]


def read_examples() -> list[Example]:
    found = []
    for chapter in re.split(r"^### ", TEXT, flags=re.MULTILINE)[1:]:
        for block in re.findall(r"^```example\n(.*?)^```$", chapter, flags=re.MULTILINE | re.DOTALL):
            drawing, fields = block.split("\n\n")
            pairs = [tuple(line.split(": ", 1)) for line in fields.splitlines()]
            found.append(Example(chapter.split()[0], drawing.splitlines(), pairs))  # type: ignore[arg-type]
    return found


EXAMPLES = read_examples()
NAMES = [f"{example.clause}-{number}" for number, example in enumerate(EXAMPLES)]


def test_every_clause_stands_there_once_with_a_drawn_example() -> None:
    assert re.findall(r"^### (R\d+) ", TEXT, flags=re.MULTILINE) == CLAUSES
    assert {example.clause for example in EXAMPLES} == set(CLAUSES)
    assert TEXT.count("```example") == len(EXAMPLES)


def test_every_ruling_is_marked_where_its_gap_says() -> None:
    for gap, clauses in re.findall(r"^\| (G\d) \|[^|]*\| ([R\d, ]+) \|", TEXT, flags=re.MULTILINE):
        for clause in clauses.split(", "):
            chapter = TEXT.split(f"### {clause} ")[1].split("\n## ")[0].split("\n### ")[0]
            # G7 needs no ruling of its own, and R24 follows from the rules.
            assert ("*Ruling:*" in chapter) == (clause not in ("R18", "R21", "R24")), (gap, clause)


def pieces(text: str) -> dict[str, str]:
    state = parse_position(text)
    shown = dict.fromkeys(state.black, "b") | dict.fromkeys(state.white, "w")
    shown |= {square: str(age) for age, square in enumerate(state.eggs, 1)}
    return {SQUARE_NAMES[square]: piece for square, piece in shown.items()}


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_the_drawing_is_a_cut_of_the_positions(example: Example) -> None:
    texts = example.all("position") + example.all("after")
    files = example.drawing[-1].split()
    assert len(files) % len(texts) == 0
    width = len(files) // len(texts)
    assert files == list(files[:width]) * len(texts)
    assert "".join(files[:width]) in FILES
    ranks = [int(line[0]) for line in example.drawing[:-1]]
    assert ranks == sorted(ranks, reverse=True)
    for line in example.drawing[:-1]:
        words = line.split()
        for number, text in enumerate(texts):
            rank, *shown = words[number * (width + 1) : (number + 1) * (width + 1)]
            assert rank == line[0]
            assert shown == [pieces(text).get(file + rank, ".") for file in files[:width]]


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_the_example_is_what_the_engine_plays(rules: Any, example: Example) -> None:
    assert {field for field, _ in example.fields} <= FIELDS
    (text,) = example.all("position")
    position = rules.Position(text)
    turns = example.all("turn")
    for turn in turns:
        position = position.play(*turn.split())
    assert example.all("after") == ([str(position)] if turns else [])
    said = {"BLACK": "Black wins", "WHITE": "White wins", "DRAW": "a draw"}
    running = "sudden death" if position.sudden_death else "play goes on"
    verdict = said[position.outcome.name] if position.outcome else running
    counts = [len(position.winning(colour)) for colour in ("black", "white")]
    assert example.all("verdict") == [f"{verdict}, {counts[0]} to {counts[1]}"]
    if example.all("legal"):
        assert example.all("legal") == [" ".join(SQUARE_NAMES[square] for square in position.legal)]
