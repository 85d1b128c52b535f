"""Checks of the keys below an array: which of them are chunks, which chunks are missing, and what the others are."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from zarrcore.hierarchy import ArrayNode
from zarrcore.metadata.chunk_grid import chunk_indices
from zarrcore.operations.check.documents import foreign_keys
from zarrcore.operations.check.finding import Finding, Tally
from zarrcore.operations.marker import MARKER_KEY
from zarrcore.operations.parallel import in_parallel
from zarrcore.stores.interface import ReadableStore, StoreEntry
from zarrcore.stores.local.atomic_files import is_temporary as is_our_temporary
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.virtual.flat_file import FlatFile
from zarrcore.stores.wrapper.interface import WrapperStore
from zarrcore.stores.wrapper.prefix import PrefixStore
from zarrcore.stores.zip.store import ZipStore
from zarrcore.typing import AnyArray

ROOT_KEYS = frozenset({".zmetadata", "zarr.json", ".zgroup", ".zattrs", "attributes.json", MARKER_KEY})
"""Keys at the root that are not documents of a single node."""

# Files that interrupted writers leave: those of zarrcore, zarr-python, tensorstore, editors and NFS.
_TEMPORARY = re.compile(r"(.*/)?([^/]*\.partial|[^/]*\.__lock|[^/]*\.tmp|[^/]*~|\.nfs[0-9a-f]{8,})")

_MOST_MARKED = 1 << 24
"""Chunks of a grid up to which missing ones are reported one by one: a mark takes a byte."""

LEFT = "an interrupted writer left this; it can be erased when no program is writing"


def is_temporary(key: str) -> bool:
    """Whether a key looks like one that an interrupted writer left.

    >>> is_temporary("c/0/0.1f2e.partial"), is_temporary("c/0/0")
    (True, False)
    """
    return _TEMPORARY.fullmatch(key) is not None


def check_leftovers(store: ReadableStore) -> Iterator[Finding]:
    """The temporary files of killed zarrcore writers: listings of a local store do not show them."""
    store = _inner(store)
    if not isinstance(store, LocalStore):
        return
    tally = Tally("/")
    for directory, _, names in os.walk(store.root):
        for name in filter(is_our_temporary, names):
            key = os.path.relpath(os.path.join(directory, name), store.root)
            finding = Finding("warning", "temporary-key", "/", LEFT, key)
            if tally.passes(finding):
                yield finding
    yield from tally.rest()


def check_skipped_keys(store: ReadableStore) -> Iterator[Finding]:
    """The keys that listings left out until now, because they are not paths."""
    tally = Tally("/")
    for key in store.skipped_keys():
        finding = Finding(
            "warning", "odd-key", "/", "this key is not a path: it is left out of listings", key
        )
        if tally.passes(finding):
            yield finding
    yield from tally.rest()


def check_ome_zarr_zip(store: ReadableStore) -> Iterator[Finding]:
    """What an ``.ozx`` file does not do as RFC 9 of OME-NGFF asks."""
    store = _inner(store)
    if isinstance(store, ZipStore) and store.key.endswith(".ozx"):
        for sentence in store.ome_zarr_deviations():
            yield Finding("warning", "ome-zarr-zip", "/", f"OME-NGFF RFC 9: {sentence}")


def _inner(store: ReadableStore) -> ReadableStore:
    """The store inside wrappers that keep its keys."""
    while isinstance(store, WrapperStore) and not isinstance(store, PrefixStore):
        store = store.store
    return store


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A stored chunk."""

    index: tuple[int, ...]
    """Its place in the grid."""
    key: str
    """Its key."""
    size: int | None
    """Its size in bytes, if the listing has it."""


@dataclass(slots=True)
class ArrayKeys:
    """The keys below one array, classified while they are listed."""

    array: ArrayNode
    prefix: str
    """The prefix of the array's keys."""
    named_missing: int = 0
    """How many missing chunks to report one by one."""
    present: int = 0
    """Chunks of the grid found so far."""
    foreign: set[str] = field(default_factory=set)
    """Keys found that are documents of another format."""
    findings: list[Finding] = field(default_factory=list)
    """The findings since the last `taken`."""
    _other_separator: int = 0
    _seen: AnyArray | None = None
    """A mark for each stored chunk of the grid; None if missing chunks are only counted."""

    def __post_init__(self) -> None:
        if self.named_missing and math.prod(self.array.chunk_grid_shape) <= _MOST_MARKED:
            self._seen = np.zeros(self.array.chunk_grid_shape, bool)

    def chunks(self, entries: Iterator[StoreEntry]) -> Iterator[StoredChunk]:
        """The chunks of the grid among ``entries``; remarks on the others are added to `findings`."""
        array = self.array
        encoding, grid_shape = array.chunk_key_encoding, array.chunk_grid_shape
        documents = set(array.hierarchy.format.document_keys(array.path))
        if array.path == "/":
            documents |= ROOT_KEYS
        foreign = foreign_keys(array.hierarchy.format, array.path)
        for entry in entries:
            if entry.key in foreign:
                self.foreign.add(entry.key)
            if entry.key in documents or entry.key in foreign:
                continue
            index = encoding.decode(entry.key[len(self.prefix) :], array.ndim)
            if index is None:
                self._stray(entry.key)
            elif all(i < n for i, n in zip(index, grid_shape, strict=True)):
                yield self._found(StoredChunk(index, entry.key, entry.size))
            else:
                sentence = f"this chunk is outside the grid of {grid_shape}; resizing the array would make it visible again"
                self.findings.append(Finding("warning", "outside-the-grid", array.path, sentence, entry.key))

    def probed(self) -> Iterator[StoredChunk]:
        """The stored chunks of the grid, asked for one by one: for stores that cannot list."""
        array, store = self.array, self.array.store

        def probe(index: tuple[int, ...]) -> StoredChunk | None:
            key = array.chunk_key(index)
            stat = store.stat(key)
            return None if stat is None else StoredChunk(index, key, stat.size)

        indices = chunk_indices(array.chunk_grid_shape)
        for chunk in in_parallel(probe, indices, store.requests_in_flight):
            if chunk is not None:
                yield self._found(chunk)

    def _found(self, chunk: StoredChunk) -> StoredChunk:
        self.present += 1
        if self._seen is not None:
            self._seen[chunk.index] = True
        return chunk

    def taken(self) -> list[Finding]:
        """The findings since the last call."""
        taken, self.findings = self.findings, []
        return taken

    def rest(self) -> Iterator[Finding]:
        """Findings that only the whole listing shows."""
        array, total = self.array, math.prod(self.array.chunk_grid_shape)
        if self._other_separator:
            separator = "/" if array.chunk_key_encoding.separator == "." else "."
            sentence = (
                f"{self._other_separator:,} keys name chunks with the separator {separator!r}, which the document does not "
                f"state: they read as missing (set dimension_separator to {separator!r})"
            )
            yield Finding("error", "separator-not-named", array.path, sentence, count=self._other_separator)
        missing, named = total - self.present, 0
        if missing and isinstance(_inner(array.store), FlatFile):  # these have a place for each chunk
            sentence = f"{missing:,} of {total:,} chunks lie beyond the end of the file, and cannot be read"
            yield Finding("error", "beyond-the-end", array.path, sentence, count=missing)
            return
        if missing and self._seen is not None:
            for flat in np.flatnonzero(~self._seen.ravel())[: self.named_missing]:
                index = tuple(int(i) for i in np.unravel_index(flat, self._seen.shape))
                sentence = "this chunk is missing and reads as the fill value"
                key, named = array.chunk_key(index), named + 1
                yield Finding("note", "missing-chunk", array.path, sentence, key, index=index)
        if missing > named:
            chunks = "chunk is" if total == 1 else "chunks are"
            with np.errstate(invalid="ignore"):  # of a signalling NaN
                value = str(array.fill_value)
            sentence = f"{missing:,} of {total:,} {chunks} missing and read as the fill value {value}"
            yield Finding("note", "missing-chunks", array.path, sentence, count=missing - named)

    def _stray(self, key: str) -> None:
        array, encoding = self.array, self.array.chunk_key_encoding
        if is_temporary(key):
            self.findings.append(Finding("warning", "temporary-key", array.path, LEFT, key))
            return
        other = replace(encoding, separator="/" if encoding.separator == "." else ".")
        index = other.decode(key[len(self.prefix) :], array.ndim)
        if index is not None and all(i < n for i, n in zip(index, array.chunk_grid_shape, strict=True)):
            self._other_separator += 1
        else:
            sentence = "this key is neither a document nor a chunk of the array"
            self.findings.append(Finding("warning", "stray-key", array.path, sentence, key))
