"""The hierarchy that a command changes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from zarrcore.cli.changing.destination import check_destination
from zarrcore.cli.completion import complete_by, node_paths
from zarrcore.stores import split_uri

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.hierarchy import Hierarchy


@contextmanager
def open_target(namespace: argparse.Namespace, mode: Literal["r+", "a"] = "r+") -> Iterator[Hierarchy]:
    """The hierarchy that SOURCE names, for changes; "a" makes it if there is none.

    A change removes consolidated metadata. If there were some, they are written again at the end.

    Raises:
        SelectionError: SOURCE would be made, and has the name of a database or a file.
        HierarchyNotFoundError: SOURCE does not hold a hierarchy.
        ReadOnlyError: it cannot be written.
        StoreError: it cannot be reached or does not exist.
    """
    from dataclasses import replace

    from zarrcore.cli.store_arguments import store_options
    from zarrcore.hierarchy import kept_consolidated, open_hierarchy
    from zarrcore.stores import open_store

    # A cache may be older than the store.
    options = replace(store_options(namespace), cache_dir=None, cache_url=None)
    url, _path = split_uri(namespace.source)
    if mode != "r+":
        check_destination(url)
    store = open_store(url, options=options, create=mode != "r+")
    # An interrupted pyramid, for instance, has changed some nodes.
    with open_hierarchy(store, mode, namespace.format) as hierarchy, kept_consolidated(hierarchy):
        yield hierarchy


def add_path_argument(
    parser: argparse.ArgumentParser,
    name: str,
    words: str,
    nargs: str | None = None,
    metavar: str | None = None,
) -> None:
    """Add a path of a node in SOURCE that must be given, with completion."""
    action = parser.add_argument(name, metavar=metavar or name.upper(), nargs=nargs, help=words)
    complete_by(action, node_paths)


def path_in(namespace: argparse.Namespace, path: str) -> str:
    """The path of a node that an argument names, below the one after ``#`` in SOURCE."""
    from zarrcore.hierarchy import normalize_path

    return normalize_path(f"{split_uri(namespace.source)[1] or ''}/{path}")
