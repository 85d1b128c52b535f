"""What was already checked in this process, so that the fuzzer does not check it again.

An input changes a document in a few places: the other parts, and often the whole, are those of an earlier input. A check
of the same part finds the same. Only the process that fuzzes remembers: there, a part that passed is left out afterwards.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

_MOST = 1_000_000
_passed: set[bytes] | None = None


@contextmanager
def remembering() -> Iterator[None]:
    """Remember what has passed, until the end of the block."""
    global _passed
    _passed = set()
    try:
        yield
    finally:
        _passed = None


def has_passed(*part: str) -> bool:
    """Whether a part, told by these texts, has passed its check; False outside of `remembering`."""
    return _passed is not None and _key(part) in _passed


def passed(*part: str) -> None:
    """Remember a part: its check found nothing."""
    if _passed is None:
        return
    if len(_passed) >= _MOST:
        _passed.clear()
    _passed.add(_key(part))


def _key(part: tuple[str, ...]) -> bytes:
    return hashlib.blake2b(repr(part).encode(), digest_size=16).digest()
