"""Consolidated metadata in place of listings: which names stand below each path."""

from __future__ import annotations

from collections.abc import Iterable

from zarrcore.formats import Format


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
