"""Writing parts of values in stores that can only store whole values: read, patch, set.

Accepted specification, "Abstract store interface", ``set_partial_values`` and its recommended fallback.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from zarrcore.errors import StoreError

if TYPE_CHECKING:  # `WritableStore` uses this function as its default, so only types are imported from there
    from zarrcore.stores.interface import BytesLike, WritableStore

_LOCKS: Final = tuple(threading.Lock() for _ in range(64))
"""Roughly one lock per value that is being patched."""


def patch_values(store: WritableStore, key_start_values: Iterable[tuple[str, int, BytesLike]]) -> None:
    """Set parts of values; all parts of one value together.

    Raises:
        StoreError: a negative position, a store that cannot be read, or the store failed.
    """
    parts: dict[str, list[tuple[int, BytesLike]]] = {}
    for key, start, value in key_start_values:
        if start < 0:
            raise StoreError(
                f"{key} in {store.url}: a part cannot begin at byte {start}", key=key, url=store.url
            )
        parts.setdefault(key, []).append((start, value))
    for key, pieces in parts.items():
        with _LOCKS[hash((store.identity, key)) % len(_LOCKS)]:
            store.set(key, memoryview(_patched(_whole(store, key), pieces)))


def _whole(store: WritableStore, key: str) -> BytesLike:
    get = getattr(store, "get", None)
    if get is None:
        raise StoreError(
            f"{key} in {store.url}: parts cannot be written to a store that cannot be read",
            key=key,
            url=store.url,
        )
    value: BytesLike | None = get(key)
    return b"" if value is None else value


def _patched(value: BytesLike, pieces: Iterable[tuple[int, BytesLike]]) -> bytearray:
    """``value`` with the pieces in it, extended if they reach beyond its end.

    >>> bytes(_patched(b"abcd", [(1, b"X"), (5, b"YZ")]))
    b'aXcd\\x00YZ'
    """
    patched = bytearray(value)
    for start, piece in pieces:
        size = memoryview(piece).nbytes
        patched.extend(bytes(max(0, start + size - len(patched))))
        patched[start : start + size] = piece
    return patched
