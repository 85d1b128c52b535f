"""A part of a node as a node of its own, for file types that hold whole nodes.

The part is copied to a temporary folder, so that memory holds only a few blocks of it at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from zarrcore.array.selection.axes import AxisRange
from zarrcore.array.selection.basic import normalize
from zarrcore.array.selection.text import parse_selection
from zarrcore.conventions import names_along
from zarrcore.errors import SelectionError
from zarrcore.filetypes.hdf5.contents import nodes_of
from zarrcore.hierarchy import ArrayNode, BrokenNode, Group, create_hierarchy, open_hierarchy
from zarrcore.operations.functions import copy
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.wrapper.prefix import PrefixStore


@contextmanager
def copied_part(node: Group | ArrayNode, select: str) -> Iterator[Group | ArrayNode]:
    """A copy of a part of a node, for the duration of the context.

    Args:
        node: a group with all below it, or an array with the coordinates that it names.
        select: what `zarrcore.copy` takes. The coordinates of an array are cut along the dimensions that they share with it.

    Raises:
        As `zarrcore.copy`.
    """
    with TemporaryDirectory(prefix="zarrscope-") as folder, LocalStore(folder) as store:
        if isinstance(node, Group):
            copy(node, store, select=select, verify=False)
            yield open_hierarchy(store).group("/")
            return
        create_hierarchy(store)
        names = names_along(node, node.hierarchy.node) or (None,) * node.ndim
        taken = normalize(parse_selection(select, names if "=" in select else None), node.shape)
        cut = {
            (name, length): _as_slice(along)
            for name, length, along in zip(names, node.shape, taken, strict=True)
            if name
        }
        nodes = nodes_of(node)
        for name, each in nodes.items():
            if isinstance(each, BrokenNode):
                raise each.error.with_traceback(None)
            if isinstance(each, ArrayNode):
                along = zip(names_along(each, each.hierarchy.node) or (), each.shape, strict=False)
                part = tuple(cut.get((axis or "", length), slice(None)) for axis, length in along)
                if each is node:
                    part = tuple(map(_as_slice, taken))
                copy(each, PrefixStore(store, f"{name}/"), select=part, verify=False)
        yield open_hierarchy(store).array(next(iter(nodes)))


def _as_slice(along: AxisRange) -> slice:
    if along.flipped and along.count > 1:
        raise SelectionError("a copy keeps the order of elements: the step of a selection is positive")
    return slice(along.start, along.last + 1, along.step) if along.count else slice(0, 0)
