"""Which arrays of an NXdata group are the signal and its axes.

NeXus manual, "Rules for Storing Data Items in NeXus Files" and the base class NXdata. Attributes of the group name the arrays; in
older files, attributes of the arrays themselves say what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from zarrcore.conventions.interface import Find
from zarrcore.conventions.values import is_count, items, text
from zarrcore.errors import MetadataError, NodeNotFoundError, SelectionError, StoreError, ZarrError

DATA_CLASS: Final = "NXdata"
INDICES: Final = "_indices"
NO_AXIS: Final = "."
_MOST_CHILDREN: Final = 200
"""In a group with more, arrays of older files are not looked for: each of them may take a request."""
_PLOTTED_DIMENSIONS: Final = {"scalar": 0, "spectrum": 1, "image": 2}
"""How many of the last dimensions an interpretation is about."""
_COLOURS: Final = ("rgb-image", "rgba-image", "hsl-image", "hsla-image", "cmyk-image")


@dataclass(frozen=True, slots=True)
class Layout:
    """The arrays of an NXdata group, by name."""

    signal: Any
    """The array to plot."""
    auxiliary: tuple[str, ...]
    """Arrays to plot with it, of the same shape."""
    axes: tuple[str, ...]
    """The array along each dimension of the signal; empty for a dimension without one."""
    dimensions: Mapping[str, tuple[int, ...]]
    """The dimensions of the signal that each named axis spans."""
    named: tuple[str, ...]
    """The axes in the order in which the metadata name them, ``.`` for none."""

    @property
    def others(self) -> tuple[str, ...]:
        """Axes that stand beside those in ``axes``, or that span several dimensions."""
        return tuple(name for name in self.dimensions if name not in self.axes)


def nexus_class(node: Any) -> str:
    """The class of a group; empty if it has none."""
    name = text(node.attributes.get("NX_class")) if node.kind == "group" else ""
    return name if name.startswith("NX") else ""


def field(group: Any, name: str, find: Find) -> Any | None:
    """The array with this name in a group, which may be broken; None if there is none.

    Raises:
        StoreError: the store failed.
    """
    if not name or "/" in name or name in (".", ".."):
        return None
    node = find_or_none(f"{group.path.rstrip('/')}/{name}", find)
    return node if node is not None and node.kind in ("array", "broken") else None


def find_or_none(path: str, find: Find) -> Any | None:
    """The node at a path; None if there is none."""
    try:
        return find(path)
    except (NodeNotFoundError, SelectionError):
        return None


def names(told: Any) -> tuple[str, ...]:
    """A text, or a list of texts, as an attribute of the group holds it: HDF5 sources show a list of one as a text."""
    return (told,) if isinstance(told, str) else tuple(map(text, items(told)))


def spanned(told: Any) -> tuple[int, ...] | None:
    """The dimensions that an attribute ``AXISNAME_indices`` lists; None if it holds anything but dimensions."""
    found = tuple(items(told)) or (told,)
    return found if all(map(is_count, found)) else None


def layout_of(group: Any, find: Find, children: list[Any] | None = None) -> Layout:
    """The arrays of an NXdata group.

    Names of axes need not lead to arrays that fit.

    Args:
        group: the group.
        find: returns the node at an absolute path.
        children: the arrays in it, if they are known.

    Raises:
        MetadataError: the group has no signal.
        ZarrError: the signal is broken.
        StoreError: the store failed.
    """
    attributes = group.attributes
    if "signal" in attributes:
        children = []
    elif children is None:
        children = _children(group)
    name = text(attributes.get("signal")) if "signal" in attributes else _marked_signal(children)
    signal = field(group, name, find)
    if signal is None:
        what = f"names {name!r}, which is not an array of the group" if name else "does not name an array"
        raise MetadataError(f"it has no signal: the attribute {what}", member="signal")
    if signal.kind == "broken":
        raise signal.error
    named = names(attributes["axes"]) if "axes" in attributes else _older_axes(signal, children)
    dimensions = dict(_dimensions(attributes, named, signal))
    along = [""] * signal.ndim
    for axis, spans in dimensions.items():
        # The other axes are alternatives, even if none is the default.
        if axis in named and len(spans) == 1 and not along[spans[0]]:
            along[spans[0]] = axis
    auxiliary = names(attributes.get("auxiliary_signals")) or _older_auxiliary(children)
    return Layout(signal, auxiliary, tuple(along), dimensions, named)


def _dimensions(
    attributes: Mapping[str, Any], named: tuple[str, ...], signal: Any
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The dimensions of the signal that each axis spans: those of its indices, or that of its place in the list."""
    rank = signal.ndim
    listed = [name for name in attributes if name.endswith(INDICES) and name != INDICES]
    first = _first_dimension(attributes, len(named), signal)
    for place, name in enumerate(named):
        spans = spanned(attributes.get(name + INDICES)) if name + INDICES in listed else None
        if spans is None and first is not None:
            # Coordinates of scattered points: all of them are along the only dimension.
            spans = (0,) if rank == 1 else (first + place,)
        if name not in ("", NO_AXIS) and spans and max(spans) < rank:
            yield name, spans
    for name in listed:
        axis, spans = name.removesuffix(INDICES), spanned(attributes[name])
        if axis not in named and spans and max(spans) < rank:
            yield axis, spans


def _first_dimension(attributes: Mapping[str, Any], count: int, signal: Any) -> int | None:
    """The dimension of the first axis in the list; None for a list that is too short, unless the interpretation says why."""
    if count >= signal.ndim:
        return 0
    told = interpretation_of(attributes, signal)
    if told in _COLOURS and count == signal.ndim - 1:
        return 0
    return signal.ndim - count if _PLOTTED_DIMENSIONS.get(told) == count else None


def interpretation_of(attributes: Mapping[str, Any], signal: Any) -> str:
    """How the signal is to be plotted, such as ``image``; empty if nothing says it."""
    return text(signal.attributes.get("interpretation")) or text(attributes.get("interpretation"))


def _children(group: Any) -> list[Any]:
    """The arrays of a small group, and what may be arrays but cannot be opened."""
    if len([*islice(group.child_names(), _MOST_CHILDREN + 1)]) > _MOST_CHILDREN:
        return []
    return [child for child in group.children() if child.kind in ("array", "broken")]


def _marked_signal(children: list[Any]) -> str:
    """The array with the attribute ``signal`` of 1, as in older files.

    Raises:
        ZarrError: none of them is; one that cannot be opened may be it.
    """
    broken = None
    for one in children:
        if one.kind == "broken":
            broken = one
        elif _numbered(one, "signal") == 1:
            return str(one.name)
    if broken is not None:
        raise broken.error
    return ""


def _older_auxiliary(children: list[Any]) -> tuple[str, ...]:
    """Arrays whose attribute ``signal`` is 2 or more, in the order of these numbers."""
    numbered = ((_numbered(one, "signal"), one.name) for one in children if one.kind == "array")
    return tuple(name for _, name in sorted((number, name) for number, name in numbered if (number or 0) > 1))


def _older_axes(signal: Any, children: list[Any]) -> tuple[str, ...]:
    """The attribute ``axes`` of the signal, as in ``x:y`` or ``[x,y]``; or arrays with numbers of dimensions."""
    told = signal.attributes.get("axes")
    if isinstance(told, str):
        return tuple(
            part.strip() for part in re.split("[:,]", told.strip().removeprefix("[").removesuffix("]"))
        )
    if told is not None:
        return names(told)
    return _numbered_axes(signal, children)


def _numbered_axes(signal: Any, children: list[Any]) -> tuple[str, ...]:
    """Arrays by their attribute ``axis``, which counts dimensions from 1, the fastest first; ``.`` for none.

    Many writers count from the slowest, in the order of C: lengths decide.
    """
    by_number: dict[int, Any] = {}
    arrays = [one for one in children if one.kind == "array"]
    # Of several for a dimension, the primary one comes first.
    for one in sorted(arrays, key=lambda one: _numbered(one, "primary") != 1):
        number = _numbered(one, "axis")
        if number is not None and 0 < number <= signal.ndim:
            by_number.setdefault(number, one)
    fastest_first = {signal.ndim - number: one for number, one in by_number.items()}
    in_order_of_c = {number - 1: one for number, one in by_number.items()}
    orders = [(axes, more) for more in (0, 1) for axes in (fastest_first, in_order_of_c)]
    found = next((axes for axes, more in orders if _fit(axes, signal, more)), fastest_first)
    return tuple(found[place].name if place in found else NO_AXIS for place in range(signal.ndim))


def _fit(axes: Mapping[int, Any], signal: Any, more: int) -> bool:
    """Whether each axis has as many elements as its dimension, or up to ``more`` in addition."""
    return all(one.ndim == 1 and 0 <= one.shape[0] - signal.shape[n] <= more for n, one in axes.items())


def _numbered(array: Any, name: str) -> int | None:
    """An attribute that holds an integer, as a number or as text."""
    told = array.attributes.get(name)
    if isinstance(told, str) and re.fullmatch("[0-9]{1,3}", told):
        return int(told)
    return told if is_count(told) else None


def group_of(array: Any, find: Find) -> Any | None:
    """The NXdata group that an array is in; None for other arrays."""
    if array.path in ("", "/"):
        return None
    group = find_or_none(array.path.rpartition("/")[0] or "/", find)
    return group if group is not None and nexus_class(group) == DATA_CLASS else None


def layout_around(array: Any, find: Find) -> tuple[Any, Layout] | None:
    """The NXdata group that an array is in, and its layout; None for other arrays, and without a signal that can be opened.

    Raises:
        StoreError: the store failed.
    """
    group = group_of(array, find)
    if group is None:
        return None
    try:
        return group, layout_of(group, find)
    except StoreError:
        raise
    except ZarrError:  # this array has nothing to do with it
        return None


def uncertainties(array: Any, find: Find) -> Any | None:
    """The array of the standard deviations of a signal or an axis of an NXdata group, of the same shape; None if it has none.

    Raises:
        ZarrError: they are broken.
        StoreError: the store failed.
    """
    around = layout_around(array, find)
    if around is None:
        return None
    group, layout = around
    is_signal = array.name == layout.signal.name
    candidates = (text(array.attributes.get("uncertainties")), *errors_names(array.name)[: 1 + is_signal])
    found = (field(group, name, find) for name in candidates if name)
    return next((one for one in found if one is not None and _is_alike(one, array)), None)


def _is_alike(errors: Any, array: Any) -> bool:
    """Whether numbers of the shape of another array are in this one."""
    if errors.kind == "broken":
        raise errors.error
    is_number = errors.kind == "array" and errors.dtype.kind in "iuf" and not errors.dtype.names
    return is_number and tuple(errors.shape) == tuple(array.shape)


def errors_names(signal: str) -> tuple[str, str]:
    """The names that the errors of a signal may have; the second one is of older files."""
    return f"{signal}_errors", "errors"
