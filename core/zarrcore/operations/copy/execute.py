"""Carrying out a plan, and resuming an interrupted copy.

A marker is written first and erased last. If it exists, stored chunks are complete, since every ``set`` is
atomic, and are not copied again. Documents are cheap and written again.
"""

from __future__ import annotations

import math
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

from zarrcore.array import Array
from zarrcore.array.pools import CORES
from zarrcore.formats.interface import Documents
from zarrcore.hierarchy import Hierarchy
from zarrcore.operations.cluster import RunWork, Witness
from zarrcore.operations.copy.block_copy import BlockCopy, Piece
from zarrcore.operations.copy.blocks import nbytes_of
from zarrcore.operations.copy.clones import verify_clones
from zarrcore.operations.copy.destination import prepare
from zarrcore.operations.copy.left_keys import LeftKeys, Listed, list_source
from zarrcore.operations.copy.plan import ArrayPlan, CopyPlan
from zarrcore.operations.copy.stored import ChunkDigest, stored_blocks, stored_chunks, stored_keys
from zarrcore.operations.copy.transfer import ChunkTransfer
from zarrcore.operations.marker import MARKER_KEY, Marker, erase_marker, write_marker
from zarrcore.operations.parallel import in_parallel
from zarrcore.stores.interface import ReadableStore, WritableStore
from zarrcore.stores.wrapper.interface import writable

Progress = Callable[[str, int, int], None]
"""Called with an array's path, the bytes done, and the bytes of all arrays."""

_REMOTE_BLOCKS = 64
_BUFFERS = 4
"""A thread keeps up to two buffers; they may take half of the memory."""
_LISTED_CHUNKS = 1_000_000
_DIGESTS = 1000


@dataclass(slots=True)
class CopyResult:
    """The result of a copy."""

    groups: int
    """Groups made."""
    arrays: int
    """Arrays made."""
    nbytes: int
    """Decoded bytes of all arrays."""
    copied_nbytes: int = 0
    """Bytes of the blocks that were copied."""
    resumed_nbytes: int = 0
    """Bytes of the blocks that an interrupted copy had already copied."""
    resumed: bool = False
    """Whether this finished an interrupted copy."""
    changed: tuple[str, ...] = ()
    """Paths in the source of arrays that changed since the interrupted copy, and were copied again."""
    left: LeftKeys = field(default_factory=LeftKeys)
    """Keys of the source that belong to no node, and were not copied."""

    @property
    def missing_nbytes(self) -> int:
        """Bytes of the blocks that the source does not store, according to its listing."""
        return self.nbytes - self.copied_nbytes - self.resumed_nbytes


def execute(
    plan: CopyPlan,
    source: Hierarchy,
    destination: ReadableStore,
    *,
    overwrite: bool = False,
    verify: bool = True,
    consolidate: bool = False,
    progress: Progress | None = None,
    run_work: RunWork | None = None,
) -> CopyResult:
    """Carry out ``plan``: copy from ``source`` to ``destination``, or resume the copy that was interrupted there.

    Args:
        plan: what to copy.
        source: the hierarchy of the plan.
        destination: the store to write to; the copy's root is at its empty prefix.
        overwrite: erase the hierarchy in ``destination`` first, except the part that this copy wrote itself.
        verify: read back every block, and compare.
        consolidate: write consolidated metadata too.
        progress: called with the progress of the copy.
        run_work: copies blocks somewhere other than in this process's threads, such as on a cluster.

    Raises:
        NodeExistsError: ``destination`` holds something else.
        ReadOnlyError: it is read-only.
        CodecError: a chunk of the source does not decode.
        BrokenBodyError: a block reads back differently.
        StoreError: a store failed.
        ClusterError: the cluster failed.
    """
    store = writable(destination)
    before = prepare(plan, source.store, destination, overwrite=overwrite)
    listed = list_source(plan, source)
    changed = _mark(plan, destination, before, listed.digests)
    result = CopyResult(
        len(plan.groups),
        len(plan.arrays),
        plan.nbytes,
        resumed=before is not None,
        changed=tuple(sorted(changed)),
        left=listed.left,
    )
    nodes = plan.documents()
    # The root comes first: without its document, what is there would pass for finished hierarchies in a folder.
    root = _write_documents(plan, store, next(nodes))
    written = in_parallel(partial(_write_documents, plan, store), nodes, store.requests_in_flight)
    kept = {path: documents for path, documents in chain((root,), written) if consolidate}
    copier = _Copier(plan, source, destination, verify, listed, result, progress)
    if run_work is not None:
        copier.run(lambda pieces: run_work((copy, box) for copy, box, _ in pieces))
    else:
        copier.run(partial(_in_threads, plan.memory_nbytes, source.store.is_remote or destination.is_remote))
    if consolidate:
        for key, value in plan.format.consolidate(kept).items():
            store.set(key, value)
    erase_marker(store)
    return result


def _mark(
    plan: CopyPlan, destination: ReadableStore, before: Marker | None, digests: dict[str, ChunkDigest]
) -> set[str]:
    """Mark the destination; returns the arrays that changed since the interrupted copy, whose chunks are erased there."""
    store = writable(destination)
    told = {name: digest.text() for name, digest in _grouped(digests).items()}
    changed: set[str] = set()
    if before is not None and before.chunks:
        groups = {name for name, text in told.items() if before.chunks.get(name, text) != text}
        many = len(digests) > _DIGESTS
        for array in plan.arrays:
            if array.source_path in digests and _group(array.source_path, many) in groups:
                changed.add(array.source_path)
                prefix = plan.format.chunk_prefix(array.path)
                store.erase_values(stored_keys(destination, prefix, array.destination))
    # Not before this: a copy that is interrupted here must find again that they changed.
    write_marker(store, Marker(plan.source_url, plan.fingerprint, told))
    return changed


def _grouped(digests: dict[str, ChunkDigest]) -> dict[str, ChunkDigest]:
    """A digest for each array, or for each of some thousand groups of arrays, so that the marker stays small."""
    if len(digests) <= _DIGESTS:
        return digests
    found: dict[str, ChunkDigest] = {}
    for path, digest in digests.items():
        found.setdefault(_group(path, True), ChunkDigest()).join(digest)
    return found


def _group(path: str, many: bool) -> str:
    return str(zlib.crc32(path.encode("utf-8", "surrogatepass")) % _DIGESTS) if many else path


def _write_documents(
    plan: CopyPlan, store: WritableStore, node: tuple[str, Documents]
) -> tuple[str, Documents]:
    path, documents = node
    for key, document in zip(plan.format.document_keys(path), documents, strict=True):
        if document is not None:
            store.set(key, document)
    return node


class _Copier:
    """Copies the chunks of all arrays of a plan."""

    def __init__(
        self,
        plan: CopyPlan,
        source: Hierarchy,
        store: ReadableStore,
        verify: bool,
        listed: Listed,
        result: CopyResult,
        progress: Progress | None,
    ) -> None:
        self._plan = plan
        self._source = source
        self._store = store
        self._verify = verify
        self._listed = listed
        self._result = result
        self._progress = progress
        self._path = ""
        self._passed_nbytes = 0

    def run(self, run_pieces: Callable[[Iterable[Piece]], Iterator[int]]) -> None:
        pieces = chain.from_iterable(map(self._pieces, self._plan.arrays))
        for nbytes in run_pieces(pieces):
            self._result.copied_nbytes += nbytes
            self._report()
        for array in self._plan.arrays if self._verify else ():
            if array.stored_chunk_nbytes is not None:
                self._verify_clones(array)
        self._report()

    def _verify_clones(self, array: ArrayPlan) -> None:
        source = self._source.member(array.source_path)
        prefix = source.format.chunk_prefix(source.within(array.source_path))
        place = self._store, self._plan.format.chunk_prefix(array.path)
        digest = self._listed.digests.get(array.source_path)
        verify_clones(array, (source.store, prefix), place, digest, self._plan.memory_nbytes)

    def _report(self) -> None:
        if self._progress is not None:
            self._progress(self._path, self._result.copied_nbytes + self._passed_nbytes, self._result.nbytes)

    def _pieces(self, array: ArrayPlan) -> Iterator[Piece]:
        self._path = array.path
        source = self._source.member(array.source_path)
        source_prefix = source.format.chunk_prefix(source.within(array.source_path))
        prefix = self._plan.format.chunk_prefix(array.path)
        one = Array(
            source.store,
            source_prefix,
            array.source,
            max_chunk_bytes=source.max_chunk_bytes,
            missing=source.missing,
            confirmed=array.confirmed,
        )
        other = Array(self._store, prefix, array.destination, max_chunk_bytes=1 << 62, read_only=False)
        is_remote, memory = source.store.is_remote or self._store.is_remote, self._plan.memory_nbytes
        kept = memory // (_BUFFERS * _threads(is_remote))
        elsewhere = (
            (*_witnesses(source, array.source_path), Witness(self._store, MARKER_KEY)),
            max(1, min(_REMOTE_BLOCKS, memory // max(1, array.held_nbytes))) if is_remote else 1,
        )
        copy: BlockCopy | ChunkTransfer = BlockCopy(
            one, other, kept, self._verify, array.ranges, array.is_exact, *elsewhere
        )
        # An array that must be whole is decoded if it has shards, which may lack inner chunks.
        is_read = one.missing == "error" and any(
            codec.name == "sharding_indexed" for codec in array.source.codecs
        )
        if (largest := array.stored_chunk_nbytes) is not None and not is_read:
            whole = max(1, memory // 2)
            copy = ChunkTransfer(
                one, source_prefix, other, prefix, largest, whole, kept, self._verify, *elsewhere
            )
            if is_remote:
                array = replace(array, blocks=array.blocks.chunks)
        offered = resumed = 0
        resuming = self._result.resumed and array.source_path not in self._result.changed
        there = stored_chunks(self._store, prefix, array.destination) if resuming else None
        chunks = array.blocks.chunks
        for number in self._wanted(array, copy.source, source_prefix):
            box = array.blocks.box(number)
            nbytes = nbytes_of(box, copy.source.itemsize)
            if there is not None and all(chunk in there for chunk in chunks.crossed(box)):
                resumed += nbytes
                self._result.resumed_nbytes += nbytes
                self._passed_nbytes += nbytes
            else:
                offered += nbytes
                yield copy, box, array.held_nbytes
        if offered + resumed < array.nbytes:
            one.confirm()
        self._passed_nbytes += array.nbytes - offered - resumed

    def _wanted(self, array: ArrayPlan, source: Array, prefix: str) -> Iterable[int]:
        """The numbers of the blocks that the source may store in part."""
        # Asking a local store for a missing chunk costs microseconds, and finds links that a listing leaves out.
        if source.missing == "error" or array.ranges is not None:
            return range(array.blocks.count)
        many = source.store.is_remote or math.prod(source.chunk_grid_shape) > _LISTED_CHUNKS
        if many and array.blocks.count > 1 and array.same_fill_value:
            if (stored := self._listed.stored.get(array.source_path)) is not None:
                return stored.blocks(array.blocks)
            hierarchy = self._source.member(array.source_path)
            documents = {*hierarchy.format.document_keys(hierarchy.within(array.source_path))}
            numbers = stored_blocks(source, prefix, documents, array.blocks)
            if numbers is not None:
                return numbers
        return range(array.blocks.count)


def _witnesses(source: Hierarchy, path: str) -> Iterator[Witness]:
    return (Witness(source.store, key) for key in source.format.document_keys(source.within(path)))


def _in_threads(budget: int, is_remote: bool, pieces: Iterable[Piece]) -> Iterator[int]:
    allowance = _Allowance(budget)

    def copy(piece: Piece) -> int:
        block_copy, box, held = piece
        with allowance.of(held):
            return block_copy(box)

    return in_parallel(copy, pieces, _threads(is_remote))


def _threads(is_remote: bool) -> int:
    return _REMOTE_BLOCKS if is_remote else CORES


class _Allowance:
    """Memory that threads share. A thread that needs more than is left waits."""

    def __init__(self, nbytes: int) -> None:
        self._left = nbytes
        self._all = nbytes
        self._changed = threading.Condition()

    @contextmanager
    def of(self, nbytes: int) -> Iterator[None]:
        nbytes = min(nbytes, self._all)
        with self._changed:
            self._changed.wait_for(lambda: self._left >= nbytes)
            self._left -= nbytes
        try:
            yield
        finally:
            with self._changed:
                self._left += nbytes
                self._changed.notify_all()
