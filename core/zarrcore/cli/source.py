"""SOURCE and PATH: the arguments that most commands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final

from zarrcore.cli.completion import complete_by, node_paths
from zarrcore.stores import split_uri

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.array import ChunkCache
    from zarrcore.hierarchy import Hierarchy
    from zarrcore.stores import ReadableStore
    from zarrcore.stores.icechunk.repository import Repository
    from zarrcore.stores.icechunk.versions import Version

SOURCE_HELP: Final = "path or URL of a store, or of a folder that contains several, or SOURCE#/node/path"


def add_source_arguments(
    parser: argparse.ArgumentParser,
    path: bool = True,
    path_help: str = "",
    *,
    name: str = "SOURCE",
    source_help: str = SOURCE_HELP,
) -> None:
    """Add SOURCE (or another ``name``), PATH (optional), ``--format`` and the store options."""
    from zarrcore.cli.store_arguments import add_store_arguments

    parser.add_argument(
        "source",
        metavar=name,
        help=source_help,
    )
    if path:
        path_argument = parser.add_argument(
            "path", metavar="PATH", nargs="?", help=path_help or "path of a node in it (default: the root)"
        )
        complete_by(path_argument, node_paths)
    add_format_argument(parser)
    add_store_arguments(parser)


def add_format_argument(parser: argparse._ActionsContainer) -> None:
    """Add ``--format``."""
    format_argument = parser.add_argument(
        "--format",
        metavar="NAME",
        help="on-disk format: v3, v2, n5, or a draft of v3 such as draft-2020-10 (default: detected)",
    )
    complete_by(format_argument, _format_names)


def add_missing_argument(parser: argparse._ActionsContainer) -> None:
    """Add ``--missing``."""
    parser.add_argument(
        "--missing",
        choices=("fill", "error"),
        default="fill",
        help="whether missing chunks, and inner chunks, are read as fill values or are an error (default: %(default)s)",
    )


def _format_names(**_: Any) -> list[str]:
    from zarrcore.formats import known_formats

    return [known.name for known in known_formats()]


def source_store(namespace: argparse.Namespace) -> ReadableStore:
    """The store that SOURCE names.

    Raises:
        StoreError: it cannot be reached or does not exist.
    """
    from zarrcore.cli.store_arguments import store_options
    from zarrcore.stores import open_store

    return open_store(split_uri(namespace.source)[0], options=store_options(namespace))


def open_source(namespace: argparse.Namespace, chunk_cache: ChunkCache | None = None) -> Hierarchy:
    """The hierarchy that SOURCE names. Its warnings are written to stderr.

    Raises:
        HierarchyNotFoundError: SOURCE does not hold a hierarchy.
        StoreError: it cannot be reached or does not exist.
    """
    from zarrcore.hierarchy import open_hierarchy

    options = {name: value for name, value in vars(namespace).items() if name in ("format", "missing")}
    hierarchy = open_hierarchy(source_store(namespace), chunk_cache=chunk_cache, **options)
    _print("warning", [f"{hierarchy.url}: {text}" for text in hierarchy.store.warnings()])
    return hierarchy


def repository_of(namespace: argparse.Namespace) -> tuple[Repository, Version]:
    """The repository that SOURCE is, and the version that SOURCE or the options choose, or else its main branch.

    Raises:
        StoreError: SOURCE is no repository, or cannot be read.
    """
    from zarrcore.errors import StoreError
    from zarrcore.stores.enclosing import recognized
    from zarrcore.stores.icechunk.store import IcechunkStore
    from zarrcore.stores.icechunk.version_tree import VersionTreeStore
    from zarrcore.stores.icechunk.versions import MAIN

    source = source_store(namespace)
    is_open = isinstance(source, IcechunkStore | VersionTreeStore)
    store = source if is_open else recognized(source)
    if isinstance(store, VersionTreeStore):
        return store.repository, MAIN
    if not isinstance(store, IcechunkStore):
        raise StoreError(f"{source.url} is not an Icechunk repository", url=source.url)
    return store.repository, store.version


def print_warning(sentence: str) -> None:
    """Write a warning to stderr."""
    _print("warning", [sentence])


def print_notes(hierarchy: Hierarchy) -> None:
    """Write the notes of a source to stderr, such as which of its versions is shown."""
    _print("note", hierarchy.store.notes())


def _print(kind: str, texts: list[str]) -> None:
    import sys

    from zarrcore.cli.text import printable

    for text in texts:
        print(f"zarrscope: {kind}: {printable(text)}", file=sys.stderr)


def node_path(namespace: argparse.Namespace) -> str:
    """The path that PATH, where a command has it, or the part of SOURCE after ``#`` names."""
    from zarrcore.hierarchy import normalize_path

    inside = split_uri(namespace.source)[1] or "/"
    return normalize_path(f"{inside}/{getattr(namespace, 'path', None) or ''}")
