"""Writing elements: one cell, or one value into a selection."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from zarrbrowser.editing.changes import CannotChangeError, CannotUndoError, Change, Effect, Outcome, Undo
from zarrbrowser.editing.progress import Progress, StoppedError
from zarrbrowser.export.viewed_array import Selection, selection_text
from zarrbrowser.nodes.protocols import is_array
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.values.quantities import count, format_value
from zarrcore.typing import AnyArray

UNDO_UP_TO_BYTES = 64 << 20
"""Elements of up to this size are kept to undo a change."""
_UNDO_UP_TO_TEXTS = 100_000


@dataclass(frozen=True, slots=True)
class WriteCost:
    """What a change writes."""

    elements: int
    chunks: int
    """Chunks, or shards; each is written as a whole."""
    can_undo: bool


def cost_of(array: Any, selection: Selection) -> WriteCost:
    """What writing to a selection writes."""
    elements = chunks = 1
    for part, length, chunk in zip(selection, array.shape, array.chunk_shape, strict=True):
        if isinstance(part, slice):
            places = range(length)[part]
            elements *= len(places)
            chunks *= _crossed(places, max(1, chunk))
    return WriteCost(elements, chunks if elements else 0, _fits(array.dtype, elements))


def _crossed(places: range, chunk: int) -> int:
    """How many chunks of one length evenly spaced places are in."""
    if not places:
        return 0
    low, high = min(places[0], places[-1]), max(places[0], places[-1])
    return min(len(places), high // chunk - low // chunk + 1)


def _fits(dtype: np.dtype[Any], elements: int) -> bool:
    if dtype.kind in "TO":
        return elements <= _UNDO_UP_TO_TEXTS
    return elements * dtype.itemsize <= UNDO_UP_TO_BYTES


def place_of(array: Any, selection: Selection) -> str:
    """The elements as text: ``/a[3, 0:10]``; a slice of one element is an index."""
    parts: list[int | slice] = []
    for part, length in zip(selection, array.shape, strict=True):
        places = range(length)[part] if isinstance(part, slice) else None
        parts.append(places[0] if places is not None and len(places) == 1 else part)
    return f"{array.path}[{selection_text(tuple(parts))}]"


def write_elements(
    source: Source,
    array: Any,
    selection: Selection,
    element: Any,
    field: str | None = None,
    is_as_shown: Callable[[], bool] = lambda: True,
) -> Change:
    """Write one value to each element of a selection.

    Args:
        source: a source that may be changed.
        array: one of its arrays.
        selection: an index or a slice for each axis.
        element: the value, in the array's data type, or in that of the field.
        field: the field of structured elements to change; None for whole elements.
        is_as_shown: returns, after a look at the store, whether the elements are still those that the user saw; blocks.
    """
    place = place_of(array, selection)
    return Change(
        f"Writing {place}",
        partial(_write, source, array, selection, element, field, is_as_shown),
    )


def _write(
    source: Source,
    array: Any,
    selection: Selection,
    element: Any,
    field: str | None,
    is_as_shown: Callable[[], bool],
    progress: Progress,
) -> Outcome:
    from zarrcore.errors import ZarrError  # late: for a fast start

    _forget_chunks(array)
    place, cost = place_of(array, selection), cost_of(array, selection)
    if not _is_laid_out_as_before(source, array):
        raise CannotChangeError(
            f"another program has changed the shape, data type or chunks of {array.path}: read it again with F5"
        )
    if not is_as_shown():
        return Outcome(
            f"{place} was not written: another program changed it meanwhile",
            Effect.ELEMENTS,
            array.path,
            is_complete=False,
        )
    before = array.read(selection) if cost.can_undo or field is not None else None
    value: Any = np.asarray(element, array.dtype if field is None else array.dtype[field])
    if field is not None and before is not None:
        value, assigned = before.copy(), value
        value[field] = assigned
    error = _store(source, array, selection, value, progress, cost)
    _forget_chunks(array)
    undo, after = None, None
    unread = ""
    if before is not None:
        try:
            after = array.read(selection)
        except ZarrError as failure:  # chunks were written all the same
            unread = f"; they cannot be read now: {sentence(failure)[:-1]}"
    if before is not None and after is not None:
        undo = Undo(
            f"the elements {place}",
            partial(_restore, source, array, selection, after, before),
            before.nbytes + after.nbytes,
        )
    text = f"{count(cost.elements, 'element')} of {array.path} written in {count(cost.chunks, 'chunk')}"
    if error is not None:
        why = "stopped" if isinstance(error, StoppedError) else f"failed: {sentence(error)[:-1]}"
        told = f"{progress.done:,} of {count(cost.chunks, 'chunk')} were written, each completely"
        text = f"Writing {place} {why}. {told}"
    elif unread:
        text += unread
    elif before is not None and after is not None and cost.elements == 1:
        text = f"{place}: {_told(before)} → {_told(after)}"
        if not bool(are_equal(after, np.broadcast_to(value, after.shape)).all()):
            text += ", as its codecs store it"
    return Outcome(
        text,
        Effect.ELEMENTS,
        array.path,
        undo=undo,
        is_complete=error is None,
        ends_undo=undo is None,
    )


def _store(
    source: Source, array: Any, selection: Selection, value: Any, progress: Progress, cost: WriteCost
) -> Exception | None:
    """Write, and return the error that ended it after some chunks were written.

    Raises:
        ZarrError: nothing was written.
    """
    from zarrcore.errors import ReadCancelledError, ZarrError  # late: for a fast start

    store: Any = source.hierarchy
    progress.start(cost.chunks)
    try:
        with store.store.watching(copying=progress):
            array.write(selection, value, cancelled=progress.is_stopped)
    except (ReadCancelledError, StoppedError):
        return StoppedError()
    except ZarrError as error:
        if not progress.done:
            raise
        return error
    return None


def _restore(
    source: Source, array: Any, selection: Selection, after: AnyArray, before: AnyArray, progress: Progress
) -> Outcome:
    _forget_chunks(array)
    place = place_of(array, selection)
    if not _is_laid_out_as_before(source, array):
        raise CannotUndoError(f"the shape, data type or chunks of {array.path} have been changed since")
    if not bool(are_equal(array.read(selection), after).all()):
        raise CannotUndoError(f"{place} has been changed again since")
    error = _store(source, array, selection, before, progress, cost_of(array, selection))
    _forget_chunks(array)
    if error is None:
        return Outcome(f"{place} is as before", Effect.ELEMENTS, array.path)
    why = "stopped" if isinstance(error, StoppedError) else f"failed: {sentence(error)[:-1]}"
    now = array.read(selection)
    again = partial(_restore, source, array, selection, now, before)
    return Outcome(
        f"Restoring {place} {why}: a part of its chunks is as before",
        Effect.ELEMENTS,
        array.path,
        is_complete=False,
        undo=Undo(f"the elements {place}", again, before.nbytes + now.nbytes),
    )


def are_equal(one: AnyArray, other: AnyArray) -> AnyArray:
    """Which elements are equal to the last bit; NaN equals the same NaN.

    >>> are_equal(np.array([1.0, np.nan]), np.array([1.0, np.nan])).tolist()
    [True, True]
    """
    if one.dtype.kind in "TO" or not one.dtype.itemsize or one.dtype.hasobject:
        return np.asarray(one == other)
    size = one.dtype.itemsize
    first, second = (
        np.ascontiguousarray(array).reshape(array.size, 1).view(np.uint8).reshape(array.size, size)
        for array in (one, np.asarray(other, one.dtype))
    )
    return np.asarray((first == second).all(-1).reshape(one.shape))


def _is_laid_out_as_before(source: Source, array: Any) -> bool:
    """Whether the store still has the array with the layout that chunks would be written in.

    With an old shape, whole chunks would be written over elements that were appended since; with another data type or other
    codecs, they could not be read.

    Raises:
        ZarrError: no node has its path any more, or it cannot be read.
    """
    hierarchy: Any = source.hierarchy
    hierarchy.forget(array.path)
    now = hierarchy.node(array.path)
    return is_array(now) and _layout(now) == _layout(array)


def _layout(array: Any) -> dict[str, Any]:
    """The metadata of an array without what does not matter for its chunks."""
    document: dict[str, Any] = array.metadata.document()
    return {name: part for name, part in document.items() if name not in ("attributes", "dimension_names")}


def _forget_chunks(array: Any) -> None:
    """Forget cached chunks: another program may have written them."""
    if array.chunk_cache is not None:
        array.chunk_cache.clear()


def _told(values: AnyArray) -> str:
    return format_value(values.reshape(math.prod(values.shape))[0])
