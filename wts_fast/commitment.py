"""A square that is chosen now and shown later: its salted hash tells nothing, and binds.

The hash is SHA-256 of the text ``E5 0123456789abcdef0123456789abcdef``: the square, a blank, and sixteen random bytes
as 32 hexadecimal digits. Without them a hash of one of 81 squares could be guessed. Anyone can check it::

    printf 'E5 0123456789abcdef0123456789abcdef' | sha256sum
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass

from .errors import WtsError
from .squares import Square, parse_square, square_name

__all__ = ["SALT_BYTES", "Commitment", "commit", "verify"]

SALT_BYTES = 16


@dataclass(frozen=True, slots=True)
class Commitment:
    """A square with the salt that hides it and the hash that binds it.

    Attributes
    ----------
    square : int
        The square.
    salt_hex, digest_hex : str
        32 and 64 hexadecimal digits, lower case.
    """

    square: Square
    salt_hex: str
    digest_hex: str


def commit(square: str | int, salt: bytes | None = None) -> Commitment:
    """Commit to a square.

    Parameters
    ----------
    square : str or int
        Its name or its number.
    salt : bytes, optional
        16 of them; drawn from the system's entropy if left out, as they should be where it counts.

    Raises
    ------
    InvalidSquare
        If that is no square.
    WtsError
        If the salt is not 16 bytes (code ``salt``).

    Examples
    --------
    >>> made = commit("E5", bytes(16))
    >>> made.salt_hex
    '00000000000000000000000000000000'
    >>> verify(made.digest_hex, "E5", made.salt_hex), verify(made.digest_hex, "E6", made.salt_hex)
    (True, False)
    """
    number = parse_square(square, "square")
    chosen = secrets.token_bytes(SALT_BYTES) if salt is None else salt
    if not isinstance(chosen, bytes) or len(chosen) != SALT_BYTES:
        raise WtsError(f"expected {SALT_BYTES} bytes", code="salt", field="salt")
    return Commitment(number, chosen.hex(), _digest(number, chosen.hex()))


def verify(digest_hex: str, square: str | int, salt_hex: str) -> bool:
    """Return whether a hash is that of a square and a salt.

    Parameters
    ----------
    digest_hex : str
        What was shown before.
    square : str or int
        What is said to stand behind it.
    salt_hex : str
        32 hexadecimal digits.

    Raises
    ------
    InvalidSquare
        If `square` is none.
    """
    number = parse_square(square, "square")
    if not isinstance(digest_hex, str) or not isinstance(salt_hex, str):
        return False
    salt, digest = salt_hex.lower(), digest_hex.lower()
    if not re.fullmatch("[0-9a-f]{32}", salt) or not digest.isascii():
        return False
    return hmac.compare_digest(digest, _digest(number, salt))


def _digest(square: Square, salt_hex: str) -> str:
    return hashlib.sha256(f"{square_name(square)} {salt_hex}".encode("ascii")).hexdigest()
