"""Zip files: StoreError or UnsupportedError, or the members and values that zipfile reads."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterable

from zarrcore.errors import StoreError, UnsupportedError
from zarrcore.stores import MemoryStore
from zarrcore.stores.interface import ByteRange
from zarrcore.stores.zip.store import ZipStore

WORDS = (
    "PK\x01\x02",
    "PK\x03\x04",
    "PK\x05\x06",
    "PK\x06\x06",
    "PK\x06\x07",
    "../",
    "/",
    "\x00",
    "a/b",
    "a/b/c/0",
)
_READ_MAX = 1 << 20


def check(data: bytes) -> None:
    """The store lists its members and gives their values, or says why not."""
    store = ZipStore(MemoryStore("", {"a.zip": data}), "a.zip")
    try:
        keys = [entry.key for entry in store.list_prefix("")]
    except (StoreError, UnsupportedError):
        return
    assert keys == sorted(set(keys))
    _check_folders(store, keys)
    theirs = _theirs(data)
    for key in keys[:50]:
        try:
            stat = store.stat(key)
            value = store.get(key, max_nbytes=_READ_MAX)
        except (StoreError, UnsupportedError):
            continue
        assert stat is not None
        assert value is not None
        assert len(value) == stat.size
        half = len(value) // 2
        part = store.get(key, ByteRange(half, half + 7))
        assert part is not None
        assert bytes(part) == bytes(value[half : half + 7])
        beginning = ZipStore(MemoryStore("", {"a.zip": data}), "a.zip").get(key, ByteRange(0, half))
        assert beginning is not None
        assert bytes(beginning) == bytes(value[:half])
        if key in theirs:
            assert bytes(value) == theirs[key]


def _check_folders(store: ZipStore, keys: list[str]) -> None:
    """Folder by folder, the same keys are listed."""
    found: list[str] = []
    prefixes = [""]
    for prefix in prefixes:
        for entry in store.list_dir(prefix):
            (prefixes if entry.key.endswith("/") else found).append(entry.key)
    assert sorted(found) == keys
    assert len(set(prefixes)) == len(prefixes)


def _theirs(data: bytes) -> dict[str, bytes]:
    """The values that zipfile reads, by unambiguous names in ASCII."""
    found: dict[str, bytes] = {}
    try:
        with warnings.catch_warnings(), zipfile.ZipFile(io.BytesIO(data)) as archive:
            warnings.simplefilter("ignore")
            infos = [
                info
                for info in archive.infolist()
                if info.orig_filename == info.filename and info.filename.isascii()
            ]
            for info in infos:
                found.pop(info.filename, None)  # of several members of a name, the last counts
                if info.file_size <= _READ_MAX:
                    try:
                        found[info.filename] = archive.open(info).read(_READ_MAX)
                    except Exception:  # noqa: BLE001  # what zipfile refuses is not compared
                        continue
    except Exception:  # noqa: BLE001
        return found
    return found


def example_zip(*members: tuple[str, bytes, int], comment: bytes = b"") -> bytes:
    """A zip file of members with a name, a value, and a method of compression."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, value, method in members:
            archive.writestr(zipfile.ZipInfo(name), value, method)
        archive.comment = comment
    return file.getvalue()


def examples() -> Iterable[bytes]:
    """Stored and compressed members, a comment, folders, names that lead elsewhere, Zip64."""
    stored, deflated = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
    yield example_zip()
    yield example_zip(("zarr.json", b"{}" * 9, stored), ("c/0/0", bytes(99), deflated), comment=b"x")
    yield example_zip(
        ("a", b"", stored), ("b/", b"", stored), ("../c", b"1", stored), ("d/e", b"2" * 50, zipfile.ZIP_BZIP2)
    )
    yield example_zip(("é", b"u", stored), ("a", b"1", stored), ("f", b"x" * 60, zipfile.ZIP_LZMA))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive, archive.open("large", "w", force_zip64=True) as member:
        member.write(b"y" * 40)
    yield file.getvalue()
