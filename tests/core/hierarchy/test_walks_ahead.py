"""Walks ahead over remote hierarchies: order, laziness, and the nodes that errors belong to."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator
from typing import Any

import pytest

import zarrcore
from zarrcore.stores.memory import MemoryStore


class Remote(MemoryStore):
    """A store in memory that is walked as remote ones are, and whose values and listings can fail."""

    is_remote = True
    requests_in_flight = 7

    def __init__(self) -> None:
        super().__init__()
        self.failing: set[str] = set()
        self.asked = 0

    def get(self, key: str, *arguments: Any, **options: Any) -> Any:
        self.asked += 1
        self._fail(key)
        return super().get(key, *arguments, **options)

    def list_dir(self, prefix: str) -> Iterator[Any]:
        self._fail(prefix)
        return super().list_dir(prefix)

    def _fail(self, what: str) -> None:
        if what in self.failing:
            raise zarrcore.StoreError(f"{what}: no", key=what, url=self.url)


def remote(width: int, depth: int) -> Remote:
    """Groups of ``width`` children, ``depth`` levels deep."""
    store = Remote()
    group = b'{"zarr_format": 3, "node_type": "group"}'
    for level in range(depth + 1):
        for path in itertools.product([f"n{i:04}" for i in range(width)], repeat=level):
            store.set("/".join((*path, "zarr.json")), group)
    return store


class TestWalking:
    @pytest.mark.parametrize(("width", "depth"), [(1, 60), (3, 5), (40, 2), (1500, 1)])
    def test_in_the_order_of_a_local_store(self, width: int, depth: int) -> None:
        store = remote(width, depth)
        found = [node.path for node in zarrcore.open_hierarchy(store).walk()]
        assert found == sorted(found)
        assert len(found) == sum(width**level for level in range(depth + 1))

    def test_is_lazy(self) -> None:
        store = remote(1500, 1)
        nodes = zarrcore.open_hierarchy(store).walk()
        assert [node.path for node in itertools.islice(nodes, 3)] == ["/", "/n0000", "/n0001"]
        assert isinstance(nodes, Generator)
        nodes.close()
        assert store.asked < 300

    def test_errors_come_with_their_nodes(self) -> None:
        store = remote(3, 3)
        store.failing = {"n0001/zarr.json", "n0002/n0000/"}
        found = {}
        for node in zarrcore.open_hierarchy(store).walk():
            found.setdefault(node.path, []).append(node.kind)
        assert found["/n0001"] == ["broken"]
        assert found["/n0002/n0000"] == ["group", "broken"]
        assert len(found) == 1 + 3 + 6 + 15
        store.failing = {""}
        with pytest.raises(zarrcore.StoreError, match="no"):
            list(zarrcore.open_hierarchy(store).walk())
