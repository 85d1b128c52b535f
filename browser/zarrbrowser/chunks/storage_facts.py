"""Facts about the storage of an array, as text."""

from __future__ import annotations

import math

from zarrbrowser.chunks.chunk_map import ChunkMap
from zarrbrowser.nodes.describe import Fact, exact_bytes, size_facts
from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.values.quantities import count, format_bytes
from zarrcore.stores import ListableStore

_MOST_PROBED = 64
NEVER_WRITTEN = "No chunk was written: every element is the fill value."


def is_never_written(array: ArrayLike) -> bool:
    """Whether an array has no stored chunk; blocks until one is found, or until all possible keys are listed.

    False if the store cannot be listed and has many chunks, because each would need a request.

    Raises:
        StoreError: the store failed, or it cannot be listed.
    """

    store = getattr(getattr(array, "hierarchy", None), "store", None)
    can_list = store is None or isinstance(store, ListableStore)
    if not can_list and math.prod(array.chunk_grid_shape) > _MOST_PROBED:
        return False

    def seen(_index: tuple[int, ...], _nbytes: int) -> None:
        raise _Found

    try:
        return int(array.storage_info(seen).present) == 0
    except _Found:
        return False


class _Found(Exception):  # noqa: N818 - not an error: it ends the listing
    """A chunk is stored."""


def storage_facts(array: ArrayLike, known: ChunkMap) -> list[Fact]:
    """How much of an array is stored, from the chunks counted so far."""
    chunks, info = math.prod(array.chunk_grid_shape), known.info
    noun = "chunk" if tuple(array.inner_chunk_shape) == tuple(array.chunk_shape) else "shard"
    share = f" ({100 * known.present / chunks:.3g} %)" if chunks else ""
    more = "" if info is not None else " so far"
    facts = [
        *size_facts(array),
        Fact("Stored size", format_bytes(known.stored_nbytes) + more, exact_bytes(known.stored_nbytes)),
    ]
    if info is not None and info.ratio is not None:
        facts.append(
            Fact("Ratio", f"{info.ratio:.3g} : 1", f"decoded size of the stored {noun}s to their stored size")
        )
    facts.append(Fact("Stored", f"{known.present:,} of {count(chunks, noun)}{share}{more}"))
    if info is not None:
        facts.append(
            Fact("Not stored", count(info.missing, noun), "these read as the fill value" * bool(info.missing))
        )
    if known.present:
        facts.append(
            Fact("Mean size", f"{format_bytes(known.stored_nbytes // known.present)} per stored {noun}")
        )
    if info is not None and info.outside:
        facts.append(
            Fact(
                "Outside",
                count(info.outside, noun),
                f"{format_bytes(info.outside_nbytes)} beyond the array's shape",
            )
        )
    return facts
