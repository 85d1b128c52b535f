"""Rows of the tree: their order, their ranges, and what is fetched."""

from __future__ import annotations

import pytest

from zarrbrowser.models.tree_item import natural_key


@pytest.mark.parametrize(("left", "right"), [("a2", "a10"), ("B", "c"), ("x", "x1"), ("1", "a")])
def test_names_sort_in_natural_order(left: str, right: str) -> None:
    assert natural_key(left) < natural_key(right)
