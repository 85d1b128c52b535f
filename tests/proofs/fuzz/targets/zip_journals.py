"""Journals of zip files whose writer was killed: StoreError, or values that zipfile reads once the file is completed."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable

from tests.proofs.fuzz.folders import work_folder
from tests.proofs.fuzz.targets.zip_directories import example_zip
from zarrcore.errors import StoreError, UnsupportedError
from zarrcore.stores import LocalStore, MemoryStore
from zarrcore.stores.zip.journal import Journal, new_member
from zarrcore.stores.zip.store import ZipStore

_NUMBER = 0x0123456789ABCDEF
_BASES = (b"", example_zip(("a", b"before", zipfile.ZIP_STORED), ("b/0", bytes(40), zipfile.ZIP_DEFLATED)))
_READ_MAX = 1 << 20


def check(data: bytes) -> None:
    """The first byte says what was before the journal, and where the trailer says that it begins; the rest are the records."""
    if not data:
        return
    base = _BASES[data[0] % len(_BASES)]
    start = len(base) if data[0] < 192 else data[0] - 192
    content = base + data[1:] + Journal(start, _NUMBER).trailer()
    values = _values(ZipStore(MemoryStore("", {"a.zip": content}), "a.zip"))
    if values is None:
        return
    folder = work_folder("journals")
    path = folder / "a.zip"
    path.write_bytes(content)
    store = ZipStore(LocalStore(folder), "a.zip")
    assert _values(store) == values
    store.set("new", b"value")
    store.close()
    values["new"] = b"value"
    with zipfile.ZipFile(path) as archive:
        # For zarrcore a record's name is in UTF-8, whatever its flags say, which a writer never leaves wrong.
        infos = [info for info in archive.infolist() if info.filename.isascii() and not info.is_dir()]
        found = {info.filename: archive.read(info) for info in infos}
    expected = {key: value for key, value in values.items() if key.isascii()}
    assert {key: found.get(key) for key in expected} == expected


def _values(store: ZipStore) -> dict[str, bytes] | None:
    """All values; None if the store refuses the file or a value."""
    found: dict[str, bytes] = {}
    try:
        for entry in store.list_prefix(""):
            value = store.get(entry.key, max_nbytes=_READ_MAX)
            assert value is not None
            found[entry.key] = bytes(value)
    except (StoreError, UnsupportedError):
        return None
    return found


def _record(key: str, value: bytes, at: int, *, erased: bool = False) -> bytes:
    return Journal(0, _NUMBER).header(new_member(key, memoryview(value), at), erased=erased) + value


def examples() -> Iterable[bytes]:
    """Values that are new, replaced, erased and cut off, with and without a zip file before them."""
    for number, base in enumerate(_BASES):
        parts = io.BytesIO()
        for key, value, erased in (
            ("a", b"after", False),
            ("c/0", bytes(20), False),
            ("b/0", b"", True),
            ("é", b"u", False),
        ):
            parts.write(_record(key, value, len(base) + parts.tell(), erased=erased))
        records = parts.getvalue()
        yield bytes([number])
        yield bytes([number]) + records
        yield bytes([number]) + records + bytes(30)
        yield bytes([number]) + records[:-1]
    yield b"\xc0" + records
