"""``zarrscope ls``: the keys of a store, as they are listed."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from zarrcore.cli.source import add_source_arguments, source_store
from zarrcore.cli.text import printable
from zarrcore.errors import ListingUnsupportedError, StoreNotFoundError
from zarrcore.stores import split_uri

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.stores.interface import ReadableStore, StoreEntry


def register(commands: Any) -> None:
    """Add the sub-command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "ls",
        help="list the raw keys of a store",
        description="List the keys and prefixes directly under PATH, a prefix of keys.",
        examples=(
            "ls brain.zarr",
            "ls brain.zarr functional -r -l",
            "ls s3://bucket/data.zarr --anonymous",
        ),
    )
    add_source_arguments(parser, path_help="prefix to list (default: all of the store)")
    parser.add_argument("-r", "--recursive", action="store_true", help="all keys below PATH, at any depth")
    parser.add_argument(
        "-l", "--long", action="store_true", help="with size in bytes and time of modification"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per key, each on its own line")
    parser.set_defaults(run=run)


def run(namespace: argparse.Namespace) -> int:
    """Print entries while they stream in: memory does not grow with their number."""
    from zarrcore.stores.interface import ListableStore

    store = source_store(namespace)
    inside = split_uri(namespace.source)[1] or ""
    prefix = "/".join(part.strip("/") for part in (inside, namespace.path or "") if part.strip("/"))
    prefix = prefix + "/" if prefix else ""
    if not isinstance(store, ListableStore):
        raise ListingUnsupportedError(f"{store.url} cannot be listed: name a key", url=store.url)
    found = False
    try:
        for entry in store.list_prefix(prefix) if namespace.recursive else store.list_dir(prefix):
            found = True
            _print(store, entry, namespace)
    except ListingUnsupportedError:
        if not prefix or not _print_key(store, prefix[:-1], namespace):
            raise
        return 0
    if prefix and not found and not _print_key(store, prefix[:-1], namespace):
        raise StoreNotFoundError(
            f"{store.url} has neither a key nor a prefix {prefix[:-1]}", key=prefix, url=store.url
        )
    return 0


def _print_key(store: ReadableStore, key: str, namespace: argparse.Namespace) -> bool:
    """Print one key, if it exists; this also works for stores that cannot list."""
    from zarrcore.stores.interface import StoreEntry

    stat = store.stat(key)
    if stat is not None:
        _print(store, StoreEntry(key, stat.size, stat.mtime_s), namespace)
    return stat is not None


def _print(store: ReadableStore, entry: StoreEntry, namespace: argparse.Namespace) -> None:
    size, mtime_s = entry.size, entry.mtime_s
    if (namespace.long or namespace.json) and size is None and not entry.is_prefix:
        stat = store.stat(entry.key)
        size, mtime_s = (stat.size, stat.mtime_s) if stat is not None else (None, None)
    if namespace.json:
        line = json.dumps({"key": entry.key, "stored_nbytes": size, "mtime_s": mtime_s})
    elif namespace.long:
        time = "-" if mtime_s is None else datetime.fromtimestamp(mtime_s, UTC).strftime("%Y-%m-%d %H:%M:%S")
        line = f"{'-' if size is None else size:>14}  {time:<19}  {entry.key}"
    else:
        line = entry.key
    if sys.stdout.isatty():  # a program gets the exact key; a terminal gets no control characters
        line = printable(line)
    sys.stdout.write(line + "\n")
