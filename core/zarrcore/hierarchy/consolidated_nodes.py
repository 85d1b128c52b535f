"""The content of a root's consolidated metadata: the documents of nodes, and the names below each path."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from zarrcore.formats import Format
from zarrcore.formats.detect import Get
from zarrcore.formats.interface import Documents
from zarrcore.metadata import JsonObject


@dataclass(frozen=True, slots=True)
class ConsolidatedNodes:
    """The nodes in consolidated metadata. Paths are those within the store."""

    documents: dict[str, JsonObject]
    """The result of `Format.normalize` for each node's documents, by path."""
    names: dict[str, list[str]]
    """The names below each path."""


def consolidated_nodes(format: Format, get: Get, root: Documents) -> ConsolidatedNodes | None:  # noqa: A002
    """The nodes in the consolidated metadata of a store, or None if it has none.

    Args:
        format: the format of the nodes.
        get: gets documents.
        root: the root's documents; none if there is no root.

    Raises:
        MetadataError: they are broken.
        StoreError: the store failed.
    """
    documents = format.consolidated_documents(get, root) if root else None
    return None if documents is None else ConsolidatedNodes(documents, names_by_parent(documents, format))


def names_by_parent(paths: Iterable[str], format: Format) -> dict[str, list[str]]:  # noqa: A002
    """The names below each path, sorted; groups that the paths imply are among them.

    >>> names_by_parent(["/a/b/c", "/d"], Format.V3)
    {'/': ['a', 'd'], '/a': ['b'], '/a/b': ['c']}
    """
    names: dict[str, set[str]] = {}
    for path in paths:
        parent = "/"
        for name in path.strip("/").split("/"):
            if not format.may_name_node(name):
                break
            names.setdefault(parent, set()).add(name)
            parent = f"{parent.rstrip('/')}/{name}"
    return {parent: sorted(below) for parent, below in names.items()}
