"""Rules of NeXus that programs rely on to plot data: the signal, its axes, and where ``default`` leads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from zarrcore.conventions import Find, NexusData
from zarrcore.conventions.nexus import (
    INDICES,
    NO_AXIS,
    Layout,
    default_data,
    errors_names,
    field,
    layout_of,
    spanned,
)
from zarrcore.errors import MetadataError, StoreError, ZarrError
from zarrcore.operations.check.conventions.rule import Broken

_RULE: Final = "NXdata, https://manual.nexusformat.org/classes/base_classes/NXdata.html"
_DEFAULT_RULE: Final = "Find the default plottable data, https://manual.nexusformat.org/datarules.html#find-the-default-plottable-data"


def check_nexus(node: Any, kind: str, find: Find) -> Iterator[Broken]:
    """The rules of NeXus that a group breaks.

    Raises:
        StoreError: the store failed.
    """
    told = node.attributes.get("default")
    if kind != NexusData.kind:
        if told is not None and not default_data(node, find):
            yield Broken("default", f"{told!r} does not lead to an NXdata group", _DEFAULT_RULE)
        return
    try:
        layout = layout_of(node, find)
    except StoreError:
        raise
    except MetadataError as error:
        yield Broken(error.member, error.reason, _RULE)
        return
    except ZarrError:
        return  # a broken node is a finding of its own
    yield from _check_axes(node, layout, find)
    yield from _check_indices(node, layout)
    yield from _check_same_shape(node, layout, find)


def _check_axes(group: Any, layout: Layout, find: Find) -> Iterator[Broken]:
    rank, count = layout.signal.ndim, len(layout.named)
    if count > rank != 1:  # points in one dimension may have several coordinates
        yield Broken("axes", f"names {count} axes of a signal with {rank} dimensions", _RULE)
    elif layout.named and count < rank and not any(layout.axes):
        sentence = f"names {count} axes of a signal with {rank} dimensions, and nothing says which these are"
        yield Broken("axes", sentence, _RULE)
    for name in layout.named:
        if name != NO_AXIS and name not in layout.dimensions and field(group, name, find) is None:
            yield Broken("axes", f"names {name!r}, which is not an array of the group", _RULE)
    for name, spans in layout.dimensions.items():
        array = field(group, name, find)
        if array is None:
            member = "axes" if name in layout.named else name + INDICES
            yield Broken(member, f"names {name!r}, which is not an array of the group", _RULE)
        elif array.kind == "array" and not _fits(
            array.shape, [layout.signal.shape[place] for place in spans]
        ):
            wanted = " × ".join(str(layout.signal.shape[place]) for place in spans)
            shape = " × ".join(map(str, array.shape)) or "no dimensions"
            yield Broken(name, f"has {shape} for dimensions of {wanted}", _RULE)


def _fits(shape: tuple[int, ...], lengths: list[int]) -> bool:
    """Whether each dimension has one position for each element of the signal, or two edges."""
    return len(shape) == len(lengths) and all(
        own - length in (0, 1) for own, length in zip(shape, lengths, strict=True)
    )


def _check_indices(group: Any, layout: Layout) -> Iterator[Broken]:
    rank = layout.signal.ndim
    for member, told in group.attributes.items():
        if not member.endswith(INDICES) or member == INDICES:
            continue
        spans = spanned(told)
        if spans is None or max(spans) >= rank:
            sentence = f"expected dimensions of the signal, from 0 to {rank - 1}, found {told!r}"
            yield Broken(member, sentence, _RULE)


def _check_same_shape(group: Any, layout: Layout, find: Find) -> Iterator[Broken]:
    """Auxiliary signals and errors have the shape of the signal."""
    errors = [name for name in errors_names(layout.signal.name) if field(group, name, find) is not None]
    for name in (*layout.auxiliary, *errors):
        array = field(group, name, find)
        if array is None:
            yield Broken("auxiliary_signals", f"names {name!r}, which is not an array of the group", _RULE)
        elif array.kind == "array" and tuple(array.shape) != tuple(layout.signal.shape):
            yield Broken(name, f"does not have the shape of the signal {layout.signal.name}", _RULE)
