"""Hierarchies: a store seen as a tree of groups and arrays."""

from zarrcore.hierarchy.collections.collection import Collection
from zarrcore.hierarchy.consolidated import kept_consolidated
from zarrcore.hierarchy.hierarchy import Hierarchy
from zarrcore.hierarchy.nodes import AnyNode, ArrayNode, BrokenNode, CollectionNode, Group, Node
from zarrcore.hierarchy.open import create_hierarchy, hierarchy_above, open_hierarchy
from zarrcore.hierarchy.paths import normalize_path

__all__ = [
    "AnyNode",
    "ArrayNode",
    "BrokenNode",
    "Collection",
    "CollectionNode",
    "Group",
    "Hierarchy",
    "Node",
    "create_hierarchy",
    "hierarchy_above",
    "kept_consolidated",
    "normalize_path",
    "open_hierarchy",
]
