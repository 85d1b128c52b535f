"""Writing references: a Zarr hierarchy whose chunks stay where they are, for programs that read references of kerchunk.

Specification: https://fsspec.github.io/kerchunk/spec.html
"""

from __future__ import annotations

import base64
import json
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np

from zarrcore.errors import BrokenReferenceError, NodeExistsError, StoreError, UnsupportedError, ZarrError
from zarrcore.formats import Format
from zarrcore.formats.interface import Documents
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode, Group, Hierarchy, normalize_path
from zarrcore.late_imports import from_extra, imported
from zarrcore.metadata import GroupMetadata
from zarrcore.operations.reference.array_references import ArrayReferences
from zarrcore.operations.reference.documents import array_documents, group_documents
from zarrcore.operations.reference.places import Places
from zarrcore.operations.refused_nodes import refuse
from zarrcore.stores.interface import ListableStore, ReadableStore
from zarrcore.stores.wrapper.interface import writable

RECORD_SIZE: Final = 100_000
"""References in one Parquet file."""
Report = Callable[[str, int, int], None]


@dataclass(slots=True)
class ReferenceResult:
    """What was written."""

    groups: int = 0
    arrays: int = 0
    references: int = 0
    """Chunks that are named."""
    inlined: int = 0
    """Chunks whose bytes are in the document itself."""
    skipped: dict[str, str] = field(default_factory=dict)
    """Paths of the nodes that could not be written, and why."""


def write_references(
    source: Hierarchy,
    output: ReadableStore,
    key: str,
    path: str = "/",
    *,
    to: Format = Format.V2,
    inline_nbytes: int = 0,
    skip: bool = False,
    progress: Report | None = None,
) -> ReferenceResult:
    """Write references to the chunks of a node and all below it; the node becomes the root of the references.

    Args:
        source: the hierarchy.
        output: the store to write to.
        key: the key of a new JSON document there; empty for a Parquet folder, which must be empty.
        path: the node.
        to: Zarr v2 or Zarr v3, in whose terms nodes are described. Parquet folders only have Zarr v2.
        inline_nbytes: chunks of at most this size are copied into the references.
        skip: leave out nodes that references cannot describe, instead of raising the error.
        progress: called with the current array.

    Raises:
        UnsupportedError, MetadataError: a node cannot be described, unless ``skip``.
        NodeExistsError: the Parquet folder is not empty.
        StoreError: a store failed.
    """
    if to is not Format.V2 and not key:
        raise UnsupportedError(
            "format", to.title, "cannot be in Parquet folders, whose readers know only Zarr v2"
        )
    job = _Job(source, normalize_path(path), to, inline_nbytes, skip, progress)
    return _written_json(job, output, key) if key else _written_parquet(job, output)


class _Job:
    """What is written, and how.

    Attributes:
        documents: the documents of groups, by key.
        result: what was written so far.

    Raises:
        As `write_references`.
    """

    def __init__(
        self, source: Hierarchy, top: str, to: Format, inline_nbytes: int, skip: bool, progress: Report | None
    ) -> None:
        self.documents: dict[str, str] = {}
        self.result = ReferenceResult()
        self._arrays: list[ArrayReferences] = []
        self._to = to
        self._inline_nbytes = inline_nbytes
        self._skip = skip
        self._progress = progress
        for node in source.walk(top):
            below = normalize_path(node.path[len(top) :] if top != "/" else node.path)
            try:
                self._add(node, below)
            except ZarrError as error:
                other = to is Format.V2 and isinstance(error, UnsupportedError) and _is_described_in_v3(node)
                self._refuse(node, error, "--zarr-format 3 describes it" if other else "")
        if not self.documents and not self._arrays:
            raise UnsupportedError("source", source.url, "has no node that references can describe")
        if all(each.path != "/" for each in self._arrays) and to.document_keys("/")[0] not in self.documents:
            self.documents |= _texts(to, "/", to.encode(GroupMetadata()))

    def _add(self, node: AnyNode, below: str) -> None:
        if isinstance(node, BrokenNode):
            raise node.error.with_traceback(None)
        if isinstance(node, Group):
            self.documents |= _texts(self._to, below, group_documents(node, self._to))
            self.result.groups += 1
            return
        if not isinstance(node.store, ListableStore):
            raise StoreError(f"{node.store.url} cannot list its chunks", url=node.store.url)
        told = array_documents(node, self._to)
        self._arrays.append(ArrayReferences(node, below, _texts(self._to, below, told.documents), told.keys))

    def _refuse(self, node: AnyNode, error: ZarrError, hint: str = "") -> None:
        """Leave a node out.

        Raises:
            ZarrError: nodes are not left out.
        """
        command = f"reference {hint}, --skip" if hint else "reference --skip"
        why = refuse(node, "cannot be described by references", error, command, skip=self._skip)
        self.result.skipped[node.path] = f"{why} ({hint})" if hint else why

    def prefix(self, each: ArrayReferences) -> str:
        """The beginning of an array's keys."""
        return self._to.prefix(each.path)

    def arrays(self) -> Iterator[tuple[ArrayReferences, Places]]:
        """All arrays, with the places of their chunks.

        Raises:
            As `write_references`.
        """
        for done, each in enumerate(self._arrays):
            if self._progress is not None:
                self._progress(each.path, done, len(self._arrays))
            try:
                each.node.confirm()
                places = each.places(self._inline_nbytes)
            except (UnsupportedError, BrokenReferenceError) as error:
                self._refuse(each.node, error)
                continue
            self.result.arrays += 1
            self.result.inlined += len(places.inlined)
            self.result.references += len(places) - len(places.inlined)
            yield each, places


def _texts(to: Format, path: str, documents: Documents) -> dict[str, str]:
    """The documents of a node by key."""
    keys = to.document_keys(path)
    return {key: text.decode() for key, text in zip(keys, documents, strict=True) if text is not None}


def _is_described_in_v3(node: AnyNode) -> bool:
    if not isinstance(node, ArrayNode):
        return False
    try:
        array_documents(node, Format.V3)
    except ZarrError:
        return False
    return True


def _written_json(job: _Job, output: ReadableStore, key: str) -> ReferenceResult:
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        file.write('{"version": 1, "refs": {\n')
        file.write(_json_documents(job.documents))
        separator = ",\n" if job.documents else ""
        for each, places in job.arrays():
            file.write(separator + _json_documents(each.documents))
            file.writelines(_json_members(each, places, job.prefix(each)))
            separator = ",\n"
        file.write("\n}}\n")
        file.flush()
        writable(output).set_file(key, file.fileno())
    return job.result


def _json_documents(documents: Mapping[str, str]) -> str:
    return ",\n".join(f"{json.dumps(name)}: {json.dumps(text)}" for name, text in documents.items())


def _json_members(each: ArrayReferences, places: Places, prefix: str) -> Iterator[str]:
    prefix = json.dumps(prefix)[:-1]
    urls = [json.dumps(url) for url in places.url_names]
    counts = each.node.chunk_grid_shape
    for start in range(0, len(places), RECORD_SIZE):
        part = slice(start, start + RECORD_SIZE)
        numbers = places.numbers[part]
        indices = np.stack(np.unravel_index(numbers, counts), 1).tolist() if counts else [()] * len(numbers)
        columns = (column[part].tolist() for column in (numbers, places.urls, places.starts, places.sizes))
        for index, number, url, first, nbytes in zip(indices, *columns, strict=True):
            if number in places.inlined:
                told = f'"base64:{base64.b64encode(places.inlined[number]).decode()}"'
            else:
                told = f"[{urls[url]}]" if nbytes < 0 else f"[{urls[url]}, {first}, {nbytes}]"
            yield f',\n{prefix}{each.keys.encode(index)}": {told}'


def _written_parquet(job: _Job, output: ReadableStore) -> ReferenceResult:
    if isinstance(output, ListableStore) and next(iter(output.list_dir("")), None) is not None:
        raise NodeExistsError("/", output.url, "is not empty: name a new folder")
    documents = dict(job.documents)
    for each, places in job.arrays():
        if each.path == "/":
            raise UnsupportedError(
                "array", "/", "cannot be described in Parquet: its references have no folder"
            )
        documents |= each.documents
        records = places.numbers // RECORD_SIZE
        size = RECORD_SIZE if len(places) and records[-1] else math.prod(each.node.chunk_grid_shape)
        bounds = [*np.flatnonzero(np.diff(records, prepend=-1)).tolist(), len(places)]
        for first, last in pairwise(bounds):
            key = f"{job.prefix(each)}refs.{records[first]}.parq"
            writable(output).set(key, _partition(places, slice(first, last), max(1, size)))
    # The folder counts as one of references once this is there.
    metadata = {name: json.loads(text) for name, text in documents.items()}
    told = json.dumps({"metadata": metadata, "record_size": RECORD_SIZE}).encode()
    writable(output).set(".zmetadata", told)
    return job.result


def _partition(places: Places, part: slice, count: int) -> memoryview:
    """A Parquet file of ``count`` chunks, of which those in ``part`` are stored."""
    parquet = from_extra("pyarrow.parquet", "references in Parquet", "parquet")
    pyarrow = imported("pyarrow")
    numbers = places.numbers[part]
    rows = numbers % RECORD_SIZE
    urls, starts, sizes = np.zeros(count, np.int32), np.zeros(count, np.int64), np.zeros(count, np.int64)
    urls[rows], starts[rows], sizes[rows] = (
        places.urls[part],
        places.starts[part],
        np.maximum(0, places.sizes[part]),
    )
    is_absent = np.ones(count, bool)
    is_absent[rows] = False
    raw: list[bytes | None] = [None] * count
    for number, row in zip(numbers.tolist(), rows.tolist(), strict=True) if places.inlined else ():
        if number in places.inlined:
            raw[row], is_absent[row] = places.inlined[number], True
    paths = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array(urls, mask=is_absent), pyarrow.array(places.url_names, pyarrow.string())
    )
    table = pyarrow.table(
        {"path": paths, "offset": starts, "size": sizes, "raw": pyarrow.array(raw, pyarrow.binary())}
    )
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    return memoryview(sink.getvalue())
