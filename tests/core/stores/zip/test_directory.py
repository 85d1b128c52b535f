"""The directory of a zip file: which members it has, and what is not a zip file."""

from __future__ import annotations

import contextlib
import io
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from tests.any_store import open_store
from tests.core.stores.contract import CHUNK, VALUES
from tests.core.stores.zip.zip_files import (
    CountingStore,
    make_zip,
    one,
    with_comment,
    zip_of,
)
from zarrcore.errors import (
    BrokenBodyError,
    InvalidKeyError,
    UnreachableError,
)
from zarrcore.stores import ByteRange, BytesLike, MemoryStore, StoreStat, ZipStore
from zarrcore.stores.zip import directory
from zarrcore.stores.zip.writing import EMPTY_ZIP


def test_many_members_need_the_directory_once() -> None:
    values = {f"group/array/c/{number}": b"" for number in range(5000)}
    source = CountingStore(make_zip(values=values))
    store = ZipStore(source, "x.zip")
    assert sum(1 for _ in store.list()) == 5000
    assert sum(1 for _ in store.list_dir("group/")) == 1
    assert len(source.asked) == 2


def test_zip64_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 2)
    data = make_zip(zipfile.ZIP_DEFLATED)
    monkeypatch.undo()
    assert b"PK\x06\x06" in data
    store = zip_of(data)
    assert {key: store.get(key) for key in VALUES} == VALUES
    assert store.get("a/c/0/0", ByteRange(5, 9)) == CHUNK[5:9]


def test_the_last_of_two_members_of_the_same_name_counts() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a", b"old")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a", b"new")
    store = zip_of(file.getvalue())
    assert store.get("a") == b"new"
    assert [entry.key for entry in store.list()] == ["a"]


def test_unmarked_names_are_read_as_utf8_if_they_are_valid(tmp_path: Path) -> None:
    """Info-ZIP (``zip -r``) does not mark names; older tools for Windows wrote code page 437."""

    class Unmarked(zipfile.ZipInfo):
        encoding = "utf-8"

        def _encodeFilenameFlags(self) -> tuple[bytes, int]:
            return self.filename.encode(self.encoding), 0

    class FirstPCs(Unmarked):
        encoding = "cp437"

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(Unmarked("größe/α"), b"1")
        archive.writestr(FirstPCs("Höhe"), b"2")
        archive.writestr("Länge", b"3")
    place = tmp_path / "x.zip"
    place.write_bytes(file.getvalue())
    values = {"Höhe": b"2", "Länge": b"3", "größe/α": b"1"}
    store = open_store(place)
    assert [entry.key for entry in store.list()] == sorted(values)
    assert {key: store.get(key) for key in values} == values
    with open_store(place) as store:
        store.set("new", b"4")
    assert {key: open_store(place).get(key) for key in values} == values
    with zipfile.ZipFile(place) as archive:
        assert archive.namelist() == ["größe/α", "Höhe", "Länge", "new"]


def test_members_that_lead_elsewhere_are_ignored() -> None:
    names = ["../x", "a/../../x", "/etc/passwd", "a/./b", ".."]
    store = zip_of(make_zip(values={**dict.fromkeys(names, b"bad"), "a/x": b"good", "a//b": b"odd"}))
    assert sorted(entry.key for entry in store.list()) == ["a//b", "a/x"]
    assert [entry.key for entry in store.list_dir("")] == ["a/"]
    assert sorted(entry.key for entry in store.list_dir("a/")) == ["a//", "a/x"]
    assert store.get("a//b") == b"odd"
    for name in names:
        with pytest.raises(InvalidKeyError):
            store.get(name)


def test_a_directory_without_a_name_is_not_a_key() -> None:
    data = make_zip(values={"k": b"1"})
    store = zip_of(data.replace(b"k", b"/"))
    assert list(store.list()) == []
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a", b"1")
        archive.filelist[0].filename = archive.filelist[0].orig_filename = ""
    assert list(zip_of(file.getvalue()).list()) == []


@pytest.mark.parametrize("size", [0, 1, 10, 21, 22, 500])
def test_a_truncated_file_is_reported(size: int) -> None:
    store = zip_of(make_zip()[:size])
    with pytest.raises(
        BrokenBodyError, match="or was truncated" if size else ": the file is empty$"
    ) as caught:
        store.get("zarr.json")
    assert "\n" not in str(caught.value)
    with pytest.raises(BrokenBodyError):
        list(store.list_dir(""))


def test_a_directory_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "_DIRECTORY_MAX", 100_000)
    few, many = (
        zip_of(make_zip(values={f"{number:090}": b"" for number in range(count)})) for count in (500, 1000)
    )
    assert sum(1 for _ in few.list()) == 500
    with pytest.raises(BrokenBodyError, match=r"its directory has 1\d{5} bytes; at most 100000 are read"):
        list(many.list())


def test_an_outage_is_not_reported_as_a_broken_file() -> None:
    class Failing(MemoryStore):
        def stat(self, key: str) -> StoreStat | None:
            return StoreStat(1000)

        def get(
            self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
        ) -> BytesLike | None:
            raise UnreachableError("gone")

    with pytest.raises(UnreachableError, match="gone"):
        ZipStore(Failing(), "x.zip").get("a")


def test_an_end_record_within_the_comment_is_ignored() -> None:
    good, evil = one(b"good"), one(b"evil")
    for comment in (b"", b"x" * 65_535, b"x" + EMPTY_ZIP + b"y", evil + b"z", EMPTY_ZIP[:-2] + b"\x09\0z"):
        store = zip_of(with_comment(good, comment))
        assert store.get("a") == b"good"
        assert store.get("a", ByteRange(1, 3)) == b"oo"
    for comment in (evil, EMPTY_ZIP):
        with pytest.raises(BrokenBodyError, match="ends like two zip files"):
            zip_of(with_comment(good, comment)).get("a")


def test_a_value_that_looks_like_end_records_is_stored(tmp_path: Path) -> None:
    """One of the records that are not records has a comment that extends to the end of the file, for one of the keys."""
    value = b"PK\5\6" * 5000
    for key in ("a", "ab", "abc", "abcd"):
        path = tmp_path / f"{key}.zip"
        with open_store(path, create=True) as store:
            store.set(key, value)
        with open_store(path) as store:
            assert store.get(key) == value


def test_a_directory_that_claims_to_be_large_takes_no_memory() -> None:
    data = one(b"x")
    for place, size in ((-10, 4), (-14, 2), (-12, 2), (-6, 4)):
        claimed = bytearray(data)
        claimed[place : place + size or None] = b"\xff" * size
        tracemalloc.start()
        try:
            with contextlib.suppress(BrokenBodyError):
                assert zip_of(bytes(claimed)).get("a") in (b"x", None)
            assert tracemalloc.get_traced_memory()[1] < 1_000_000
        finally:
            tracemalloc.stop()
