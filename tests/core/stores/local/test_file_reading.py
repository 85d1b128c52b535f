"""Reading ranges of open files, and errors of the operating system as errors of stores."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from zarrcore.errors import (
    BrokenBodyError,
    StoreError,
)
from zarrcore.stores import ByteRange, LocalStore, descriptors


def test_a_file_that_shrinks_during_a_read_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LocalStore(tmp_path)
    store.set("a", b"x" * 1000)
    monkeypatch.setattr(os, "pread", lambda *_: b"x" * 10)
    monkeypatch.setattr(os, "preadv", lambda *_: 0)
    with pytest.raises(BrokenBodyError, match=r"a in .*: the file became shorter"):
        store.get("a")


def test_a_value_that_does_not_fit_in_memory_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bytearray_(size: int) -> bytearray:
        raise MemoryError(size)

    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(2**40)
    monkeypatch.setattr(descriptors, "bytearray", bytearray_, raising=False)
    store = LocalStore(tmp_path)
    for byte_range in (None, ByteRange(1), ByteRange(0, 2**39)):
        with pytest.raises(
            StoreError, match=r"^sparse in .*: there is not enough memory for \d+ bytes at once$"
        ):
            store.get("sparse", byte_range)
    assert store.get("sparse", ByteRange(-3)) == b"\0\0\0"
