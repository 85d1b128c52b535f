"""What a node is, according to the convention that it follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from zarrcore.conventions import Meaning, meaning, recognise
from zarrcore.errors import ReadCancelledError, ZarrError
from zarrcore.hierarchy import AnyNode, ArrayNode


class _Unread(ArrayNode):
    """An array whose elements are not to be read."""

    def read(self, *_: Any, **__: Any) -> Any:
        raise ReadCancelledError(f"{self.path}: only metadata are read")


def meaning_or_error(
    node: AnyNode, *, reads_elements: bool = True
) -> tuple[str, str, Meaning | ZarrError] | None:
    """The convention that a node follows, the kind of thing that it is, and its meaning, or why that cannot be read.

    Args:
        node: the node.
        reads_elements: whether elements may be read, for instance of coordinates, whose ends are the bounds of a raster, and
            children of a group without a convention, which may make it a dataset.
    """
    recognised = recognise(node)
    if recognised is None:
        return _by_children(node) if reads_elements else None
    convention, kind = recognised
    find: Callable[[str], AnyNode] = node.hierarchy.node
    try:
        return convention.title, kind, convention.read(node, find if reads_elements else _unread(find))
    except ZarrError as error:
        return convention.title, kind, error


def _by_children(node: AnyNode) -> tuple[str, str, Meaning] | None:
    try:
        found = meaning(node)
    except ZarrError:  # nothing says that it should be readable
        return None
    return None if found is None else (found.convention, found.kind, found)


def meaning_facts(node: AnyNode, *, reads_elements: bool = True) -> list[tuple[str, str]]:
    """What a node is according to its convention, and the facts that follow; empty if no convention says.

    Args:
        node, reads_elements: as for `meaning_or_error`.
    """
    match meaning_or_error(node, reads_elements=reads_elements):
        case None:
            return []
        case (title, kind, ZarrError() as error):
            return [("convention", f"{title} {kind}, but it cannot be read: {error}")]
        case (_, _, found):
            return [("convention", found.summary), *found.facts()]


def _unread(find: Callable[[str], AnyNode]) -> Callable[[str], AnyNode]:
    def found(path: str) -> AnyNode:
        node = find(path)
        if isinstance(node, ArrayNode):
            return _Unread(node.hierarchy, node.path, node.documents, node.metadata)
        return node

    return found
