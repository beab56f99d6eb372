"""The signature: one number for what this build plays, equal wherever and however it is computed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wts_fast import _kernel
from wts_fast import signature as module
from wts_fast.errors import LimitError, WtsError
from wts_fast.signature import POSITIONS, format_signature, signature
from wts_fast.squares import SQUARE_NAMES

PATHS = _kernel.build_info()["isa_usable"]
STORED = (Path(__file__).parent / "data" / "signature.txt").read_text(encoding="ascii").split("\n")[-2]


def test_the_signature_is_the_stored_one() -> None:
    """It moves only on purpose: then say so in CHANGELOG.md under Behaviour, and store the new one."""
    assert format_signature(signature()) == STORED


def test_twice_in_one_process_is_the_same() -> None:
    assert signature() == signature()


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("isa", PATHS)
def test_every_path_and_thread_count_gives_the_stored_one(isa: str, threads: int) -> None:
    assert format_signature(signature(threads=threads, isa=isa)) == STORED


@pytest.mark.parametrize("isa", PATHS)
@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_a_process_of_its_own_gives_the_stored_one(isa: str, hash_seed: str, tmp_path: Path) -> None:
    """With the path forced from outside, which governs `Batch.step` too, and another order of sets and dicts."""
    code = "from wts_fast.signature import *; print(format_signature(signature()))"
    env = {**os.environ, "PYTHONHASHSEED": hash_seed, "WTS_FAST_ISA": isa}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, STORED, "")


@pytest.mark.parametrize("part", ["_random_games", "_walks", "_steps"])
def test_every_part_counts(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, part, lambda *args: iter(()))
    assert format_signature(signature()) != STORED


@pytest.mark.parametrize("name", POSITIONS)
def test_every_position_counts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POSITIONS", {n: text for n, text in POSITIONS.items() if n != name})
    assert format_signature(signature()) != STORED


def test_the_walks_meet_every_kind_of_event() -> None:
    text = "\n".join(module._walks())
    kinds = ("placement", "egg", "capture", "hatch", "dissolve", "row", "verdict")
    assert [kind for kind in kinds if f'"event": "{kind}"' not in text] == []
    assert all(name in text for name in SQUARE_NAMES)
    assert " True (" in text  # sudden death


def test_what_cannot_be_used_is_refused() -> None:
    with pytest.raises(LimitError) as caught:
        signature(threads=0)
    assert caught.value.field == "threads"
    with pytest.raises(WtsError) as other:
        signature(isa="sse9")
    assert other.value.field == "isa"
