"""tests/mutate.py can only prove something while its breaks fit the sources and name every clause."""

from __future__ import annotations

import pytest
from mutate import ROOT, Break, broken, read_breaks

BREAKS = read_breaks()


def test_every_clause_has_a_break() -> None:
    assert {change.clause for change in BREAKS} == {f"R{n}" for n in range(1, 26)}


@pytest.mark.parametrize("change", BREAKS, ids=[f"{b.clause}-{b.what}" for b in BREAKS])
def test_the_break_fits_the_sources(change: Break) -> None:
    source = (ROOT / "src/wts_fast" / change.file).read_text(encoding="utf-8")
    assert broken(source, change) != source
