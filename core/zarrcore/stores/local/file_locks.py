"""Whether a program has a local file locked for writing.

Linux lists all locks in ``/proc/locks``. Trying to lock the file would show it too, but could fail a program that opens the file
at that moment.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.local.store import LocalStore
from zarrcore.system import os

_LOCKS: Final = Path("/proc/locks")


def is_locked(store: ReadableStore, key: str) -> bool:
    """Whether a program holds a lock for writing on a file; False where the system does not show it."""
    descriptor = store.open_key(key) if isinstance(store, LocalStore) else None
    if descriptor is None:
        return False
    try:
        facts = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    place = f"{os.major(facts.st_dev):02x}:{os.minor(facts.st_dev):02x}:{facts.st_ino}"
    try:
        locks = _LOCKS.read_text("ascii", "replace").splitlines()
    except OSError:
        return False
    return any("WRITE" in words and place in words for words in map(str.split, locks))
