"""A zip file that is open for writing: reads and writes at positions, locks, and its name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from zarrcore.errors import StoreError
from zarrcore.stores.zip import file as zip_file
from zarrcore.stores.zip.file import OpenFile


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = tmp_path / "x.zip"
    place.write_bytes(b"0123456789")
    return place


def test_a_read_past_the_end_gives_the_bytes_that_exist(place: Path) -> None:
    file = OpenFile(str(place))
    assert bytes(file.fetch(2, 5)) == b"234"
    assert bytes(file.fetch(8, 100)) == b"89"
    assert bytes(file.fetch(50, 100)) == b""
    assert file.stat().size == 10


@pytest.mark.parametrize("size", [3, 50_000])
def test_parts_are_written_one_after_another(place: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(zip_file, "LARGEST_CALL", 20_000)
    file = OpenFile(str(place))
    file.write(4, b"a" * size, b"", memoryview(b"b" * size))
    assert place.read_bytes() == b"0123" + b"a" * size + b"b" * size


def test_only_one_of_two_writers_has_the_lock(place: Path) -> None:
    first, second = OpenFile(str(place)), OpenFile(str(place))
    assert first.lock(0)
    with pytest.raises(BlockingIOError):
        second.lock(0.01)
    first.unlock()
    assert second.lock(0)
    with pytest.raises(BlockingIOError):
        first.lock(0)


def test_a_writer_that_gave_up_waiting_does_not_hold_back_others(place: Path) -> None:
    first, second, third = (OpenFile(str(place)) for _ in range(3))
    assert first.lock(0)
    with pytest.raises(BlockingIOError):
        second.lock(0)
    first.unlock()
    assert third.lock(0)


def test_a_closed_file_releases_its_lock_and_its_descriptor(place: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    first = OpenFile(str(place))
    assert first.lock(0)
    del first
    assert len(os.listdir("/proc/self/fd")) == before
    assert OpenFile(str(place)).lock(0)


def test_a_replaced_or_removed_file_has_lost_its_name(place: Path) -> None:
    file = OpenFile(str(place))
    assert file.has_its_name()
    place.with_name("moved").write_bytes(b"new")
    place.with_name("moved").replace(place)
    assert not file.has_its_name()
    assert bytes(file.fetch(0, 3)) == b"012"
    assert OpenFile(str(place)).has_its_name()
    place.unlink()
    assert not file.has_its_name()


def test_a_file_that_cannot_be_read_is_an_error_of_stores_with_its_path(place: Path) -> None:
    file = OpenFile(str(place), os.O_WRONLY | os.O_CLOEXEC)
    with pytest.raises(StoreError, match=f"^{place}: Bad file descriptor$"):
        file.fetch(0, 3)
    with pytest.raises(FileNotFoundError):
        OpenFile(f"{place}.absent")
