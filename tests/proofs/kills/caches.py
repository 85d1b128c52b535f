"""Writers of a cache on disk."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path

from tests.proofs.kills.trials import choice_of, litter, make_old
from zarrcore.stores import ByteRange, MemoryStore
from zarrcore.stores.cache.directory import CacheDirectory
from zarrcore.stores.cache.store import CacheStore

_NBYTES = 200_000
"""Less than all values need, so that room is made."""
_KEYS = [f"key {number}" for number in range(12)]
_STEPS = 30


class _Distant(MemoryStore):
    """Values that a cache may keep between processes."""

    @property
    def identity(self) -> Hashable:
        return "distant"


def _value(key: str) -> bytes:
    return key.encode() * 2000


def _cache(root: Path, keys: list[str]) -> CacheStore:
    store = _Distant(values={key: _value(key) for key in keys})
    return CacheStore(store, CacheDirectory(root / "cache", _NBYTES), float("inf"))


def prepare(root: Path, variant: str) -> None:
    """Nothing is kept yet."""


def work(root: Path, variant: str, tell: Callable[[str], object]) -> None:
    """Read values, which keeps them."""
    choice = choice_of(variant)
    cache = _cache(root, _KEYS)
    for _ in range(_STEPS):
        key = choice.choice(_KEYS)
        match choice.randrange(6):
            case 0:
                cache.refresh()
            case 1:
                CacheDirectory(root / "cache", _NBYTES).make_room()
            case 2:
                cache.get(key, ByteRange(100, 5000))
            case _:
                assert cache.get(key) == _value(key)
    tell("done")


def check(root: Path, variant: str, told: list[str], killed: bool) -> None:
    """What is kept is right, and nothing is left after a day."""
    assert killed or told == ["done"]
    cache = _cache(root, _KEYS)
    for key in _KEYS:
        assert cache.get(key) == _value(key)
        assert cache.get(key, ByteRange(90, 6000)) == _value(key)[90:6000]
    make_old(root)
    _cache(root, ["another"]).get("another")
    assert not litter(root), litter(root)
