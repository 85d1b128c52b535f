"""Discovering the children of a group: by listing, or by consolidated metadata where the store cannot list.

Accepted specification, "Storage", "Operations": "discover children".
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from zarrcore.array.pools import executor_for
from zarrcore.errors import ListingUnsupportedError, NodeNotFoundError, StoreError
from zarrcore.formats import Format
from zarrcore.formats.detect import fetch_document
from zarrcore.hierarchy.nodes import AnyNode, BrokenNode
from zarrcore.stores.interface import ListableStore

if TYPE_CHECKING:
    from zarrcore.hierarchy.hierarchy import Hierarchy

_SORTED_CHILDREN = 10_000


class Discovery:
    """Tells what stands below the groups of one hierarchy. Thread-safe.

    Args:
        hierarchy: whose groups.
        max_age_s: consolidated metadata read longer ago is read again; None keeps it until `forget`.
    """

    def __init__(self, hierarchy: Hierarchy, max_age_s: float | None) -> None:
        self._hierarchy = hierarchy
        self._max_age_s = max_age_s
        self._consolidated: tuple[float, dict[str, list[str]] | None] | None = None

    def forget(self) -> None:
        """Forget what was read of consolidated metadata."""
        self._consolidated = None

    def children(self, path: str) -> Iterator[AnyNode]:
        """The nodes directly below the group at ``path``, in the store's order, documents fetched ahead in parallel."""
        names = self.child_names(path)
        base = "" if path == "/" else path
        found: Iterator[AnyNode | None]
        if not self._hierarchy.store.is_remote:
            found = (self._child(f"{base}/{name}") for name in names)
        else:
            found = self._children_ahead(base, names)
        return (node for node in found if node is not None)

    def _children_ahead(self, base: str, names: Iterator[str]) -> Iterator[AnyNode | None]:
        executor, width = executor_for(self._hierarchy.store)
        ahead: deque[Future[AnyNode | None]] = deque()
        try:
            for name in names:
                ahead.append(executor.submit(self._child, f"{base}/{name}"))
                if len(ahead) >= width:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()

    def _child(self, path: str) -> AnyNode | None:
        try:
            return self._hierarchy.node(path)
        except NodeNotFoundError:
            return None
        except StoreError as error:  # one child that may not be read hides none of the others
            return BrokenNode(
                self._hierarchy, path, (None,) * len(self._hierarchy.format.document_keys(path)), error
            )

    def child_names(self, path: str) -> Iterator[str]:
        """The names under which the group at ``path`` may have nodes; no document is fetched."""
        try:
            yield from self._listed_names(path)
        except ListingUnsupportedError:
            names = self._consolidated_names()
            if names is None:
                raise
            yield from names.get(path, ())

    def _listed_names(self, path: str) -> Iterator[str]:
        if not isinstance(self._hierarchy.store, ListableStore):
            raise ListingUnsupportedError(
                f"{self._hierarchy.url} cannot be listed and has no consolidated metadata: name the path of a node",
                url=self._hierarchy.url,
            )
        prefix = self._hierarchy.format.prefix(path)
        entries = (
            entry.key[len(prefix) : -1] for entry in self._hierarchy.store.list_dir(prefix) if entry.is_prefix
        )
        names = (name for name in entries if self._hierarchy.format.may_name_node(name))
        if not self._hierarchy.store.is_remote:
            # A directory tells names in no order that people could follow; object stores list them sorted.
            first = sorted(islice(names, _SORTED_CHILDREN))
            yield from first
        yield from names

    def _consolidated_names(self) -> dict[str, list[str]] | None:
        """What the root's consolidated metadata has below each path, implied groups too; None where there is none."""
        kept = self._consolidated
        if kept is not None and (self._max_age_s is None or time.monotonic() - kept[0] < self._max_age_s):
            return kept[1]
        read_s, format_ = time.monotonic(), self._hierarchy.format
        get = partial(fetch_document, self._hierarchy.store)
        paths = format_.consolidated_paths(get, format_.fetch(get, "/"))
        names = None if paths is None else names_by_parent(paths, format_)
        self._consolidated = (read_s, names)
        return names


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
