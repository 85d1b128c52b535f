"""Which format does a store hold?

A few documents decide. Only where no document stands at the root, one listing and a bounded number of probes tell an
implicit group from a place that holds no hierarchy.
"""

from __future__ import annotations

from itertools import islice

from zarrcore.errors import HierarchyNotFoundError, ListingUnsupportedError
from zarrcore.formats.interface import Format
from zarrcore.metadata.json_document import MAX_DOCUMENT_BYTES
from zarrcore.stores.interface import ListableStore, ReadableStore

_PROBES = 16


def fetch_document(store: ReadableStore, key: str) -> bytes | None:
    """A metadata document's bytes; one byte more than is allowed where it is too large, so that parsing refuses it."""
    value = store.get(key)
    if value is None:
        return None
    return bytes(value[: MAX_DOCUMENT_BYTES + 1])


def detect_format(store: ReadableStore, formats: tuple[Format, ...]) -> Format:
    """The first of ``formats`` that claims the root, or a child of a root without a document.

    Raises:
        HierarchyNotFoundError: none does.
        StoreError: the store did not answer as it should.
    """
    tried: list[str] = []
    for candidate in formats:
        keys = candidate.document_keys("/")
        tried += keys
        if candidate.claims(tuple(fetch_document(store, key) for key in keys)):
            return candidate
    hint = ""
    try:
        if found := _detect_in_children(store, formats):
            return found
    except ListingUnsupportedError:
        hint = " (and it cannot be listed: name the path of a hierarchy in it)"
    raise HierarchyNotFoundError(store.url, tuple(tried), hint)


def _detect_in_children(store: ReadableStore, formats: tuple[Format, ...]) -> Format | None:
    if not isinstance(store, ListableStore):
        return None
    children = (entry.key[:-1] for entry in store.list_dir("") if entry.is_prefix)
    for name in islice(children, _PROBES):
        for candidate in formats:
            if not candidate.implicit_groups or not candidate.may_name_node(name):
                continue
            keys = candidate.document_keys("/" + name)
            if candidate.claims(tuple(fetch_document(store, key) for key in keys)):
                return candidate
    return None
