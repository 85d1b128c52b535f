"""Sources in memory, and searches of them."""

from __future__ import annotations

from tests.browser.fakes import FakeGroup, FakeHierarchy
from zarrbrowser.session.inventory import Findings, Inventory
from zarrbrowser.session.sources import Source, SourceRequest


def source_of(root: FakeGroup) -> Source:
    return Source(SourceRequest("fake.zarr"), FakeHierarchy(root), root)


def search(inventory: Inventory, query: str) -> tuple[list[str], Findings]:
    told: list[Findings] = []
    last = inventory.search(query, lambda: False, told.append)
    return [entry.path for part in (*told, last) for entry in part.hits], last
