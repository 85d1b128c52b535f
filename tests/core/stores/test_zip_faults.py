"""ZipStore over files that are cut off, crafted or broken."""

from __future__ import annotations

import struct
import zipfile
import zlib

import pytest

from tests.core.stores.contract import CHUNK
from tests.core.stores.test_zip import make_zip, zip_of
from zarrcore.errors import (
    BrokenBodyError,
    StoreError,
    StoreNotFoundError,
    UnreachableError,
    UnsupportedError,
)
from zarrcore.stores import ByteRange, BytesLike, MemoryStore, StoreStat, ZipStore
from zarrcore.stores.zip_members import ZipMembers


@pytest.mark.parametrize("size", [0, 1, 10, 21, 22, 500])
def test_a_file_that_was_cut_off_is_told(size: int) -> None:
    store = zip_of(make_zip()[:size])
    with pytest.raises(BrokenBodyError, match="is no zip file, or one that was cut off") as caught:
        store.get("zarr.json")
    assert "\n" not in str(caught.value)
    with pytest.raises(BrokenBodyError):
        list(store.list_dir(""))


def test_a_file_that_is_missing_is_told() -> None:
    with pytest.raises(StoreNotFoundError, match=r"there is no file memory://y\.zip"):
        ZipStore(MemoryStore(), "y.zip").get("a")


def test_every_cut_and_every_changed_byte_gives_right_values_or_an_error() -> None:
    values = {"a/zarr.json": b"{}", "a/c/0": CHUNK[:700]}
    data = make_zip(zipfile.ZIP_DEFLATED, values)
    stored = make_zip(values=values)
    for whole in (data, stored):
        for place in range(0, len(whole), 3):
            changed = bytearray(whole)
            changed[place] ^= 0xFF
            for case in (bytes(changed), whole[:place]):
                store = zip_of(case)
                for key, value in values.items():
                    try:
                        got = store.get(key)
                        part = store.get(key, ByteRange(0, 2**62))
                        list(store.list_dir("a/"))
                    except (StoreError, UnsupportedError):
                        continue
                    assert got in (value, None)
                    assert part is None or len(part) == len(value)


def crafted(
    member: bytes, method: int, file_size: int, crc: int, packed_size: int, flags: int = 0
) -> ZipStore:
    """A zip file of one member ``a`` whose directory says what we want it to say."""
    local = (
        struct.pack("<4s5H3L2H", b"PK\3\4", 20, flags, method, 0, 33, crc, packed_size, file_size, 1, 0)
        + b"a"
    )
    central = struct.pack(
        "<4s6H3L5H2L",
        b"PK\1\2",
        20,
        20,
        flags,
        method,
        0,
        33,
        crc,
        packed_size,
        file_size,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
    )
    central += b"a"
    offset = len(local) + len(member)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(central), offset, 0)
    return zip_of(local + member + central + end)


def deflate(value: bytes) -> bytes:
    packer = zlib.compressobj(9, wbits=-15)
    return packer.compress(value) + packer.flush()


def test_a_bomb_is_stopped_at_its_announced_size() -> None:
    bomb = deflate(b"\0" * 50_000_000)
    with pytest.raises(BrokenBodyError, match="1 bytes were announced, 2 or more are there"):
        crafted(bomb, zipfile.ZIP_DEFLATED, 1, 0, len(bomb)).get("a")
    with pytest.raises(BrokenBodyError, match="cannot hold"):
        crafted(b"\3\0", zipfile.ZIP_DEFLATED, 2**32 - 2, 0, 2).get("a")


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wrong_checksum_is_told(compression: int) -> None:
    packed = deflate(b"value") if compression == zipfile.ZIP_DEFLATED else b"value"
    store = crafted(packed, compression, 5, 1234, len(packed))
    with pytest.raises(BrokenBodyError, match=r"a in .*checksum differs"):
        store.get("a")


def test_sizes_that_differ_or_exceed_the_file_are_told() -> None:
    with pytest.raises(BrokenBodyError, match="two sizes differ"):
        crafted(b"value", zipfile.ZIP_STORED, 4, 0, 5).get("a", ByteRange(0, 3))
    with pytest.raises(BrokenBodyError, match="too early"):
        crafted(b"value", zipfile.ZIP_STORED, 5000, 0, 5000).get("a")
    with pytest.raises(BrokenBodyError):
        crafted(b"garbage", zipfile.ZIP_DEFLATED, 50, 0, 7).get("a")


def test_what_we_do_not_know_is_named() -> None:
    with pytest.raises(UnsupportedError, match="'lzma'"):
        crafted(b"value", 14, 5, 0, 5).get("a")
    with pytest.raises(UnsupportedError, match="is encrypted"):
        crafted(b"value", 0, 5, 0, 5, flags=1).get("a", ByteRange(0, 2))


def test_an_outage_is_not_taken_for_a_broken_file() -> None:
    class Failing(MemoryStore):
        def stat(self, key: str) -> StoreStat | None:
            return StoreStat(1000)

        def get(
            self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
        ) -> BytesLike | None:
            raise UnreachableError("gone")

    with pytest.raises(UnreachableError, match="gone"):
        ZipStore(Failing(), "x.zip").get("a")


def test_the_beginning_of_a_broken_member_is_told() -> None:
    for member in (deflate(b"short"), b"garbage"):
        with pytest.raises(BrokenBodyError):
            crafted(member, zipfile.ZIP_DEFLATED, 60, 0, len(member)).get("a", ByteRange(0, 50))


def test_a_value_that_no_memory_holds_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    store = zip_of(make_zip(zipfile.ZIP_DEFLATED))
    monkeypatch.setattr(ZipMembers, "value", fail)
    with pytest.raises(StoreError, match="there is no memory for a value of 18 bytes"):
        store.get("zarr.json")
