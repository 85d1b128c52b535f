"""What hierarchies and groups have in common: a mapping from the names of the nodes in them, as in h5py and zarr-python."""

from __future__ import annotations

import importlib
from abc import abstractmethod
from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from typing import TYPE_CHECKING, Any, Self, cast

from zarrcore.errors import NodeKindError, NodeNotFoundError, SelectionError

if TYPE_CHECKING:
    from zarrcore.hierarchy.nodes import AnyNode, ArrayNode, Group, NodeOwner


class Closing:
    """Something that can be used in a ``with`` block, which closes it."""

    @abstractmethod
    def close(self) -> None:
        """Close the store; this completes a written zip file. Closing twice is harmless."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Members(Mapping[str, "AnyNode"], Closing):
    """Nodes by path, and an iterable of those directly below.

    Only nodes are members: other keys beside them, such as those of chunks, are not. Iterating fetches the documents of the
    members, ahead and in parallel if the store is remote. Paths are relative to the group, or to the root of the hierarchy.

    As in h5py, an empty group is true, and two groups are equal only if they are the same object.
    """

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    @abstractmethod
    def _owner(self) -> NodeOwner:
        """The hierarchy."""

    @property
    @abstractmethod
    def _base(self) -> str:
        """What paths are relative to, without a slash at its end."""

    @abstractmethod
    def _nodes(self) -> Iterator[AnyNode]:
        """The nodes directly below."""

    def _path(self, path: str) -> str:
        """The path from the root of all paths.

        Raises:
            TypeError: it is not a str.
        """
        if not isinstance(path, str):
            raise TypeError(f"{self!r} is indexed by names and paths of nodes, not by {path!r}")
        return f"{self._base}/{path}"

    @abstractmethod
    def __getitem__(self, path: str) -> Group | ArrayNode: ...

    def __contains__(self, path: object) -> bool:
        try:
            self._owner.node(self._path(cast("str", path)))
        except (NodeNotFoundError, SelectionError, TypeError):
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        """The names of the nodes directly below, including broken ones, in the store's order.

        Raises:
            ListingUnsupportedError: the store cannot list keys and has no consolidated metadata.
            StoreError: the store failed.
        """
        return (name for name, _ in self.items())

    def __len__(self) -> int:
        return sum(1 for _ in self._nodes())

    def __bool__(self) -> bool:
        return True

    def items(self) -> ItemsView[str, AnyNode]:
        """Pairs of names and nodes; a node that cannot be opened is a `BrokenNode`, and does not hide the others."""
        return _Items(self)

    def values(self) -> ValuesView[AnyNode]:
        """The nodes directly below; those that cannot be opened are `BrokenNode`."""
        return _Values(self)

    def arrays(self) -> Iterator[tuple[str, ArrayNode]]:
        """Names and arrays directly below."""
        return ((name, cast("ArrayNode", node)) for name, node in self.items() if node.kind == "array")

    def groups(self) -> Iterator[tuple[str, Group]]:
        """Names and groups directly below."""
        return ((name, node) for name, node in self.items() if node.kind in ("group", "collection"))

    def array(self, path: str) -> ArrayNode:
        """The array at a path.

        Raises:
            NodeKindError: it is a group.
            Else as `Hierarchy.__getitem__`.
        """
        node = self[path]
        if node.kind != "array":
            raise NodeKindError(node.path, self._owner.url, node.kind)
        return cast("ArrayNode", node)

    def group(self, path: str) -> Group:
        """The group at a path.

        Raises:
            NodeKindError: it is an array.
            Else as `Hierarchy.__getitem__`.
        """
        node = self[path]
        if node.kind == "array":
            raise NodeKindError(node.path, self._owner.url, node.kind)
        return node

    def tree(self, depth: int | None = None) -> str:
        """The nodes below as text, one per line, as ``zarrscope tree`` prints them.

        Args:
            depth: levels below; None for all.

        Raises:
            ListingUnsupportedError: the store cannot list keys and has no consolidated metadata.
            StoreError: the store failed.
        """
        # It shows meanings, which stand above this layer.
        lines: Any = importlib.import_module("zarrcore.tree_lines").tree_lines
        with self._owner.branch(self._base or self._owner.at, depth) as top:
            return "\n".join(line for _, line in lines(top))


class _Items(ItemsView[str, "AnyNode"]):
    _mapping: Members

    def __iter__(self) -> Iterator[tuple[str, AnyNode]]:
        skipped = len(self._mapping._base) + 1  # noqa: SLF001 - a part of it
        return ((node.path[skipped:], node) for node in self._mapping.values())


class _Values(ValuesView["AnyNode"]):
    _mapping: Members

    def __iter__(self) -> Iterator[AnyNode]:
        return self._mapping._nodes()  # noqa: SLF001 - a part of it
