"""Detecting the format of a store.

A few documents decide. Only without a document at the root, one listing and a bounded number of probes distinguish an
implicit group from a place without a hierarchy.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import cache, partial

from zarrcore.errors import (
    AccessDeniedError,
    BodyTooLargeError,
    HierarchyNotFoundError,
    InvalidKeyError,
    ListingUnsupportedError,
    MetadataError,
    PlacedError,
    UnsupportedError,
)
from zarrcore.formats.interface import Documents, Format
from zarrcore.metadata.json_document import MAX_DOCUMENT_BYTES
from zarrcore.stores.interface import ByteRange, ListableStore, ReadableStore, StoreStat
from zarrcore.stores.kinds import FolderLook
from zarrcore.threads import at_once

Get = Callable[[str], bytes | None]

_PROBES = 16


def fetch_document(store: ReadableStore, key: str, stats: dict[str, StoreStat] | None = None) -> bytes | None:
    """A metadata document's bytes, or None; if it is too large, only as much as makes the parser refuse it.

    ``stats`` gets the facts of this version of the value.
    """
    # Of a remote store, a range would bypass caches; of others it is free, and avoids reading huge files.
    part, limit = (
        (None, MAX_DOCUMENT_BYTES) if store.is_remote else (ByteRange(0, MAX_DOCUMENT_BYTES + 1), None)
    )
    try:
        if stats is None:
            value = store.get(key, part, max_nbytes=limit)
        else:
            value, facts = store.get_with_stat(key, part, max_nbytes=limit) or (None, None)
            if facts is not None:
                stats[key] = facts
    except BodyTooLargeError:
        return bytes(MAX_DOCUMENT_BYTES + 1)  # takes no memory until it is read
    return None if value is None else bytes(value[: MAX_DOCUMENT_BYTES + 1])


def is_there(store: ReadableStore, key: str) -> bool:
    """Whether a key exists, or, if it ends in ``/``, any key that begins with it; False if the store cannot list."""
    try:
        if key.endswith("/"):
            return isinstance(store, ListableStore) and store.has_prefix(key)
        return store.stat(key) is not None
    except (InvalidKeyError, ListingUnsupportedError):
        return False
    except AccessDeniedError:
        if key.endswith("/"):  # reading may be allowed where listing is not
            return False
        raise


def ask_root(store: ReadableStore, formats: tuple[Format, ...]) -> Get:
    """Returns a function that gets documents. Those that distinguish the formats in use, and consolidated metadata, are
    requested now, all at once.

    Over a network this takes as long as one request, and is all that opening such a hierarchy needs.
    """
    return at_once(partial(fetch_document, store), root_keys(formats))


def root_keys(formats: Iterable[Format], *, old: bool = False) -> list[str]:
    """The keys that distinguish the formats in use, and ``old`` ones too, with those of consolidated metadata in use."""
    in_use = [candidate for candidate in formats if candidate.writable or old]
    keys = _deciding(in_use)
    keys += [candidate.consolidated_key for candidate in in_use if candidate.writable]
    return [*filter(None, dict.fromkeys(keys))]


def detect_format(
    store: ReadableStore,
    formats: tuple[Format, ...],
    get: Get | None = None,
    folder: FolderLook | None = None,
) -> tuple[Format, Documents | None]:
    """The first of ``formats`` at the root, with the root's documents; or at a child of the root, without documents.

    Args:
        store: where to look.
        formats: the candidates.
        get: gets documents, for instance `ask_root`; by default, the documents of each format are requested in order.
        folder: a look at what else the root may be; if it is something, children are not looked at.

    Raises:
        HierarchyNotFoundError: no format was found.
        MetadataError, UnsupportedError: an entry point is broken, or demands an unknown extension.
        StoreError: the store failed.
    """
    for candidate, ask in _in_waves(store, formats, get, folder):
        try:
            found = candidate.detect(ask, partial(is_there, store))
        except PlacedError as error:
            raise error.at(error.key, store.url) from error
        if found:
            return found, found.fetch(ask, "/")
    if found := _of_unusable_root(ask, formats):
        return found, found.fetch(ask, "/")
    tried = tuple(dict.fromkeys(_deciding(formats)))
    if folder is not None and folder.kind is not None:
        raise HierarchyNotFoundError(store.url, tried)
    hint = ""
    try:
        if found := _detect_in_children(store, formats):
            return found, None
    except ListingUnsupportedError:
        hint = " (and it cannot be listed: name the path of a hierarchy in it)"
    raise HierarchyNotFoundError(store.url, tried, hint)


def _in_waves(
    store: ReadableStore, formats: tuple[Format, ...], get: Get | None, folder: FolderLook | None
) -> Iterator[tuple[Format, Get]]:
    """The candidates in order, each with what gets its documents: over a network, those of several at once."""
    together, old = get is None and store.is_remote, store.is_remote
    ask: Get = cache(get or partial(fetch_document, store))
    tried: set[str] = set()
    for candidate in formats:
        if tried and not tried.issuperset(candidate.deciding_keys):
            if together and candidate.writable:
                # The first document identifies most places. Then the formats in use are tried together.
                ask = at_once(ask, _deciding(known for known in formats if known.writable))
            elif old and not candidate.writable:
                # Old hierarchies are rare, but a place without documents is listed only after their keys are known to be absent.
                if folder is not None:
                    folder.begin()
                keys = _deciding(known for known in formats if not known.writable)
                ask, old = at_once(ask, [key for key in keys if key not in tried]), False
        tried.update(candidate.deciding_keys)
        yield candidate, ask


def _deciding(formats: Iterable[Format]) -> list[str]:
    return [key for candidate in formats for key in candidate.deciding_keys]


def _of_unusable_root(get: Get, formats: tuple[Format, ...]) -> Format | None:
    """The writable format that finds an unknown ``zarr_format``, or text that is not JSON, at the root; opening the root
    reports it. The text may be that of a program that has not written all of it yet."""
    for candidate in formats:
        documents = candidate.fetch(get, "/") if candidate.writable else ()
        try:
            if any(document is not None for document in documents):
                candidate.parse(documents)
        except MetadataError as error:
            if error.member == "zarr_format" or isinstance(error.__cause__, ValueError):
                return candidate
        except UnsupportedError:
            pass  # a format that does not claim its documents
    return None


def contradicting_format(
    store: ReadableStore, named: Format, formats: tuple[Format, ...], listed: Collection[str] | None = None
) -> Format | None:
    """The format of a root without documents of the format that the caller named; None if that format can be right.

    The named one can be right if the root has documents of no format, or a child has documents of the named one.

    Args:
        store: where to look.
        named: the format that the caller named, configured.
        formats: the candidates.
        listed: the keys and prefixes at the root, so that nothing else is requested; None asks the store.

    Raises:
        StoreError: the store failed.
    """
    get = cache(partial(fetch_document, store))

    def get_listed(key: str) -> bytes | None:
        return get(key) if listed is None or key in listed else None

    def is_listed(key: str) -> bool:
        return is_there(store, key) if listed is None else key in listed

    for candidate in formats:
        found = None
        with suppress(
            MetadataError, UnsupportedError
        ):  # a broken entry point says nothing about other formats
            found = candidate.detect(get_listed, is_listed)
        if found is not None:
            is_right = found.name == named.name
            with suppress(ListingUnsupportedError):
                is_right = is_right or _detect_in_children(store, (named,)) is not None
            return None if is_right else found
    return None


def _detect_in_children(store: ReadableStore, formats: tuple[Format, ...]) -> Format | None:
    if not isinstance(store, ListableStore):
        return None
    by_prefix: dict[str, list[Format]] = {}
    for candidate in formats:
        # A format that needs an entry point is not detected by a child.
        implies = candidate.implicit_groups and candidate.implicit_root
        if implies and candidate.deciding_keys == candidate.document_keys("/"):
            by_prefix.setdefault(candidate.prefix("/"), []).append(candidate)
    for prefix, candidates in by_prefix.items():
        if prefix and not is_there(store, prefix):
            continue
        if found := _detect_below(store, prefix, candidates):
            return found
    return None


def _detect_below(store: ReadableStore, prefix: str, candidates: list[Format]) -> Format | None:
    get: Get = partial(fetch_document, store)
    probes: dict[str, list[Format]] = {}
    for entry in store.list_dir(prefix) if isinstance(store, ListableStore) else ():
        tail = entry.key[len(prefix) :].rstrip("/")
        for candidate in candidates:
            name = candidate.child_name(tail, entry.is_prefix)
            if name is not None:
                probes.setdefault("/" + name, []).append(candidate)
        if len(probes) == _PROBES:
            break
    asked = [(candidate, path) for path, named in probes.items() for candidate in named]
    if store.is_remote:
        get = at_once(get, [key for candidate, path in asked for key in candidate.document_keys(path)])
    for candidate, path in asked:
        with suppress(AccessDeniedError):  # a child that may not be read is skipped, and does not hide others
            if candidate.implies_parent(candidate.fetch(get, path)):
                return candidate
    return None
