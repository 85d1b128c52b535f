"""The architecture document lists every folder, and no folder is too large to search by eye."""

from __future__ import annotations

from tests.packaging.tree_of_folders import DOCUMENT, packages, with_tree

MOST_FILES = 16


def test_the_tree_is_up_to_date() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert text == with_tree(text), "run: python -m tests.packaging.tree_of_folders"


def test_no_folder_has_too_many_files() -> None:
    counts = {package: len(list(package.glob("*.py"))) for package in packages()}
    assert {package: count for package, count in counts.items() if count > MOST_FILES + 1} == {}
