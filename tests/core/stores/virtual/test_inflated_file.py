"""Files that are compressed as a whole, read in any order and compared with their content."""

from __future__ import annotations

import gzip
import random
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrcore.errors import BodyTooLargeError, BrokenBodyError, ChangedError, StoreError
from zarrcore.stores import ByteRange, MemoryStore
from zarrcore.stores.virtual import inflated_file
from zarrcore.stores.virtual.inflated_file import InflatedFile

CONTENT = random.Random(0).randbytes(60_000) + bytes(120_000) + random.Random(1).randbytes(20_000)


def inflated(packed: bytes, start: int = 0) -> InflatedFile:
    return InflatedFile(MemoryStore(values={"a": packed}), "a", "memory://a", start)


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "_FED_NBYTES": 100,
        "_STEP_NBYTES": 3000,
        "_RECENT_NBYTES": 10_000,
        "_FIRST_BLOCK": 5000,
        "_INTERVAL_NBYTES": 8000,
        "_CHECKPOINTS_MAX": 6,
    }.items():
        monkeypatch.setattr(inflated_file, name, value)


@settings(max_examples=40, deadline=None)
@given(
    cuts=st.lists(st.integers(0, len(CONTENT)), max_size=3),
    parts=st.lists(
        st.tuples(st.integers(-210_000, 210_000), st.none() | st.integers(0, 210_000)), max_size=8
    ),
    padding=st.sampled_from([b"", bytes(7)]),
    before=st.integers(0, 50),
)
def test_parts_in_any_order_are_those_of_the_content(
    cuts: list[int], parts: list[Any], padding: bytes, before: int
) -> None:
    places = [0, *sorted(cuts), len(CONTENT)]
    members = [gzip.compress(CONTENT[start:stop], 1) for start, stop in pairwise(places)]
    file = inflated(bytes(before) + b"".join(members) + padding, before)
    expected = MemoryStore(values={"a": CONTENT})
    for part in parts:
        assert file.get("a", ByteRange(*part)) == expected.get("a", ByteRange(*part))
    assert file.get("a") == CONTENT
    assert file.stat("a").size == len(CONTENT)
    assert len(file._checkpoints) <= inflated_file._CHECKPOINTS_MAX


def test_reading_forward_inflates_once_and_going_back_begins_at_a_checkpoint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inflated_file, "_CHECKPOINTS_MAX", 100)
    file, taken = inflated(gzip.compress(CONTENT, 1)), 0
    whole = file._next_piece

    def counted() -> bytes:
        nonlocal taken
        piece = whole()
        taken += len(piece)
        return piece

    monkeypatch.setattr(file, "_next_piece", counted)
    for start in range(0, len(CONTENT), 1000):
        assert file.get("a", ByteRange(start, start + 1000)) == CONTENT[start : start + 1000]
    assert taken == len(CONTENT)
    assert file.get("a", ByteRange(50_000, 50_010)) == CONTENT[50_000:50_010]
    assert taken - len(CONTENT) < 3 * inflated_file._INTERVAL_NBYTES


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda packed: packed[:-1], "breaks off after 200,000 bytes"),
        (lambda packed: packed[:50_000], r"breaks off after \d+,\d+ bytes"),
        (lambda packed: packed[:-8] + bytes(4) + packed[-4:], "is broken after .*incorrect data check"),
        (lambda packed: packed[:-4] + bytes(4), "is broken after .*incorrect length check"),
        (lambda packed: packed[:30_000] + b"\xff" * 100 + packed[30_100:], "is broken after"),
    ],
)
def test_a_broken_stream_is_never_taken_for_the_content(change: Any, why: str) -> None:
    file = inflated(change(gzip.compress(CONTENT)))
    for _ in range(2):
        with pytest.raises(BrokenBodyError, match=f"memory://a cannot be read: its gzip stream {why}"):
            file.get("a", ByteRange(0, len(CONTENT)))
    assert file.get("a", ByteRange(10, 20)) == CONTENT[10:20]


def test_threads_read_at_once() -> None:
    file = inflated(gzip.compress(CONTENT, 1))
    starts = random.Random(2).sample(range(len(CONTENT)), 200)
    with ThreadPoolExecutor(8) as threads:
        found = threads.map(lambda start: file.get("a", ByteRange(start, start + 500)), starts)
        assert [*found] == [CONTENT[start : start + 500] for start in starts]


def test_limits_and_other_keys() -> None:
    file = inflated(gzip.compress(CONTENT))
    assert (file.get("b"), file.stat("b")) == (None, None)
    with pytest.raises(BodyTooLargeError):
        file.get("a", ByteRange(0, 100), max_nbytes=99)
    with pytest.raises(StoreError, match=r"does not exist$"):
        InflatedFile(MemoryStore(), "a", "memory://a").get("a", ByteRange(0, 1))


def test_parts_of_two_versions_are_not_mixed(tmp_path: Any) -> None:
    from zarrcore.stores import LocalStore

    path = tmp_path / "a"
    path.write_bytes(gzip.compress(CONTENT, 1))
    file = InflatedFile(LocalStore(tmp_path), "a", str(path))
    assert file.get("a", ByteRange(0, 10)) == CONTENT[:10]
    path.write_bytes(gzip.compress(CONTENT[::-1], 1))
    with pytest.raises(ChangedError):
        file.get("a", ByteRange(0, len(CONTENT)))
    assert file.get("a") == CONTENT[::-1]
