"""The nodes in a file, and the version of their documents: what is known of a file before it is made."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

from zarrcore.errors import NodeNotFoundError, SelectionError, UnsupportedError
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode, Group

MAX_NODES = 250_000
"""Each takes about four kilobytes of memory, and a fifth of a millisecond with a local store."""


def nodes_of(node: Group | ArrayNode, find: Callable[[str], AnyNode] | None = None) -> dict[str, AnyNode]:
    """The nodes in the file of a node, by their paths in the file: an array with its coordinates, or a group with all below it.

    Args:
        node: the array or group.
        find: returns the node at a path, or raises `NodeNotFoundError`; by default that of the hierarchy.

    Raises:
        UnsupportedError: there are more nodes than one file should hold.
        ListingUnsupportedError: the nodes below the group cannot be listed.
        StoreError: the store did not answer as it should.
    """
    if isinstance(node, ArrayNode):
        return _with_coordinates(node, find or node.hierarchy.node)
    return _all_below(node)


def documents_version(nodes: Mapping[str, AnyNode], *, netcdf: bool) -> str:
    """A text that is equal for files of nodes with the same paths and documents: they differ at most in their elements.

    It is finer than `HDF5File.version`, and does not need the file.
    """
    digest = hashlib.blake2b(str(netcdf).encode(), digest_size=16)
    for path, node in nodes.items():
        # The error of a node without documents may be that of the store, and the file reports it.
        error = str(node.error) if isinstance(node, BrokenNode) else ""
        text = node.documents_text()
        told = path, node.path, node.kind, node.hierarchy.format.name, error, len(text)
        digest.update(repr(told).encode())
        digest.update(text)
    return digest.hexdigest()


def _with_coordinates(array: ArrayNode, find: Callable[[str], AnyNode]) -> dict[str, AnyNode]:
    """An array and the neighbouring arrays that its dimensions and its attribute ``coordinates`` (CF conventions) name."""
    nodes: dict[str, AnyNode] = {array.name or "array": array}
    parent, _, own = array.path.rpartition("/")
    if not own:
        return nodes
    named = array.attributes.get("coordinates")
    wanted = [*(array.dimension_names or ()), *(named.split() if isinstance(named, str) else ())]
    for name in wanted:
        if not name or "/" in name or name in nodes:
            continue
        try:
            found = find(f"{parent}/{name}")
        except (NodeNotFoundError, SelectionError):
            continue
        if found.kind != "group":
            nodes[name] = found
    return nodes


def _all_below(group: Group) -> dict[str, AnyNode]:
    """A group and all nodes below it, by their paths in the file."""
    length = len(group.path.rstrip("/")) + 1
    nodes: dict[str, AnyNode] = {}
    for node in group.hierarchy.walk(group.path):
        if len(nodes) == MAX_NODES:
            raise UnsupportedError(
                "group",
                group.path,
                f"has more than {MAX_NODES:,} nodes, too many for one file: choose a node below it",
            )
        nodes[node.path[length:]] = node
    return nodes
