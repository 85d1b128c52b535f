"""Which format does a store hold?

A few documents decide. Only where no document stands at the root, one listing and a bounded number of probes tell an
implicit group from a place that holds no hierarchy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
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
    tried = tuple(key for candidate in formats for key in candidate.document_keys("/"))
    get: Callable[[str], bytes | None] = partial(fetch_document, store)
    for position, candidate in enumerate(formats):
        documents = candidate.fetch(get, "/")
        if candidate.claims(documents):
            return candidate, documents
        if position == 0 and store.is_remote:
            get = _at_once(get, tried[len(documents) :])
    hint = ""
    try:
        if found := _detect_in_children(store, formats):
            return found, None
    except ListingUnsupportedError:
        hint = " (and it cannot be listed: name the path of a hierarchy in it)"
    raise HierarchyNotFoundError(store.url, tried, hint)


def _detect_in_children(store: ReadableStore, formats: tuple[Format, ...]) -> Format | None:
    if not isinstance(store, ListableStore):
        return None
    get: Callable[[str], bytes | None] = partial(fetch_document, store)
    children = (entry.key[:-1] for entry in store.list_dir("") if entry.is_prefix)
    probes = [
        (candidate, "/" + name)
        for name in islice(children, _PROBES)
        for candidate in formats
        if candidate.implicit_groups and candidate.may_name_node(name)
    ]
    if store.is_remote:
        get = _at_once(get, [key for candidate, path in probes for key in candidate.document_keys(path)])
    for candidate, path in probes:
        if candidate.implies_parent(candidate.fetch(get, path)):
            return candidate
    return None


def _at_once(get: Callable[[str], bytes | None], keys: Sequence[str]) -> Callable[[str], bytes | None]:
    """``get`` with values that are asked for now, all together: over a network that takes as long as one of them."""
    if not keys:
        return get
    threads = ThreadPoolExecutor(len(keys), "zarrcore-detect")
    asked = {key: threads.submit(get, key) for key in dict.fromkeys(keys)}
    threads.shutdown(wait=False)  # what turns out not to matter is not waited for
    return lambda key: asked[key].result() if key in asked else get(key)
