"""The plan of a copy: the nodes to make, and the blocks in which their elements are copied.

A plan is a value: it can be compared, pickled, and carried out anywhere. Making one only reads documents.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from zarrcore.array.encoding import Encoding
from zarrcore.array.pools import CORES
from zarrcore.conventions.cf import attributes_in_zarr_v3
from zarrcore.errors import (
    BrokenReferenceError,
    MetadataError,
    SelectionError,
    StoreError,
    UnsupportedError,
    ZarrError,
)
from zarrcore.formats import Format
from zarrcore.formats.interface import Documents
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode, Group, Hierarchy, normalize_path
from zarrcore.metadata import ArrayMetadata, GroupMetadata
from zarrcore.metadata.json_document import format_json
from zarrcore.operations.copy.blocks import BlockAxis, BlockGrid, block_factors
from zarrcore.operations.copy.layout import (
    Layout,
    destination_metadata,
    is_exact,
    keeps_chunks,
    same_fill_value,
)
from zarrcore.operations.copy.missing_in_v2 import with_missing_value
from zarrcore.operations.copy.part import Part, Ranges, cut, places_left
from zarrcore.operations.parallel import in_parallel
from zarrcore.operations.refused_nodes import refuse

DEFAULT_MEMORY_NBYTES = 512 << 20
_BLOCK_NBYTES = 8 << 20
_REMOTE_BLOCK_NBYTES = 32 << 20  # many requests at a time
# A block may be larger than these if it then has whole chunks of the source, so that none is decoded twice.
_LARGEST_BLOCK_NBYTES = 64 << 20
_TRANSFER_NBYTES = 2 << 20
# A block's elements, their encoded chunks, the shards being assembled, and some slack.
_COPIES = 4


@dataclass(frozen=True, slots=True)
class ArrayPlan:
    """The copy of one array."""

    source_path: str
    """Its path in the source."""
    path: str
    """Its path in the destination."""
    source: ArrayMetadata
    """Its metadata in the source."""
    destination: ArrayMetadata
    """Its metadata in the destination."""
    blocks: BlockGrid
    """The pieces in which it is copied."""
    held_nbytes: int
    """Memory that copying one block needs."""
    is_exact: bool
    """Whether the copy reads back bit for bit, so that it can be verified."""
    ranges: Ranges | None = None
    """The part of the source that is copied, if it is not all of it."""
    stored_chunk_nbytes: int | None = None
    """The most bytes of a stored chunk, if chunks are copied as they are; None if they are decoded and encoded again."""
    confirmed: Callable[[], None] | None = None
    """As for the source's `Array`."""

    @property
    def nbytes(self) -> int:
        """Decoded bytes of all elements."""
        return math.prod(self.destination.shape) * self.source.data_type.dtype.itemsize

    @property
    def same_fill_value(self) -> bool:
        """Whether chunks that are missing in the source may also be missing in the destination."""
        return same_fill_value(self.source, self.destination)


@dataclass(frozen=True, slots=True)
class CopyPlan:
    """The copy of a node and all below it."""

    source_url: str
    """URL of the source."""
    format: Format
    """Format of the destination."""
    groups: tuple[tuple[str, GroupMetadata], ...]
    """Path in the destination and metadata of each group, parents first."""
    arrays: tuple[ArrayPlan, ...]
    """The arrays."""
    notes: tuple[str, ...]
    """What the copy cannot keep unchanged."""
    memory_nbytes: int = DEFAULT_MEMORY_NBYTES
    """Memory that blocks may use at a time."""
    source_path: str = "/"
    """Path in the source of the node that becomes the root."""
    skipped: tuple[tuple[str, str], ...] = ()
    """Path in the source of each node that is left out, and why; what is below it is left out, too."""

    @property
    def nbytes(self) -> int:
        """Decoded bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays)

    @property
    def fingerprint(self) -> str:
        """Distinguishes this copy from another one to the same place: another source, other arrays, other chunks or codecs.

        Attributes and memory do not count: they do not change the chunks that an interrupted copy wrote.
        """
        digest = hashlib.sha256(f"{self.source_url} {self.format.name}".encode())
        for array in self.arrays:
            names = f"\0{array.source_path}\0{array.path}" + (f"\0{array.ranges}" if array.ranges else "")
            digest.update(names.encode("utf-8", "surrogatepass"))
            for metadata in (array.source, array.destination):
                digest.update(format_json({**metadata.document(), "attributes": None}))
        return digest.hexdigest()

    def documents(self) -> Iterator[tuple[str, Documents]]:
        """Paths and documents of all nodes, groups first."""
        for path, group in self.groups:
            yield path, self.format.encode(group, at_root=path == "/")
        for array in self.arrays:
            yield array.path, self.format.encode(array.destination, at_root=array.path == "/")


def plan_copy(
    source: Hierarchy,
    path: str = "/",
    *,
    to: Format | None = None,
    layout: Layout | None = None,
    part: Part | None = None,
    memory_nbytes: int = DEFAULT_MEMORY_NBYTES,
    skip: bool = False,
) -> CopyPlan:
    """Plan the copy of the node at ``path`` and all below it; the node becomes the destination's root.

    Args:
        source: the hierarchy of the node.
        path: the node.
        to: the destination's format; None takes the source's, or the newest one if that cannot be written.
        layout: the storage of the copied arrays.
        part: what to copy of each array; None copies all of it.
        memory_nbytes: memory that blocks may use at a time.
        skip: leave out nodes below ``path`` that are broken, that the format cannot hold, or that are only in consolidated
            metadata, instead of raising the error.

    Raises:
        NodeNotFoundError: there is no node at ``path``.
        MetadataError, UnsupportedError: a node is broken, or the format cannot hold it, unless ``skip``.
        SelectionError: a layout that does not fit any array, or a part that does not fit them all.
        StoreError: a block does not fit into the allowed memory, or the store failed.
    """
    top = normalize_path(path)
    own = source.member(top).format
    planned = _Planned(to or (own if own.writable else Format.V3), layout or Layout(), part, memory_nbytes)
    skipped: dict[str, str] = {}
    for node, gone in _walked(source, top, confirm=skip):
        if node.path.rpartition("/")[0] in skipped:
            skipped[node.path] = ""
            continue
        below = normalize_path(node.path[len(top) :] if top != "/" else node.path)
        if (error := gone or planned.add(node, below)) is not None:
            may_skip = skip and below != "/"
            command = "" if below == "/" else "copy --skip"
            skipped[node.path] = refuse(node, "cannot be copied", error, command, skip=may_skip)
    _check_layout(planned.layout, planned.arrays)
    if part is not None:
        part.check()
        planned.groups = [
            (path, replace(group, attributes=part.with_channels(group.attributes)))
            for path, group in planned.groups
        ]
    return CopyPlan(
        f"{source.url}#{top}",
        planned.format,
        tuple(planned.groups),
        tuple(planned.arrays),
        tuple(planned.notes),
        memory_nbytes,
        top,
        tuple((path, why) for path, why in skipped.items() if why),
    )


def _walked(source: Hierarchy, top: str, *, confirm: bool) -> Iterator[tuple[AnyNode, ZarrError | None]]:
    """The nodes to copy; with ``confirm``, also why an array is not there that consolidated metadata include."""

    def confirmed(node: AnyNode) -> tuple[AnyNode, ZarrError | None]:
        try:
            if confirm and isinstance(node, ArrayNode):
                node.confirm()
        except BrokenReferenceError as error:
            return node, error
        return node, None

    return in_parallel(confirmed, source.walk(top), source.store.requests_in_flight)


class _Planned:
    """What `plan_copy` has found to copy so far."""

    def __init__(self, format_: Format, layout: Layout, part: Part | None, memory_nbytes: int) -> None:
        self.format, self.layout = format_, layout
        self._part, self._memory_nbytes = part, memory_nbytes
        self.groups: list[tuple[str, GroupMetadata]] = []
        self.arrays: list[ArrayPlan] = []
        self.notes: list[str] = []

    def add(self, node: AnyNode, path: str) -> ZarrError | None:
        """Plan the copy of one node to ``path``; returns why it cannot be copied, or None."""
        if (error := _fault(node, self.format, is_top=path == "/")) is not None:
            return error
        if isinstance(node, Group):
            metadata = self.format.adapted(node.metadata)
            self.groups.append((path, metadata if isinstance(metadata, GroupMetadata) else node.metadata))
        elif isinstance(node, ArrayNode):
            try:
                self._add_array(node, path)
            except (MetadataError, UnsupportedError) as unfitting:
                return unfitting
        if (
            self._part is not None
            and isinstance(node, Group | ArrayNode)
            and (left := places_left(node.attributes))
        ):
            self.notes.append(
                f"{node.path}: {', '.join(left)} say where the whole is, and are copied as they are"
            )
        return None

    def _add_array(self, node: ArrayNode, path: str) -> None:
        found = replace(node.metadata, chunk_key_encoding=node.chunk_key_encoding)
        ranges = None if self._part is None else self._part.of(node, is_top=path == "/")
        wanted = found if ranges is None else cut(found, ranges)
        destination, note = _destination(node, wanted, self.format, self.layout)
        self.notes += [f"{node.path}: {note}"] if note else []
        self.arrays.append(_plan_array(node, path, found, destination, self._memory_nbytes, ranges))


def _destination(
    node: ArrayNode, found: ArrayMetadata, to: Format, layout: Layout
) -> tuple[ArrayMetadata, str | None]:
    """The metadata of the copy of an array, and what it cannot keep."""
    same = to is node.hierarchy.format
    if not same and to is Format.V2:  # so that xarray finds its missing elements
        found = with_missing_value(found, every_element_is_stored=True)
    elif not same:
        found = replace(found, attributes=attributes_in_zarr_v3(node))
    try:
        return destination_metadata(found, to, layout, same_format=same)
    except MetadataError as error:
        raise error.at(node.path) from error


def _fault(node: AnyNode, format_: Format, *, is_top: bool) -> ZarrError | None:
    """Why a node cannot be copied, whatever it holds; None if it can."""
    if isinstance(node, BrokenNode):
        return node.error
    if not is_top and not format_.may_name_new_node(node.name):
        return UnsupportedError("name", node.name, f"is not allowed in {format_.title}")
    return None


def _check_layout(layout: Layout, arrays: list[ArrayPlan]) -> None:
    for what, lengths in (("chunks", layout.chunk_shape), ("shards", layout.shard_shape)):
        if lengths and not any(len(array.source.shape) == len(lengths) for array in arrays):
            raise SelectionError(
                f"{what} of {len(lengths)} dimensions are requested, but no array has as many"
            )


def _plan_array(
    node: ArrayNode,
    path: str,
    source: ArrayMetadata,
    destination: ArrayMetadata,
    memory_nbytes: int,
    ranges: Ranges | None,
) -> ArrayPlan:
    if ranges is None and keeps_chunks(source, destination):
        return _plan_transfer(node, path, source, destination, memory_nbytes)
    itemsize = max(1, node.itemsize)
    unit_shape, chunk_shape = node.inner_chunk_shape, destination.chunk_grid.chunk_shape
    pool = CORES if not node.store.is_remote else node.store.requests_in_flight
    block_nbytes = _REMOTE_BLOCK_NBYTES if node.store.is_remote else _BLOCK_NBYTES
    most = max(1, min(_LARGEST_BLOCK_NBYTES, memory_nbytes // (2 * _COPIES)))
    limit = min(block_nbytes, max(1, most // 2))
    steps = (1,) * node.ndim if ranges is None else [along.step for along in ranges]
    while True:
        factors = block_factors(
            destination.shape, chunk_shape, unit_shape, limit // itemsize, most // itemsize
        )
        block_shape = [n * length for n, length in zip(factors, chunk_shape, strict=True)]
        held = _COPIES * itemsize * math.prod(block_shape) + 2 * itemsize * _units_held(
            [length * step for length, step in zip(block_shape, steps, strict=True)], unit_shape, pool
        )
        if held <= memory_nbytes:
            break
        if all(factor == 1 for factor in factors):
            raise StoreError(
                f"{node.path}: copying one {'shard' if _has_shards(destination) else 'chunk'} takes {held >> 20:,} MiB of "
                f"memory, but only {memory_nbytes >> 20:,} MiB are allowed: allow more, or make chunks smaller"
            )
        limit, most = limit // 2, most // 2
    axes = zip(destination.chunk_grid.axes, destination.shape, factors, strict=True)
    blocks = BlockGrid(tuple(BlockAxis(*axis) for axis in axes))
    exact, confirmed = is_exact(destination), node.confirmed
    return ArrayPlan(node.path, path, source, destination, blocks, held, exact, ranges, confirmed=confirmed)


def _plan_transfer(
    node: ArrayNode, path: str, source: ArrayMetadata, destination: ArrayMetadata, memory_nbytes: int
) -> ArrayPlan:
    """The plan for an array whose stored chunks are copied as they are."""
    itemsize, chunk_shape = max(1, node.itemsize), source.chunk_grid.chunk_shape
    limit = max(1, min(_TRANSFER_NBYTES, memory_nbytes // _COPIES) // itemsize)
    factors = block_factors(source.shape, chunk_shape, chunk_shape, limit, limit)
    blocks = BlockGrid(tuple(map(BlockAxis, source.chunk_grid.axes, source.shape, factors)))
    largest = Encoding(source).pipeline().max_encoded_nbytes
    held = min(2 * largest, memory_nbytes)  # what is written, and what is read back
    return ArrayPlan(node.path, path, source, destination, blocks, held, True, None, largest, node.confirmed)


def _units_held(block_shape: list[int], unit_shape: tuple[int, ...], pool: int) -> int:
    """Elements of the source's chunks that are decoded at a time for one block."""
    crossed = math.prod(
        (length - 1) // unit + 2 for length, unit in zip(block_shape, unit_shape, strict=True)
    )
    return min(crossed, pool) * math.prod(unit_shape)


def _has_shards(metadata: ArrayMetadata) -> bool:
    return any(codec.name == "sharding_indexed" for codec in metadata.codecs)
