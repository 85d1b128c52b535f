"""``--read-write``: any sequence of reading, writing and truncating a file has the same result as on a bytearray."""

from __future__ import annotations

import mmap
import os
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.zfs.conftest import Mount, Mounter

OFFSETS = st.one_of(st.integers(0, 300), st.integers(0, 300_000), st.sampled_from([4096, 131_072, 262_144]))
LENGTHS = st.one_of(st.integers(0, 200), st.integers(0, 200_000))
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), OFFSETS, LENGTHS),
        st.tuples(st.just("append"), st.just(0), LENGTHS),
        st.tuples(st.just("read"), OFFSETS, LENGTHS),
        st.tuples(st.just("cut"), OFFSETS, st.just(0)),
        st.tuples(st.just("cut by name"), OFFSETS, st.just(0)),
        st.tuples(st.just("map"), OFFSETS, st.integers(1, 5000)),
        st.tuples(st.sampled_from(["sync", "reopen", "empty", "move"]), st.just(0), st.just(0)),
    ),
    max_size=14,
)
NUMBERS = count()


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory, mounter: Mounter) -> tuple[Path, Mount]:
    path = tmp_path_factory.mktemp("fsx")
    return path, mounter(path, "--read-write")


class Course:
    """An open file in a mount, and its expected content."""

    def __init__(self, place: Path, stored: Path) -> None:
        self.place, self.stored = place, stored
        self.expected = bytearray()
        self.saved = b""
        self.descriptor = os.open(place, os.O_CREAT | os.O_RDWR)

    def do(self, what: str, offset: int, length: int, content: bytes) -> None:
        expected, descriptor = self.expected, self.descriptor
        if what in {"write", "append"}:
            offset = len(expected) if what == "append" else offset
            assert os.pwrite(descriptor, content, offset) == length
            if length:
                self.resize(max(len(expected), offset + length))
                expected[offset : offset + length] = content
        elif what == "read":
            assert os.pread(descriptor, length, offset) == expected[offset : offset + length]
        elif what == "cut":
            os.ftruncate(descriptor, offset)
            self.resize(offset)
        elif what == "cut by name":
            self.reopen(os.O_RDWR, lambda: os.truncate(self.place, offset), lambda: self.resize(offset))
        elif what == "map" and expected:
            with mmap.mmap(descriptor, 0) as mapped:
                end = min(len(expected), offset + length)
                mapped[offset:end] = content[: max(0, end - offset)]
                mapped.flush()
                assert (
                    mapped[:]
                    == expected[:offset] + content[: max(0, end - offset)] + expected[max(end, offset) :]
                )
            expected[offset:end] = content[: max(0, end - offset)]
            self.saved = bytes(expected)
        elif what == "move":
            os.rename(self.place, f"{self.place}-")
            os.rename(f"{self.place}-", self.place)
            self.saved = bytes(expected)
        elif what == "sync":
            os.fsync(descriptor)
            self.saved = bytes(expected)
        elif what in {"reopen", "empty"}:
            self.reopen(os.O_RDWR | (os.O_TRUNC if what == "empty" else 0))
            if what == "empty":
                del expected[:]
        assert os.fstat(self.descriptor).st_size == len(self.expected)

    def resize(self, nbytes: int) -> None:
        del self.expected[nbytes:]
        self.expected.extend(bytes(nbytes - len(self.expected)))

    def reopen(self, flags: int, *actions: Any) -> None:
        os.close(self.descriptor)
        assert self.stored.read_bytes() == self.place.read_bytes() == self.expected
        for action in actions:
            action()
        self.saved = bytes(self.expected)
        self.descriptor = os.open(self.place, flags)


@given(operations=OPERATIONS, seed=st.integers(0, 255))
@settings(max_examples=40)
def test_files_of_keys_agree_with_a_bytearray(
    places: tuple[Path, Mount], operations: list[tuple[str, int, int]], seed: int
) -> None:
    name = str(next(NUMBERS))
    course = Course(places[1].keys / name, places[0] / name)
    try:
        for step, (what, offset, length) in enumerate(operations):
            content = bytes((seed + step + place) % 251 for place in range(min(length, 500)))
            content = (content * (length // 500 + 1))[:length]
            course.do(what, offset, length, content)
            if course.stored.exists():
                assert course.stored.read_bytes() == course.saved
    finally:
        os.close(course.descriptor)
    assert course.stored.read_bytes() == course.place.read_bytes() == course.expected
    assert course.place.stat().st_size == len(course.expected)
    course.place.unlink()
