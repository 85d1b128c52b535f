"""Files and folders that are recognized by their content."""

from __future__ import annotations

import gzip
import io
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest

import zarrcore
from tests.servers import S3Server, WebServer
from zarrcore.errors import HierarchyNotFoundError, StoreError, StoreNotFoundError
from zarrcore.stores import ByteRange, BytesLike, MemoryStore, StoreOptions, open_store
from zarrcore.stores.enclosing import recognized
from zarrcore.stores.kinds import FILE_KINDS, kind_by_content, kind_by_suffix


def zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("zarr.json", '{"zarr_format": 3, "node_type": "group"}')
    return file.getvalue()


@pytest.mark.parametrize("name", ["a.zip", "a.ozx", "a.ZIP", "a.data", "a"])
def test_a_zip_file_opens_whatever_its_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(zipped())
    with zarrcore.open_hierarchy(tmp_path / name) as hierarchy:
        assert hierarchy.format.name == "v3"
        assert hierarchy.url == str(tmp_path / name)


def test_a_new_zip_file_has_a_suffix(tmp_path: Path) -> None:
    with zarrcore.create(tmp_path / "new.ozx"):
        pass
    assert zipfile.is_zipfile(tmp_path / "new.ozx")


def test_a_file_of_no_known_kind_says_what_is_known(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no hierarchy")
    with pytest.raises(
        StoreNotFoundError, match=r"notes\.txt is neither a folder nor a file of a known kind: zip file"
    ):
        open_store(tmp_path / "notes.txt")


def test_an_archive_that_must_be_unpacked_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.zarr.gz").write_bytes(gzip.compress(b"x" * 1000))
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.add(tmp_path / "a.zarr.gz")
    (tmp_path / "a.7z").write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(20))
    for name, what in (
        ("a.zarr.gz", "compressed by gzip"),
        ("a.tar", "a tar archive"),
        ("a.7z", "a 7z archive"),
    ):
        with pytest.raises(StoreError, match=f"{name} in .* is {what}, .*unpack it, or make a zip file"):
            open_store(tmp_path / name)


def test_kinds_are_found_by_suffix_and_by_content() -> None:
    store = MemoryStore(values={"file": zipped(), "empty": b""})
    assert kind_by_suffix("x.Zip") is kind_by_content(store, "file") is FILE_KINDS[0]
    assert kind_by_suffix("x.zarr") is None
    assert kind_by_content(store, "empty") is None
    assert kind_by_content(store, "absent") is None


def test_stores_keep_the_options_that_they_were_opened_with(tmp_path: Path) -> None:
    options = StoreOptions(timeout_s=7, cache_dir=tmp_path / "cache")
    (tmp_path / "a.zip").write_bytes(zipped())
    for address in (tmp_path, tmp_path / "a.zip", "memory://x", "http://127.0.0.1:9/a.zip"):
        with open_store(address, options=options) as store:
            assert store.options == options


@pytest.mark.parametrize("cached", [False, True])
def test_a_remote_file_without_a_suffix_is_recognized_by_its_content(
    s3: S3Server, tmp_path: Path, *, cached: bool
) -> None:
    s3.put("bucket/folder/archive", zipped())
    options = {**s3.options, "cache_dir": tmp_path / "cache"} if cached else s3.options
    with zarrcore.open_hierarchy("s3://bucket/folder/archive", **options) as hierarchy:
        assert hierarchy.format.name == "v3"
        assert hierarchy.url == "s3://bucket/folder/archive"
    with (
        pytest.raises(HierarchyNotFoundError, match="no hierarchy"),
        zarrcore.open_hierarchy("s3://bucket/folder/nothing", **options),
    ):
        pass


def test_a_web_address_without_a_suffix_is_recognized_by_its_content(
    nginx: WebServer, web_root: Path
) -> None:
    (web_root / "archive").write_bytes(zipped())
    with zarrcore.open_hierarchy(f"{nginx.url}/archive") as hierarchy:
        assert hierarchy["/"].kind == "group"


def test_a_remote_place_is_compared_with_all_kinds_of_folders_at_once() -> None:
    waiting = threading.Barrier(4, timeout=30)

    class Waiting(MemoryStore):
        is_remote = True

        def get(
            self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
        ) -> BytesLike | None:
            waiting.wait()
            return super().get(key, byte_range, max_nbytes=max_nbytes)

    assert recognized(Waiting(), may_be_file=False) is None
