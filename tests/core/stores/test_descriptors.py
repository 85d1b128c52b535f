"""Reading all requested bytes of open files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from zarrcore.errors import BrokenBodyError
from zarrcore.stores import descriptors
from zarrcore.stores.descriptors import read_descriptor, read_descriptor_into

CONTENT = bytes(range(256)) * 10


@pytest.fixture
def descriptor(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "file").write_bytes(CONTENT)
    opened = os.open(tmp_path / "file", os.O_RDONLY)
    yield opened
    os.close(opened)


@pytest.mark.parametrize("largest", [1, 100, 1 << 20])
@pytest.mark.parametrize(("size", "start"), [(0, 0), (1, 5), (1000, 7), (len(CONTENT), 0)])
def test_all_bytes_are_read_however_few_one_call_returns(
    descriptor: int, monkeypatch: pytest.MonkeyPatch, largest: int, size: int, start: int
) -> None:
    monkeypatch.setattr(descriptors, "LARGEST_CALL", largest)
    assert read_descriptor(descriptor, size, start) == CONTENT[start : start + size]
    buffer = bytearray(size)
    read_descriptor_into(descriptor, memoryview(buffer), start)
    assert buffer == CONTENT[start : start + size]


def test_a_call_that_returns_only_a_part_is_followed_by_another(
    descriptor: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda file, size, start: pread(file, size // 2, start))
    assert read_descriptor(descriptor, 100, 3) == CONTENT[3:103]


def test_a_file_that_ends_too_early_is_an_error(descriptor: int) -> None:
    with pytest.raises(BrokenBodyError, match=f"10 of {len(CONTENT)} bytes"):
        read_descriptor(descriptor, len(CONTENT), len(CONTENT) - 10)
    with pytest.raises(BrokenBodyError, match="became shorter"):
        read_descriptor_into(descriptor, memoryview(bytearray(1)), len(CONTENT))
