"""Locks that programs hold on local files."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from zarrcore.stores.local import file_locks
from zarrcore.stores.local.file_locks import is_locked
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.memory import MemoryStore

HOLDER = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    getattr(fcntl, sys.argv[2])(file, fcntl.LOCK_EX)
    print("locked", flush=True)
    input()
"""
"""Another process: closing any descriptor of a file drops the `lockf` locks of its own process."""


@pytest.mark.parametrize("kind", ["flock", "lockf"])
def test_a_lock_for_writing_is_seen_while_it_is_held(tmp_path: Path, kind: str) -> None:
    store = LocalStore(tmp_path, create=True)
    store.set("a.h5", b"1")
    store.set("b.h5", b"1")
    command = [sys.executable, "-c", HOLDER, tmp_path / "a.h5", kind]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        assert [is_locked(store, key) for key in ("a.h5", "b.h5", "c.h5")] == [True, False, False]
        holder.communicate("\n")
    assert not is_locked(store, "a.h5")


def test_a_lock_for_reading_and_other_places_count_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = LocalStore(tmp_path, create=True)
    store.set("a.h5", b"1")
    assert not is_locked(MemoryStore(values={"a.h5": b"1"}), "a.h5")
    with (tmp_path / "a.h5").open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        assert not is_locked(store, "a.h5")
        fcntl.flock(file, fcntl.LOCK_EX)
        monkeypatch.setattr(file_locks, "_LOCKS", tmp_path / "nothing")  # as on other systems
        assert not is_locked(store, "a.h5")
