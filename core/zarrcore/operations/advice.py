"""What makes data slow or dear to read from a distance, and what helps. Only documents are read."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from zarrcore.errors import ZarrError
from zarrcore.hierarchy import ArrayNode, Collection, Group, Hierarchy
from zarrcore.hierarchy.consolidated import is_consolidated
from zarrcore.hierarchy.new_array import default_chunk_shape
from zarrcore.metadata import RegularChunkGrid
from zarrcore.operations.check.finding import Finding
from zarrcore.operations.copy.layout import codec_names
from zarrcore.sizes import format_bytes

_SMALL_NBYTES: Final = 256 << 10
"""Smaller chunks, decoded, take longer to ask for than to send, if an answer is 50 ms late."""
_LARGE_NBYTES: Final = 64 << 20
_MANY: Final = 1000
"""Requests that take a second at least, with 64 in flight and 50 ms for each."""
_SHARD_NBYTES: Final = 64 << 20
_PLANE: Final = 4096 * 4096
"""Elements of a plane that no screen shows."""
_FEW_NODES: Final = 20
_PLAIN: Final = frozenset({
    *("bytes", "endian", "transpose", "reshape", "sharding_indexed", "n5_default", "v2_view", "v2_struct_bytes"),
    *("vlen-utf8", "vlen-bytes", "vlen-array", "vlen", "crc32c", "crc32", "adler32", "fletcher32", "jenkins_lookup3"),
    *("delta", "shuffle", "fixedscaleoffset", "astype", "packbits", "imagecodecs_delta", "imagecodecs_floatpred"),
})  # fmt: skip
"""Codecs that do not compress."""
_REQUESTS: Final = {"v3": (1, 2), "v2": (2, 4)}
"""Requests that `tree` needs for an array and for a group, in formats that have consolidated metadata."""


def advise(hierarchy: Hierarchy, path: str = "/") -> Iterator[Finding]:
    """What a node and all below it cost to read from a distance, and what would make them cheaper.

    A "note" says what a plane and a series of an array take; "advice" says what to do. Bytes are decoded ones.

    Args:
        hierarchy: the hierarchy of the node.
        path: the node.

    Raises:
        NodeNotFoundError: ``path`` does not name a node.
        StoreError: the store failed.

    >>> import zarrcore
    >>> made = zarrcore.create("memory://advice")
    >>> array = made.create_array("a", shape=(100, 512, 512), dtype="uint16", chunks=(1, 256, 256))
    >>> next(advise(made)).sentence[:66]
    'a plane of dimension 1 and dimension 2 takes 4 requests (512 KiB),'
    """
    nodes: dict[str, Counter[str]] = {}
    for node in hierarchy.walk(path):
        member = hierarchy.member(node.path)
        if not isinstance(member, Collection):
            nodes.setdefault(member.at, Counter())[node.kind] += 1
        if isinstance(node, ArrayNode):
            yield from _of_array(node)
    for at, counts in nodes.items():
        yield from _of_hierarchy(hierarchy.member(at), counts)


def requests(array: ArrayNode, axes: Sequence[int]) -> int:
    """About how many requests a selection of all elements along some axes takes, and of one element along the others.

    Of shards, the index is one request, and neighbouring inner chunks are one, as they are written in C order.
    """
    objects = array.chunk_shape
    stored = math.prod(-(-array.shape[axis] // objects[axis]) for axis in axes)
    if array.shards is None:
        return stored
    inside = [-(-outer // inner) for outer, inner in zip(objects, array.inner_chunk_shape, strict=True)]
    runs, is_whole = 1, True
    for axis in reversed(range(array.ndim)):
        crossed = inside[axis] if axis in axes else 1
        runs *= 1 if is_whole else crossed
        is_whole = is_whole and crossed == inside[axis]
    return stored * (1 + runs)


def _of_array(array: ArrayNode) -> Iterator[Finding]:
    if not isinstance(array.metadata.chunk_grid, RegularChunkGrid) or 0 in array.shape or not array.ndim:
        return
    chunk, itemsize = array.inner_chunk_shape, max(1, array.itemsize)
    chunk_nbytes, nbytes = math.prod(chunk) * itemsize, array.nbytes
    stored = math.prod(array.chunk_grid_shape)
    if nbytes > _SMALL_NBYTES and stored > 1:
        yield Finding("note", "cost", array.path, _cost(array))
    if chunk_nbytes < _SMALL_NBYTES and stored > _MANY:
        shard = _shard_shape(array.shape, array.chunk_shape, itemsize)
        what = "shards" if array.shards is not None else "chunks"
        to = "" if array.hierarchy.format.name == "v3" else "--to v3 "
        sentence = f"{stored:,} {what} are as many requests: shards as of 'zarrscope copy {to}--shards {_words(shard)}' are fewer"
        yield Finding("advice", "small-chunks", array.path, sentence)
    if chunk_nbytes > _LARGE_NBYTES:
        smaller = _words(default_chunk_shape(chunk, itemsize))
        sentence = f"one element takes {format_bytes(chunk_nbytes)}: 'zarrscope copy --chunks {smaller}' makes that less"
        yield Finding("advice", "large-chunks", array.path, sentence)
    series = requests(array, [0])
    if array.ndim > 2 and series > _MANY and chunk[0] * 16 < array.shape[0]:
        longer = _words(_longer(chunk, array.shape, itemsize))
        sentence = f"the first dimension at one point takes {series:,} requests: 'zarrscope copy --chunks {longer}' serves both"
        yield Finding("advice", "series", array.path, sentence)
    if nbytes > _LARGE_NBYTES and {_bare(name) for name in codec_names(array.codecs)} <= _PLAIN:
        sentence = f"its {format_bytes(nbytes)} are not compressed: 'zarrscope copy --codec zstd' does that"
        yield Finding("advice", "uncompressed", array.path, sentence)
    if array.ndim > 1 and math.prod(array.shape[-2:]) > _PLANE and not _has_levels(array):
        sentence = (
            "a picture of a whole plane reads all of its elements: 'zarrscope pyramid' makes coarser levels"
        )
        yield Finding("advice", "no-pyramid", array.path, sentence)


def _of_hierarchy(hierarchy: Hierarchy, counts: Counter[str]) -> Iterator[Finding]:
    costs = _REQUESTS.get(hierarchy.format.name)
    count = counts.total()
    if costs is None or count <= _FEW_NODES or is_consolidated(hierarchy):
        return
    needed = counts["array"] * costs[0] + (count - counts["array"]) * costs[1]
    sentence = (
        f"{count:,} nodes take about {needed:,} requests to list: 'zarrscope consolidate' makes them 6 in all"
    )
    yield Finding("advice", "not-consolidated", hierarchy.at, sentence)


def _cost(array: ArrayNode) -> str:
    names = [
        name or f"dimension {axis}" for axis, name in enumerate(array.dimension_names or [None] * array.ndim)
    ]
    if array.ndim < 3:
        return f"all of it takes {_taken(array, range(array.ndim))}"
    plane = range(array.ndim - 2, array.ndim)
    series = f"a series along {names[0]} at one point {_taken(array, [0])}"
    return f"a plane of {names[-2]} and {names[-1]} takes {_taken(array, plane)}, {series}"


def _taken(array: ArrayNode, axes: Sequence[int]) -> str:
    """Requests and decoded bytes of a selection along some axes."""
    count, chunk = requests(array, axes), array.inner_chunk_shape
    crossed = math.prod(-(-array.shape[axis] // chunk[axis]) for axis in axes)
    return f"{count:,} request{'' if count == 1 else 's'} ({format_bytes(crossed * math.prod(chunk) * array.itemsize)})"


def _shard_shape(shape: Sequence[int], chunk: Sequence[int], itemsize: int) -> list[int]:
    """A multiple of a chunk of up to 64 MiB: the last dimensions are lengthened first."""
    shard = [*chunk]
    for axis in reversed(range(len(shape))):
        room = _SHARD_NBYTES // (math.prod(shard) * itemsize)
        shard[axis] *= max(1, min(-(-shape[axis] // shard[axis]), room))
    return shard


def _longer(chunk: Sequence[int], shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """A chunk with some 64 elements along the first dimension, and as many bytes as one of default shape."""
    first = min(shape[0], 64)
    return (first, *default_chunk_shape(tuple(chunk[1:]), itemsize * first))


def _words(lengths: Sequence[int]) -> str:
    return ",".join(map(str, lengths))


def _bare(name: str) -> str:
    return name.removeprefix("numcodecs.").removeprefix("n5_") if name != "n5_default" else name


def _has_levels(array: ArrayNode) -> bool:
    """Whether the group of an array describes levels, or the array is one of theirs."""
    above = array.path.rpartition("/")[0] or "/"
    try:
        group = array.hierarchy[above] if array.path != "/" else None
    except ZarrError:
        return False
    if not isinstance(group, Group):
        return False
    attributes = group.attributes
    return any(
        name in attributes for name in ("multiscales", "ome", "multiScale", "scales", "downsamplingFactors")
    )
