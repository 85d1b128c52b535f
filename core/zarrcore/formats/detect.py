"""Which format does a store hold?

A few documents decide. Only where no document stands at the root, one listing and a bounded number of probes tell an
implicit group from a place that holds no hierarchy.
"""

from __future__ import annotations

from functools import partial
from itertools import islice

from zarrcore.errors import HierarchyNotFoundError, ListingUnsupportedError
from zarrcore.formats.interface import Documents, Format
from zarrcore.metadata.json_document import MAX_DOCUMENT_BYTES
from zarrcore.stores.interface import ByteRange, ListableStore, ReadableStore

_PROBES = 16


def fetch_document(store: ReadableStore, key: str) -> bytes | None:
    """A metadata document's bytes, or None; of one that is too large, enough for the parser to refuse it."""
    # A range costs a local store nothing and spares it a file of any size; over the network it would cost caches.
    value = store.get(key, None if store.is_remote else ByteRange(0, MAX_DOCUMENT_BYTES + 1))
    return None if value is None else bytes(value[: MAX_DOCUMENT_BYTES + 1])


def detect_format(store: ReadableStore, formats: tuple[Format, ...]) -> tuple[Format, Documents | None]:
    """The first of ``formats`` that claims the root, with the root's documents; or a root's child's, without.

    Raises:
        HierarchyNotFoundError: none does.
        StoreError: the store did not answer as it should.
    """
    tried: list[str] = []
    get = partial(fetch_document, store)
    for candidate in formats:
        tried += candidate.document_keys("/")
        documents = candidate.fetch(get, "/")
        if candidate.claims(documents):
            return candidate, documents
    hint = ""
    try:
        if found := _detect_in_children(store, formats):
            return found, None
    except ListingUnsupportedError:
        hint = " (and it cannot be listed: name the path of a hierarchy in it)"
    raise HierarchyNotFoundError(store.url, tuple(tried), hint)


def _detect_in_children(store: ReadableStore, formats: tuple[Format, ...]) -> Format | None:
    if not isinstance(store, ListableStore):
        return None
    get = partial(fetch_document, store)
    children = (entry.key[:-1] for entry in store.list_dir("") if entry.is_prefix)
    for name in islice(children, _PROBES):
        for candidate in formats:
            if not candidate.implicit_groups or not candidate.may_name_node(name):
                continue
            if candidate.implies_parent(candidate.fetch(get, "/" + name)):
                return candidate
    return None
