"""The tree of a group reads and shows a bounded number of nodes."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore
from tests.core.notebook.parsing import parsed
from zarrcore.notebook import tree
from zarrcore.stores import MemoryStore


class Counting(MemoryStore):
    """A store that counts the documents that are requested, and the listings."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.got = self.listed = 0

    def get(self, *arguments: Any, **options: Any) -> Any:
        self.got += 1
        return super().get(*arguments, **options)

    def list_dir(self, prefix: str) -> Any:
        self.listed += 1
        return super().list_dir(prefix)


def hierarchy_of(count: int, store: Counting) -> zarrcore.Hierarchy:
    made = zarrcore.create(store)
    made.create_array("many/a0", shape=(3,), dtype="uint8")
    document = store.get("many/a0/zarr.json")
    for number in range(1, count):
        store.set(f"many/a{number}/zarr.json", document)
    opened = zarrcore.open_hierarchy(store)
    opened["many"]
    store.got = store.listed = 0
    return opened


@pytest.mark.parametrize("is_remote", [False, True])
def test_a_large_group_shows_its_first_nodes_and_how_many_more_there_are(is_remote: bool) -> None:
    store = Counting()
    store.is_remote = is_remote
    group = hierarchy_of(20_000, store)["many"]
    page = parsed(group._repr_html_())
    assert sum(text.startswith("a") and text[1:].isdigit() for text in page.texts) == 50
    assert "and 19,950 more" in page.texts
    assert store.got <= 100
    assert store.listed == 1


def test_counting_ends_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_COUNTED_MAX", 100)
    assert "and at least 100 more" in parsed(hierarchy_of(200, Counting())["many"]._repr_html_()).texts
    monkeypatch.setattr(tree, "_COUNTED_MAX", 150)
    assert "and 150 more" in parsed(hierarchy_of(200, Counting())["many"]._repr_html_()).texts


def test_nodes_near_the_top_are_shown_before_deeper_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_NODES_MAX", 10)
    made = zarrcore.create(MemoryStore())
    for number in range(8):
        made.create_array(f"g{number}/below{number}", shape=(3,), dtype="uint8")
    texts = parsed(made._repr_html_()).texts
    assert [text for text in texts if text.startswith("g")] == [f"g{number}" for number in range(8)]
    assert len([text for text in texts if text.startswith("below")]) == 2
    assert texts.count("…") == 6


def test_few_groups_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_GROUPS_MAX", 3)
    store = Counting()
    made = zarrcore.create(store)
    for number in range(8):
        made.create_group(f"g{number}/h")
    opened = zarrcore.open_hierarchy(store)
    store.listed = 0
    parsed(opened._repr_html_())
    assert store.listed == 3


def test_no_group_is_listed_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_BUDGET_S", -1.0)
    made = zarrcore.create(MemoryStore())
    made.create_group("g")
    assert "…" in parsed(made._repr_html_()).texts
