"""The hierarchy that a command changes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Literal

from zarrcore.cli.completion import complete_by, node_paths
from zarrcore.cli.source import split_uri

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.hierarchy import Hierarchy


@contextmanager
def open_target(namespace: argparse.Namespace, mode: Literal["r+", "a"] = "r+") -> Iterator[Hierarchy]:
    """The hierarchy that SOURCE names, for changes; "a" makes it if there is none.

    A change removes consolidated metadata. If there were some, they are written again at the end.

    Raises:
        HierarchyNotFoundError: SOURCE does not hold a hierarchy.
        ReadOnlyError: it cannot be written.
        StoreError: it cannot be reached or does not exist.
    """
    from dataclasses import replace

    from zarrcore.cli.store_arguments import store_options
    from zarrcore.errors import ZarrError
    from zarrcore.hierarchy import open_hierarchy
    from zarrcore.stores import open_store

    # A cache may be older than the store.
    options = replace(store_options(namespace), cache_dir=None, cache_url=None)
    store = open_store(split_uri(namespace.source)[0], options=options, create=mode != "r+")
    with open_hierarchy(store, mode, namespace.format) as hierarchy:
        was_consolidated = _root(hierarchy)[1]
        try:
            yield hierarchy
        except BaseException:  # an interrupted pyramid, for instance, has changed some nodes
            with suppress(ZarrError):
                _consolidate_again(hierarchy, was_consolidated)
            raise
        _consolidate_again(hierarchy, was_consolidated)


def _consolidate_again(hierarchy: Hierarchy, was_consolidated: bool) -> None:
    is_there, is_consolidated = _root(hierarchy)
    if was_consolidated and is_there and not is_consolidated:
        hierarchy.consolidate()


def _root(hierarchy: Hierarchy) -> tuple[bool, bool]:
    """Whether the root has a document, and whether it has consolidated metadata that can be read."""
    from functools import partial

    from zarrcore.errors import MetadataError
    from zarrcore.formats.detect import fetch_document

    format_, get = hierarchy.format, partial(fetch_document, hierarchy.store)
    documents = format_.fetch(get, "/")
    try:
        return any(documents), format_.consolidated_documents(get, documents) is not None
    except MetadataError:
        return any(documents), False


def add_path_argument(
    parser: argparse.ArgumentParser, name: str, words: str, nargs: str | None = None
) -> None:
    """Add a path of a node in SOURCE that must be given, with completion."""
    action = parser.add_argument(name, metavar=name.upper(), nargs=nargs, help=words)
    complete_by(action, node_paths)


def path_in(namespace: argparse.Namespace, path: str) -> str:
    """The path of a node that an argument names, below the one after ``#`` in SOURCE."""
    from zarrcore.hierarchy import normalize_path

    return normalize_path(f"{split_uri(namespace.source)[1] or ''}/{path}")
