"""The architecture document lists every folder."""

from __future__ import annotations

from tests.packaging.tree_of_folders import DOCUMENT, with_tree


def test_the_tree_is_up_to_date() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert text == with_tree(text), "run: python -m tests.packaging.tree_of_folders"
