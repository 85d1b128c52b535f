"""ZipStore with truncated, malicious or broken files."""

from __future__ import annotations

import itertools
import zipfile
from pathlib import Path

import pytest

from tests.any_store import open_store
from tests.core.stores.conftest import Opener
from tests.core.stores.contract import CHUNK
from tests.core.stores.zip.zip_files import (
    make_zip,
    one,
    with_comment,
    zip_of,
)
from tests.servers import FaultServer
from zarrcore.errors import (
    ChangedError,
    StoreError,
    StoreNotFoundError,
    UnsupportedError,
)
from zarrcore.stores import ByteRange, MemoryStore, PrefixStore, ZipStore
from zarrcore.stores.zip.members import ZipMembers
from zarrcore.stores.zip.writing import EMPTY_ZIP


def test_a_missing_file_is_reported() -> None:
    with pytest.raises(StoreNotFoundError, match=r"there is no file memory://y\.zip"):
        ZipStore(MemoryStore(), "y.zip").get("a")


def test_every_truncation_and_changed_byte_gives_right_values_or_an_error() -> None:
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


def test_a_value_that_does_not_fit_in_memory_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    store = zip_of(make_zip(zipfile.ZIP_DEFLATED))
    monkeypatch.setattr(ZipMembers, "value", fail)
    with pytest.raises(StoreError, match="there is not enough memory for a value of 18 bytes"):
        store.get("zarr.json")


def test_the_comment_outlives_changes(tmp_path: Path) -> None:
    comment = b"a" + EMPTY_ZIP + b"b"
    (tmp_path / "x.zip").write_bytes(with_comment(one(b"good"), comment))
    with open_store(tmp_path / "x.zip") as store:
        store.set("b", b"2")
    assert (tmp_path / "x.zip").read_bytes().endswith(comment)
    assert [entry.key for entry in open_store(tmp_path / "x.zip").list()] == ["a", "b"]


def test_a_zip_file_within_a_zip_file_is_read() -> None:
    inner = make_zip(zipfile.ZIP_DEFLATED, {"a": CHUNK, "b/c": b"1"})
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        outer = zip_of(make_zip(compression, {"first": b"x" * 100_000, "deep/x.zip": inner}))
        for source, key in ((outer, "deep/x.zip"), (PrefixStore(outer, "deep/"), "x.zip")):
            store = ZipStore(source, key)
            assert store.get("a") == CHUNK
            assert store.get("a", ByteRange(9, 99)) == CHUNK[9:99]
            assert [entry.key for entry in store.list()] == ["a", "b/c"]
            assert store.url.endswith("x.zip/deep/x.zip")


def test_a_replaced_remote_file_is_read_again(faults: FaultServer, opened: Opener) -> None:
    old, new = (
        make_zip(values={"a": b"old!", "b": b"1"}),
        make_zip(values={"0": b"", "a": b"new!", "b": b"1"}),
    )
    faults.values["x.zip"] = old
    store = opened("x.zip")
    assert store.get("a", ByteRange(0, 3)) == b"old"
    faults.requests.clear()
    assert store.get("b", ByteRange(0, 1)) == b"1"
    assert store.get("b", ByteRange(0, 1)) == b"1"
    assert len(faults.requests) == 3  # that of its header, and its own
    faults.values["x.zip"] = new
    assert store.get("a", ByteRange(0, 3)) == b"new"
    assert [entry.key for entry in store.list()] == ["0", "a", "b"]
    del faults.values["x.zip"]
    with pytest.raises(StoreNotFoundError):
        store.get("a")

    class Restless(dict[str, bytes]):
        def __getitem__(self, key: str) -> bytes:
            self["x.zip"] = with_comment(old, str(next(counter)).encode())
            return super().__getitem__(key)

    counter = itertools.count()
    faults.values = Restless({"x.zip": old})
    with pytest.raises(ChangedError, match="was replaced while it was read"):
        store.get("a", ByteRange(0, 3))
