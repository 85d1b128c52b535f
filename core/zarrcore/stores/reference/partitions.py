"""References in Parquet: a folder with ``.zmetadata``, and ``key/refs.N.parq`` with a fixed number of chunks in each.

Partitions are read when a chunk of theirs is requested, and some of them are kept.

Specification: https://fsspec.github.io/kerchunk/spec.html, "Parquet references"
"""

from __future__ import annotations

import json
import math
import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, Final

from zarrcore.errors import BodyTooLargeError, BrokenReferenceError, StoreError
from zarrcore.late_imports import from_extra
from zarrcore.printable import json_fault
from zarrcore.stores.interface import ReadableStore, StoreEntry
from zarrcore.stores.keys import check_path_like_key
from zarrcore.stores.reference.index import Found, Reference, ReferenceIndex
from zarrcore.stores.reference.store import ReferenceStore

METADATA_KEY: Final = ".zmetadata"
MAX_RECORD_SIZE: Final = 10_000_000
MAX_METADATA_NBYTES: Final = 256 << 20
MAX_PARTITION_NBYTES: Final = 256 << 20
_KEPT_NBYTES: Final = 128 << 20
_MAX_CHUNKS: Final = 1 << 62
_COLUMNS: Final = ("path", "offset", "size", "raw")


def open_folder(source: ReadableStore) -> ReferenceStore:
    """A folder of references as a store.

    Raises:
        MissingExtraError: pyarrow is not installed.
        StoreError: the folder is broken.
    """
    return ReferenceStore(source, "", source.url, _load_folder)


def _load_folder(source: ReadableStore, _: str, url: str) -> PartitionedReferences:
    return PartitionedReferences(source, url)


class _Partition:
    """The references of consecutive chunks."""

    def __init__(self, table: Any) -> None:
        self.columns = [
            table.column(name).combine_chunks() if name in table.column_names else None for name in _COLUMNS
        ]
        self.count = table.num_rows
        self.nbytes = table.nbytes + 1000

    def find(self, row: int) -> Found | None:
        if row >= self.count:
            return None
        url, start, nbytes, raw = (None if column is None else column[row].as_py() for column in self.columns)
        if raw is not None:
            return raw if isinstance(raw, bytes) else str(raw).encode()
        if not isinstance(url, str):
            return None
        start, nbytes = int(start or 0), int(nbytes or 0)
        if start < 0 or nbytes < 0:
            raise ValueError("a negative offset or size")
        return Reference(url, 0, None) if start == nbytes == 0 else Reference(url, start, nbytes)


class _Field:
    """The chunks of one array."""

    def __init__(self, document: Any) -> None:
        shape, chunks = document["shape"], document["chunks"]
        if not (
            isinstance(shape, list)
            and isinstance(chunks, list)
            and len(shape) == len(chunks)
            and all(type(n) is int and n >= 0 for n in shape)
            and all(type(n) is int and n > 0 for n in chunks)
        ):
            raise ValueError("shape and chunks are not those of an array")
        self.counts = tuple(-(-length // chunk) for length, chunk in zip(shape, chunks, strict=True)) or (1,)
        self.count = math.prod(self.counts)
        if self.count > _MAX_CHUNKS:
            raise ValueError("too many chunks")
        separator = document.get("dimension_separator", ".")
        self.separator = separator if separator in (".", "/") else "."

    def number(self, name: str) -> int | None:
        """The number, in C order, of the chunk with this name."""
        parts = name.split(self.separator)
        if len(parts) != len(self.counts):
            return None
        number = 0
        for part, count in zip(parts, self.counts, strict=True):
            if not (part.isascii() and part.isdecimal() and len(part) < 20) or (
                part[0] == "0" and part != "0"
            ):
                return None
            if int(part) >= count:
                return None
            number = number * count + int(part)
        return number

    def name(self, number: int) -> str:
        parts = []
        for count in reversed(self.counts):
            number, part = divmod(number, count)
            parts.append(str(part))
        return self.separator.join(reversed(parts))


class PartitionedReferences:
    """The references of a folder.

    Args:
        source: the folder.
        url: to name it in errors.

    Raises:
        MissingExtraError: pyarrow is not installed.
        StoreError: the folder is broken.
    """

    def __init__(self, source: ReadableStore, url: str) -> None:
        # A late failure would break only some nodes.
        from_extra("pyarrow.parquet", "references in Parquet", "parquet")
        self._source = source
        self._url = url
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, int], _Partition | None] = OrderedDict()
        self._kept_nbytes = 0
        self._documents = ReferenceIndex()
        self._fields: dict[str, _Field] = {}
        try:
            self._read_metadata()
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            if isinstance(error, StoreError):
                raise
            raise StoreError(
                f"{url} is not a folder of references: {json_fault(error):.200}", url=url
            ) from error

    def _read_metadata(self) -> None:
        stored = self._source.get(METADATA_KEY, max_nbytes=MAX_METADATA_NBYTES)
        document = json.loads(bytes(stored or b"{}"))
        if not isinstance(document, dict) or not isinstance(document.get("metadata"), dict):
            raise ValueError(f"{METADATA_KEY} has no metadata")  # noqa: TRY004 - the fault is in the document
        size = document.get("record_size")
        if type(size) is not int or not 0 < size <= MAX_RECORD_SIZE:
            raise ValueError(f"its record_size must be a number from 1 to {MAX_RECORD_SIZE:,}")
        self._record_size = size
        for key, value in document["metadata"].items():
            check_path_like_key(key, self._url)
            text = value if isinstance(value, str) else json.dumps(value)
            self._documents.add(key, text.encode())
            field, _, name = key.rpartition("/")
            if name == ".zarray" and isinstance(value, dict):
                self._fields[field] = _Field(value)
        self._documents.finish()
        self._names = sorted(self._fields)

    @property
    def urls(self) -> Iterable[str]:
        """The first targets of the first array that has some."""
        for field in islice(self._names, 20):
            for number in range(min(2, -(-self._fields[field].count // self._record_size))):
                # A broken partition is reported to those who read its chunks.
                with suppress(StoreError, ValueError, TypeError):
                    partition = self._partition(field, number)
                    rows = range(0 if partition is None else min(partition.count, 50))
                    found = [partition.find(row) for row in rows] if partition else []
                    urls = [each.url for each in found if isinstance(each, Reference)]
                    if urls:
                        return urls
        return []

    def find(self, key: str) -> Found | None:
        """The value, or where it is; None if the key is absent.

        Raises:
            StoreError: the partition cannot be read.
        """
        found = self._documents.find(key)
        if found is not None:
            return found
        place = self._place(key)
        if place is None:
            return None
        field, number = place
        partition = self._partition(field, number // self._record_size)
        try:
            return None if partition is None else partition.find(number % self._record_size)
        except (ValueError, TypeError, OverflowError) as error:
            raise self._broken(field, number // self._record_size, error) from error

    def _place(self, key: str) -> tuple[str, int] | None:
        """The array and number of a chunk."""
        cut = len(key)
        while cut >= 0:
            cut = key.rfind("/", 0, cut) if cut else -1
            name = key[:cut] if cut >= 0 else ""
            field = self._fields.get(name)
            if field is not None:
                number = field.number(key[cut + 1 :])
                if number is not None:
                    return name, number
        return None

    def _partition(self, field: str, record: int) -> _Partition | None:
        """A partition; None if it is absent, as one without references is."""
        place = (field, record)
        with self._lock:
            if place in self._kept:
                self._kept.move_to_end(place)
                return self._kept[place]
        partition = self._read(field, record)
        with self._lock:
            if place not in self._kept:
                self._kept[place] = partition
                self._kept_nbytes += partition.nbytes if partition else 1000
            while self._kept_nbytes > _KEPT_NBYTES and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self._kept_nbytes -= dropped.nbytes if dropped else 1000
        return partition

    def _read(self, field: str, record: int) -> _Partition | None:
        import pyarrow
        from pyarrow import parquet

        key = f"{field}/refs.{record}.parq".lstrip("/")
        try:
            data = self._source.get(key, max_nbytes=MAX_PARTITION_NBYTES)
        except BodyTooLargeError as error:
            raise self._broken(field, record, error) from error
        if data is None:
            return None
        try:
            file = parquet.ParquetFile(pyarrow.BufferReader(pyarrow.py_buffer(data)))
            facts = file.metadata
            nbytes = sum(facts.row_group(number).total_byte_size for number in range(facts.num_row_groups))
            if facts.num_rows > self._record_size or nbytes > MAX_PARTITION_NBYTES:
                raise ValueError(f"{facts.num_rows:,} references of {nbytes:,} bytes are too many")
            columns = [name for name in _COLUMNS if name in file.schema_arrow.names]
            return _Partition(file.read(columns=columns, use_threads=False))
        except (pyarrow.ArrowException, ValueError, OSError, KeyError, TypeError, MemoryError) as error:
            raise self._broken(field, record, error) from error

    def _broken(self, field: str, record: int, error: Exception) -> BrokenReferenceError:
        key = f"{field}/refs.{record}.parq".lstrip("/")
        return BrokenReferenceError(
            f"{key} in {self._url} is not a partition of references: {error!s:.200}", key=key, url=self._url
        )

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        """Keys and prefixes directly below a prefix.

        Raises:
            StoreError: a partition cannot be read.
        """
        seen = set()
        for entry in self._documents.list_dir(prefix):
            if entry.is_prefix:
                seen.add(entry.key)
            yield entry
        at = bisect_left(self._names, prefix.rstrip("/"))
        # Only arrays above or at the prefix have chunks directly below it.
        above = [self._names[at]] if at < len(self._names) else []
        parts = prefix.rstrip("/").split("/")
        above += ["/".join(parts[:length]) for length in range(len(parts))]
        for field in dict.fromkeys(above):
            head = f"{field}/" if field else ""
            if field not in self._fields or not prefix.startswith(head):
                continue
            for name, found in self._chunks(field):
                key = head + name
                if not key.startswith(prefix):
                    continue
                rest, slash, _ = key[len(prefix) :].partition("/")
                if not slash:
                    yield StoreEntry(key, len(found) if isinstance(found, bytes) else found.nbytes)
                elif prefix + rest + "/" not in seen:
                    seen.add(prefix + rest + "/")
                    yield StoreEntry(prefix + rest + "/")

    def _chunks(self, field: str) -> Iterator[tuple[str, Found]]:
        array = self._fields[field]
        missing = 0
        for record in range(-(-array.count // self._record_size)):
            partition = self._partition(field, record)
            missing = missing + 1 if partition is None else 0
            if missing > 10_000:
                raise StoreError(
                    f"{field} in {self._url} has more partitions than can be looked for", url=self._url
                )
            for row in range(partition.count if partition else 0):
                try:
                    found = partition.find(row) if partition else None
                except (ValueError, TypeError, OverflowError) as error:
                    raise self._broken(field, record, error) from error
                number = record * self._record_size + row
                if found is not None and number < array.count:
                    yield array.name(number), found
