"""Facts about the storage of an array, as text."""

from __future__ import annotations

import math
from contextlib import suppress

from zarrbrowser.chunks.chunk_map import ChunkMap
from zarrbrowser.nodes.describe import Fact, exact_bytes, size_facts
from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.values.quantities import count, format_bytes
from zarrcore.stores import ListableStore

_MOST_PROBED = 64
NEVER_WRITTEN = "No chunk was written: every element is the fill value."


def is_never_written(array: ArrayLike) -> bool:
    """Whether an array has no stored chunk; blocks until one is found. False, and raises, as `first_chunks`."""
    return first_chunks(array, 1) == []


def first_chunks(array: ArrayLike, most: int) -> list[tuple[int, ...]] | None:
    """The indices of stored chunks; blocks until ``most`` of them are found, or until all possible keys are listed.

    None if the store cannot be listed and has many chunks, because each would need a request.

    Raises:
        StoreError: the store failed, or it cannot be listed.
    """
    store = getattr(getattr(array, "hierarchy", None), "store", None)
    can_list = store is None or isinstance(store, ListableStore)
    if not can_list and math.prod(array.chunk_grid_shape) > _MOST_PROBED:
        return None
    found: list[tuple[int, ...]] = []

    def seen(index: tuple[int, ...], _nbytes: int) -> None:
        found.append(index)
        if len(found) >= most:
            raise _Enough

    with suppress(_Enough):
        array.storage_info(seen)
    return found


class _Enough(Exception):  # noqa: N818 - not an error: it ends the listing
    """Enough chunks are found."""


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
