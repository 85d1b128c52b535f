"""Whether a prefix without documents is an implicit group, or only a folder of hierarchies.

By Zarr v3 of 2023 and N5, a child that is a node makes it a group. A child of another format makes it a folder.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial

from zarrcore.errors import ZarrError
from zarrcore.formats import Format, known_formats
from zarrcore.formats.detect import fetch_document, is_there
from zarrcore.hierarchy.collections.glance import Glance
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.wrapper.prefix import PrefixStore
from zarrcore.threads import ThreadPool

_THREADS = 8


def children_agree(store: ReadableStore, names: Iterable[str], format: Format) -> bool:  # noqa: A002 - the specification's word
    """Whether the nodes at these prefixes of ``store`` have this format, according to their own documents."""
    with ThreadPool(_THREADS, "zarrcore-collection") as threads:
        agree = (threads.map if store.is_remote else map)(partial(_agrees, store, format), names)
        return all([*agree])


def store_below(store: ReadableStore, prefix: str) -> PrefixStore:
    """A prefix of a store; for a store that is a prefix itself, without another layer."""
    if not isinstance(store, PrefixStore):
        return PrefixStore(store, prefix)
    below = PrefixStore(store.store, store.prefix + prefix)
    below.options = store.options
    return below


def _agrees(outer: ReadableStore, format: Format, name: str) -> bool:  # noqa: A002 - as above
    store: ReadableStore = store_below(outer, f"{name}/")
    if store.is_remote:
        store = Glance(store)
    get = cache(partial(fetch_document, store))
    try:
        all_found = (candidate.detect(get, partial(is_there, store)) for candidate in known_formats())
        found = next(filter(None, all_found), None)
        if found is None or found is format:
            return True
        # Groups of the last draft are those of the accepted text.
        return (
            found.document_keys("/") == format.document_keys("/")
            and format.parse(found.fetch(get, "/")) is not None
        )
    except ZarrError:
        return True
