"""Commitments: anyone can check them, and nothing but the square and the salt opens them."""

from __future__ import annotations

import hashlib
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wts_fast.commitment import SALT_BYTES, commit, verify
from wts_fast.errors import InvalidSquare, WtsError
from wts_fast.squares import square_name

SALT = bytes.fromhex("0123456789abcdef0123456789abcdef")


def test_the_hash_is_that_of_the_square_and_the_salt_as_text() -> None:
    made = commit("E5", SALT)
    assert (made.square, made.salt_hex) == (40, SALT.hex())
    assert made.digest_hex == hashlib.sha256(b"E5 0123456789abcdef0123456789abcdef").hexdigest()


def test_a_shell_can_check_it() -> None:
    made = commit("A1", SALT)
    done = subprocess.run(["sha256sum"], input=f"A1 {made.salt_hex}", capture_output=True, text=True, check=True)
    assert done.stdout.split()[0] == made.digest_hex


@given(st.integers(0, 80), st.binary(min_size=SALT_BYTES, max_size=SALT_BYTES))
def test_only_the_square_opens_it(square: int, salt: bytes) -> None:
    made = commit(square, salt)
    assert [s for s in range(81) if verify(made.digest_hex, s, made.salt_hex)] == [square]
    assert verify(made.digest_hex.upper(), square_name(square).lower(), made.salt_hex.upper())


def test_a_salt_is_drawn_anew_each_time() -> None:
    assert len({commit(40).salt_hex for _ in range(100)}) == 100
    assert len({commit(40).digest_hex for _ in range(100)}) == 100


@pytest.mark.parametrize(
    ("digest", "salt"),
    [("", SALT.hex()), ("0" * 64, SALT.hex()), ("é" * 64, SALT.hex()), (None, SALT.hex())]
    + [(commit("E5", SALT).digest_hex, salt) for salt in ("", "é" * 32, SALT.hex() + "0", SALT.hex() + "\n", None)],
)
def test_what_is_no_hash_or_no_salt_verifies_nothing(digest: object, salt: object) -> None:
    assert not verify(digest, "E5", salt)  # type: ignore[arg-type]


@pytest.mark.parametrize("salt", [b"", bytes(15), bytes(17), "0" * 16, bytearray(16)])
def test_salts_of_another_size_are_refused(salt: object) -> None:
    with pytest.raises(WtsError) as caught:
        commit("E5", salt)  # type: ignore[arg-type]
    assert (caught.value.code, caught.value.field) == ("salt", "salt")


@pytest.mark.parametrize("square", ["", "E0", 81, -1, True, None, "E5 "])
def test_what_is_no_square_is_refused(square: object) -> None:
    with pytest.raises(InvalidSquare):
        commit(square)  # type: ignore[arg-type]
    with pytest.raises(InvalidSquare):
        verify("0" * 64, square, SALT.hex())  # type: ignore[arg-type]
