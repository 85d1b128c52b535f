"""References of a node, such as those of HDF5: which texts lead to another node, and to which one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zarrbrowser.nodes.protocols import KnownNode
from zarrcore.stores import NodeReferences


@dataclass(frozen=True, slots=True)
class References:
    """The references of one node."""

    found: NodeReferences = field(default_factory=NodeReferences)
    above: str = ""
    """The path of its hierarchy, if that is a member of a collection."""

    def of_element(self, text: Any, fields: tuple[str, ...] = ()) -> str:
        """The path of the node that an element, or a field of it, leads to; empty if it leads nowhere."""
        return self._path(self.found.elements, fields, text)

    def of_attribute(self, text: Any, names: tuple[str, ...]) -> str:
        """The path of the node that a value in an attribute leads to; empty if it leads nowhere.

        Args:
            names: the attribute, and the fields of the value in it.
        """
        return self._path(self.found.attributes, names, text)

    def _path(self, known: Mapping[tuple[str, ...], bool], names: tuple[str, ...], text: Any) -> str:
        is_region = known.get(names)
        # Null references are empty; those to objects without a path say so.
        if is_region is None or not isinstance(text, str) or not text.startswith("/"):
            return ""
        return self.above + (text.rpartition("[")[0] if is_region else text)


def references_of(node: KnownNode) -> References:
    """The references of a node; blocks.

    Raises:
        StoreError: the store failed.
    """
    hierarchy = getattr(node, "hierarchy", None)
    store = getattr(hierarchy, "store", None)  # a collection has none
    if hierarchy is None or store is None:
        return References()
    return References(store.references(hierarchy.within(node.path)), hierarchy.at.rstrip("/"))
