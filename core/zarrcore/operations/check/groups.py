"""Checks of a group: its children's names, and the keys beside its documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from zarrcore.errors import ListingUnsupportedError, StoreError
from zarrcore.hierarchy import AnyNode, Group
from zarrcore.operations.check.documents import check_other_formats, foreign_keys
from zarrcore.operations.check.finding import UNLISTED, Finding, Tally
from zarrcore.operations.check.keys import LEFT, ROOT_KEYS, is_temporary
from zarrcore.stores.interface import ListableStore, StoreEntry

_CHUNK_KEY: Final = re.compile(r"c?[./]?\d+([./]\d+)*")
_LOOKED_AT = 20
"""Keys of a folder that are looked at: one page of a listing."""


def check_group(group: Group, *, is_of_lost_array: bool = False) -> Iterator[AnyNode | Finding]:
    """The group's children, for the caller to check, and what is wrong with its names and keys.

    Args:
        group: the group.
        is_of_lost_array: whether it is a folder of chunks of an array without a document, which is reported already.
    """
    names: set[str] = set()
    folded: dict[str, str] = {}
    try:
        if not is_of_lost_array:
            yield from check_own_document(group)
        for child in group.children():
            names.add(child.name)
            if not child.hierarchy.format.may_name_new_node(child.name):
                sentence = f"{child.hierarchy.format.title} reserves the name {child.name!r}; other readers may not show it"
                yield Finding("warning", "reserved-name", child.path, sentence)
            other = folded.setdefault(child.name.casefold(), child.name)
            if other != child.name:
                sentence = f"the names {other!r} and {child.name!r} differ in case only; some file systems treat them as one"
                yield Finding("warning", "equal-but-for-case", child.path, sentence)
            yield child
        if not is_of_lost_array:
            yield from check_keys(group, names)
    except ListingUnsupportedError as error:
        yield Finding("note", "not-checked", group.path, f"its children are unknown: {error}")
    except StoreError as error:
        yield Finding("error", "unreadable", group.path, str(error), error.key or "")


def check_own_document(group: Group) -> Iterator[Finding]:
    """Whether a group lacks a document, or is an array that lost its own.

    Raises:
        StoreError: the store failed.
    """
    format_ = group.hierarchy.format
    if group.kind == "collection" or format_.name not in ("v3", "v2") or any(group.documents):
        return
    alone = [*check_folder(group)]
    yield from alone
    if not alone:
        sentence = f"no document makes this a group; other readers of {format_.title} list neither it nor the nodes below it"
        yield Finding("warning", "implicit-group", group.path, sentence, format_.prefix(group.path))


def check_keys(group: Group, names: set[str]) -> Iterator[Finding]:
    """What is wrong with the keys beside a group's documents; ``names`` are those of its children.

    Raises:
        StoreError: the store failed.
    """
    format_, store, path = group.hierarchy.format, group.hierarchy.store, group.path
    if group.kind == "collection":
        return  # other files beside hierarchies are not an error
    prefix = format_.prefix(path)
    # The drafts of Zarr v3 keep documents and chunks in separate trees; other keys in these are not checked.
    if not isinstance(store, ListableStore) or not format_.document_keys("/x")[0].startswith("x"):
        return
    own, foreign = set(format_.document_keys(path)), foreign_keys(format_, path)
    if path == "/":
        own |= ROOT_KEYS
    tally, found = Tally(path), set()
    try:
        for entry in store.list_dir(prefix):
            if entry.key in foreign:
                found.add(entry.key)
            elif entry.key not in own:
                finding = _finding(store, path, entry, entry.key[len(prefix) :].rstrip("/") in names)
                if finding is not None and tally.passes(finding):
                    yield finding
    except ListingUnsupportedError:
        yield Finding("note", "not-checked", path, UNLISTED)
    yield from tally.rest()
    if path != "/":
        yield from check_other_formats(group, found)


def _finding(store: ListableStore, path: str, entry: StoreEntry, is_child: bool) -> Finding | None:
    if entry.is_prefix:
        if is_child:
            return None
        if _holds_chunks(store, entry.key):
            return _chunks_alone(path, entry.key)
        return Finding("note", "stray-key", path, "there is no node at this prefix", entry.key)
    if is_temporary(entry.key):
        return Finding(
            "warning",
            "temporary-key",
            path,
            LEFT,
            entry.key,
        )
    return Finding("note", "stray-key", path, "this key belongs to no node", entry.key)


def check_folder(group: Group) -> Iterator[Finding]:
    """Whether a group without a document may be an array that lost its own; raises StoreError."""
    store, prefix = group.hierarchy.store, group.hierarchy.format.prefix(group.path)
    if not any(group.documents) and isinstance(store, ListableStore) and _holds_chunks(store, prefix):
        yield _chunks_alone(group.path, prefix)


def _holds_chunks(store: ListableStore, prefix: str) -> bool:
    """Whether keys directly in a folder look like those of an array's chunks."""
    keys = (entry.key[len(prefix) :] for entry in islice(store.list_prefix(prefix), _LOOKED_AT))
    return any(_CHUNK_KEY.fullmatch(key) for key in keys)


def _chunks_alone(path: str, prefix: str) -> Finding:
    sentence = "this folder holds keys like those of chunks, but no document makes it an array: readers do not see its data"
    return Finding("warning", "chunks-without-document", path, sentence, prefix)
