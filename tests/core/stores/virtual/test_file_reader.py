"""Metadata that are read in blocks."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.waiting import PATIENCE_S
from zarrcore.errors import StoreError
from zarrcore.stores import MemoryStore
from zarrcore.stores.interface import ByteRange, BytesLike, StoreStat
from zarrcore.stores.virtual import file_reader
from zarrcore.stores.virtual.file_reader import BrokenFileError, FileReader, check_sum, unsigned

WHOLE = bytes(range(256)) * 2


@given(st.integers(0, 512), st.integers(0, 512))
def test_blocks_are_the_bytes_of_the_file(start: int, nbytes: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_reader, "_LOCAL_BLOCK", 16)
        reader = FileReader(MemoryStore("", {"a": WHOLE}), "a", "a")
    if start + nbytes > len(WHOLE):
        with pytest.raises(BrokenFileError, match="but the file has 512 bytes"):
            reader.read(start, nbytes)
    else:
        assert reader.read(start, nbytes) == WHOLE[start : start + nbytes]
    assert reader.up_to(start, nbytes) == WHOLE[start : start + nbytes]


def test_a_file_is_opened_with_one_request() -> None:
    store = RequestsOfRemote("", {"a": WHOLE})
    reader = FileReader(store, "a", "a")
    assert reader.read(8, 4) == WHOLE[8:12]
    assert reader.nbytes == len(WHOLE)
    assert store.requests == ["get_with_stat"]


def test_after_the_beginning_smaller_blocks_of_remote_files_can_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(file_reader, "_REMOTE_BLOCK", 100)
    store = RequestsOfRemote("", {"a": WHOLE})
    reader = FileReader(store, "a", "a", remote_block_nbytes=20)
    assert reader.read(75, 25) == WHOLE[75:100]
    assert store.requests == ["get_with_stat"]
    assert reader.read(90, 15) == WHOLE[90:105]
    assert reader.read(119, 1) == WHOLE[119:120]
    assert len(store.requests) == 2


class RequestsOfRemote(MemoryStore):
    """A remote store that names its requests."""

    is_remote = True

    def __init__(self, url: str, values: dict[str, bytes]) -> None:
        super().__init__(url, values)
        self.requests: list[str] = []

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        self.requests.append("get_with_stat")
        value = super().get(key, byte_range, max_nbytes=max_nbytes)
        return None if value is None else (value, StoreStat(len(WHOLE)))

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        self.requests.append("get")
        return super().get(key, byte_range, max_nbytes=max_nbytes)

    def stat(self, key: str) -> StoreStat | None:
        self.requests.append("stat")
        return super().stat(key)


class GatedStore(MemoryStore):
    """Counts its requests and answers only the first before it is told to."""

    def __init__(self) -> None:
        super().__init__("", {"a": WHOLE})
        self.requests: list[ByteRange | None] = []
        self.opened = threading.Event()

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        self.requests.append(byte_range)
        assert byte_range == ByteRange(0, 64) or self.opened.wait(PATIENCE_S)
        return super().get(key, byte_range, max_nbytes=max_nbytes)


def test_threads_that_need_a_block_share_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_reader, "_LOCAL_BLOCK", 64)
    store = GatedStore()
    reader = FileReader(store, "a", "a")
    with ThreadPoolExecutor(8) as threads:
        reads = [threads.submit(reader.read, 64 + place, 4) for place in range(32)]
        store.opened.set()
        assert [read.result() for read in reads] == [WHOLE[64 + place :][:4] for place in range(32)]
    assert store.requests == [ByteRange(0, 64), ByteRange(64, 128)]


def test_a_file_that_vanished_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_reader, "_LOCAL_BLOCK", 64)
    with pytest.raises(StoreError, match=r"does not exist$"):
        FileReader(MemoryStore("", {}), "a", "a")
    store = MemoryStore("", {"a": WHOLE})
    reader = FileReader(store, "a", "a")
    store.set("a", WHOLE[:9])
    with pytest.raises(StoreError, match="changed while it was read"):
        reader.read(100, 4)


def test_numbers_and_checksums_end_within_their_data() -> None:
    assert unsigned(b"\1\2\3", 1, 2) == 0x302
    with pytest.raises(BrokenFileError, match="ends early"):
        unsigned(b"\1\2\3", 2, 2)
    for data in (b"", b"abcd", b"abcdefgh"):
        with pytest.raises(BrokenFileError):
            check_sum(data, "a structure")
