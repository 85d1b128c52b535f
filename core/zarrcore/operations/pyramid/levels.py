"""Making the levels of a pyramid, one after another, each from the one before, and describing them at the end.

Until it is finished, a level has an attribute that says how it is made. The same command resumes: chunks that are stored are
complete, because every ``set`` is atomic. The levels are described only when all are finished.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import numpy as np

from zarrcore.array import Array
from zarrcore.array.pools import CORES
from zarrcore.errors import ListingUnsupportedError, MetadataError, NodeExistsError, NodeNotFoundError
from zarrcore.hierarchy import ArrayNode, Group, Hierarchy
from zarrcore.metadata import ArrayMetadata
from zarrcore.metadata.json_document import format_json, parse_json_object
from zarrcore.operations.cluster import RunWork, Witness
from zarrcore.operations.copy.blocks import BlockAxis, BlockGrid, Box, NumberSet, block_factors, nbytes_of
from zarrcore.operations.copy.stored import chunk_digest, stored_chunks
from zarrcore.operations.parallel import in_parallel
from zarrcore.operations.pyramid.plan import LevelPlan, PyramidPlan
from zarrcore.operations.pyramid.reduce import reduce
from zarrcore.stores.wrapper.interface import writable

Progress = Callable[[str, int, int], None]
"""Called with the path of a level, its bytes done, and all of its bytes."""

UNFINISHED = "zarrscope_unfinished_level"
"""The attribute of a level that is not finished."""
_BLOCK_NBYTES = 4 << 20
_PIECE_NBYTES = 16 << 20
_COPIES = 4
"""A piece is in memory as it is read, and as its blocks are sorted or summed."""


@dataclass(frozen=True, slots=True)
class LevelBlock:
    """Makes blocks of one level. It can be pickled, so that any process can do it."""

    source: Array
    """The level before."""
    destination: Array
    """The level."""
    factors: tuple[int, ...]
    """Elements of the level before for each of the level, per axis."""
    method: str
    """How elements are reduced."""
    witnesses: tuple[Witness, ...] = ()
    """What another process must see, so that it reads and writes the same store."""
    at_once: int = 1
    """How many blocks a thread of another process makes at once."""

    def __call__(self, box: Box) -> int:
        """Make the elements of ``box``, whole chunks; returns their number of bytes.

        Raises:
            CodecError: a chunk of the level before does not decode.
            StoreError: the store failed.
        """
        shape = tuple(part.stop - part.start for part in box)
        values = np.empty(shape, self.destination.dtype)
        for piece in self._pieces(shape):
            inner = tuple(
                slice((part.start + inside.start) * factor, min((part.start + inside.stop) * factor, length))
                for part, inside, factor, length in zip(
                    box, piece, self.factors, self.source.shape, strict=True
                )
            )
            values[piece] = reduce(self.source.read(inner), self.factors, self.method)
        self.destination.write(box, values)
        return values.nbytes

    def _pieces(self, shape: tuple[int, ...]) -> Iterator[Box]:
        """Parts of a block of this shape: each is made from whole chunks of the level before, as few as are worth a read."""
        unit = [
            -(-length // f) for length, f in zip(self.source.inner_chunk_shape, self.factors, strict=True)
        ]
        limit = max(1, _PIECE_NBYTES // max(1, self.source.itemsize * math.prod(self.factors)))
        factors = block_factors(shape, unit, unit, limit, limit)
        steps = [n * length for n, length in zip(factors, unit, strict=True)]
        counts = [-(-length // step) for length, step in zip(shape, steps, strict=True)]
        for index in np.ndindex(*counts):
            yield tuple(
                slice(along * step, min((along + 1) * step, length))
                for along, step, length in zip(index, steps, shape, strict=True)
            )


def build(
    hierarchy: Hierarchy,
    plan: PyramidPlan,
    *,
    memory_nbytes: int = 512 << 20,
    progress: Progress | None = None,
    run_work: RunWork | None = None,
) -> None:
    """Make the levels of ``plan``, or finish those that an interrupted run began.

    Args:
        hierarchy: the hierarchy of the plan.
        plan: the levels.
        memory_nbytes: memory for blocks in flight; one block is always made.
        progress: called with the progress through each level.
        run_work: makes blocks somewhere other than in this process's threads, such as on a cluster.

    Raises:
        NodeExistsError: the place of a level is taken; nothing was changed.
        ReadOnlyError: the hierarchy cannot be written.
        CodecError: a chunk does not decode.
        StoreError: the store failed.
    """
    check_places(hierarchy, plan)
    for level in plan.levels:
        _build_level(hierarchy, plan, level, memory_nbytes, progress, run_work)
    _describe(hierarchy, plan)


def check_places(hierarchy: Hierarchy, plan: PyramidPlan) -> None:
    """Check that all levels can be made.

    Raises:
        NodeExistsError: the place of a level is taken.
        ReadOnlyError: the hierarchy cannot be written.
    """
    hierarchy.writer()
    for level in plan.levels:
        _check_place(hierarchy, level)


def _check_place(hierarchy: Hierarchy, level: LevelPlan) -> None:
    """Check that a level can be made: nothing is there, or a level that an interrupted run began."""
    try:
        node = hierarchy[level.path]
    except NodeNotFoundError:
        hierarchy.writer().check_create(level.path, level.metadata)
        return
    if not isinstance(node, ArrayNode) or UNFINISHED not in node.attributes:
        raise NodeExistsError(level.path, hierarchy.url, "is in the place of a level: nothing is replaced")


def _build_level(
    hierarchy: Hierarchy,
    plan: PyramidPlan,
    level: LevelPlan,
    memory_nbytes: int,
    progress: Progress | None,
    run_work: RunWork | None,
) -> None:
    source = hierarchy[level.source_path]
    if not isinstance(source, ArrayNode):
        raise MetadataError(f"{level.source_path} is no longer an array")
    recipe = {"method": plan.method, "factors": list(level.factors), "source_chunks": _digest(source)}
    array, there = _begun(hierarchy, level, recipe)
    blocks = _blocks(array)
    threads, done = _threads(array, blocks, memory_nbytes), 0
    witnesses = tuple(
        Witness(hierarchy.store, key)
        for node in (source, array)
        for key in hierarchy.format.document_keys(node.path)
    )
    work = LevelBlock(
        source, array, level.factors, plan.method, witnesses, threads if array.store.is_remote else 1
    )

    def missing() -> Iterator[Box]:
        nonlocal done
        for number in range(blocks.count):
            box = blocks.box(number)
            if all(chunk in there for chunk in blocks.chunks.crossed(box)):
                done += nbytes_of(box, array.itemsize)
            else:
                yield box

    made = (
        in_parallel(work, missing(), threads)
        if run_work is None
        else run_work((work, box) for box in missing())
    )
    for nbytes in made:
        done += nbytes
        if progress is not None:
            progress(level.path, done, array.nbytes)


def _begun(hierarchy: Hierarchy, level: LevelPlan, recipe: dict[str, Any]) -> tuple[ArrayNode, NumberSet]:
    """The array of a level, and its chunks that an interrupted run made from the same elements."""
    metadata = replace(level.metadata, attributes={UNFINISHED: recipe})
    with suppress(NodeNotFoundError):
        node = hierarchy[level.path]
        if isinstance(node, ArrayNode) and _is_same(node, metadata):
            prefix = hierarchy.format.chunk_prefix(level.path)
            return node, stored_chunks(node.store, prefix, node.metadata)
    array = hierarchy.create_node(level.path, metadata, overwrite=True)
    return array, NumberSet(math.prod(array.chunk_grid_shape))


def _is_same(node: ArrayNode, metadata: ArrayMetadata) -> bool:
    recipes = node.attributes.get(UNFINISHED), metadata.attributes[UNFINISHED]
    return recipes[0] == recipes[1] and replace(node.metadata, attributes=metadata.attributes) == metadata


def _digest(source: ArrayNode) -> str:
    """What changes with the stored chunks of the level before; a unique text if the store does not list them."""
    try:
        return chunk_digest(
            source.store, source.hierarchy.format.chunk_prefix(source.path), source.metadata
        ).text()
    except ListingUnsupportedError:
        return str(uuid4())


def _blocks(array: Array) -> BlockGrid:
    """The blocks of a level: whole chunks, or shards."""
    limit = max(1, _BLOCK_NBYTES // max(1, array.itemsize))
    factors = block_factors(array.shape, array.chunk_shape, array.chunk_shape, limit, limit)
    return BlockGrid(tuple(map(BlockAxis, array.metadata.chunk_grid.axes, array.shape, factors)))


def _threads(array: Array, blocks: BlockGrid, memory_nbytes: int) -> int:
    """How many blocks are made at once."""
    largest = nbytes_of(blocks.box(0), array.itemsize) if blocks.count else 0
    held = 2 * largest + _COPIES * _PIECE_NBYTES
    width = array.store.requests_in_flight if array.store.is_remote else CORES
    return max(1, min(width, memory_nbytes // held))


def _describe(hierarchy: Hierarchy, plan: PyramidPlan) -> None:
    """Write the metadata of the image, and name the dimensions of its first level, as OME-NGFF 0.5 demands."""
    group = hierarchy[plan.group_path]
    if not isinstance(group, Group):
        raise MetadataError(f"{plan.group_path} is no longer a group")
    if plan.image.version == "0.5":
        _name_dimensions(hierarchy, plan.base_path, [str(axis["name"]) for axis in plan.image.axes])
    group.attributes = plan.image.attributes(group.attributes, group.name or plan.base_path[1:])
    for dataset in plan.image.datasets:
        array = hierarchy[f"{plan.group_path}/{dataset.path}"]
        if UNFINISHED in array.attributes:
            array.attributes = {name: value for name, value in array.attributes.items() if name != UNFINISHED}


def _name_dimensions(hierarchy: Hierarchy, path: str, names: list[str]) -> None:
    array = hierarchy[path]
    if not isinstance(array, ArrayNode) or array.dimension_names is not None:
        return
    document = {**parse_json_object(array.documents[0] or b"{}"), "dimension_names": names}
    writable(hierarchy.store).set(array.metadata_key, format_json(document))
    hierarchy.forget(path)
