"""Consolidated metadata that stay true while nodes change.

A change removes consolidated metadata first: no reader must believe an old copy. A program that changes several nodes writes
them again once, at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial

from zarrcore.errors import MetadataError, ZarrError
from zarrcore.formats.detect import fetch_document
from zarrcore.hierarchy.hierarchy import Hierarchy


@contextmanager
def kept_consolidated(hierarchy: Hierarchy) -> Iterator[None]:
    """Write consolidated metadata again at the end of a ``with`` block, if there were some before it.

    After an error in the block they are written again, too, because some nodes may have changed before it. If that fails as
    well, there are none, which is not wrong.

    Raises:
        StoreError: the store failed.

    >>> from zarrcore.hierarchy import create_hierarchy
    >>> hierarchy = create_hierarchy("memory://consolidated", "v2")
    >>> count = hierarchy.consolidate()
    >>> with kept_consolidated(hierarchy):
    ...     node = hierarchy.create_group("/new")
    >>> b"new/.zgroup" in hierarchy.store.get(".zmetadata")
    True
    """
    was_consolidated = _root(hierarchy)[1]
    try:
        yield
    except BaseException:
        with suppress(ZarrError):
            _consolidate_again(hierarchy, was_consolidated)
        raise
    _consolidate_again(hierarchy, was_consolidated)


def _consolidate_again(hierarchy: Hierarchy, was_consolidated: bool) -> None:
    if not was_consolidated:
        return
    is_there, is_consolidated = _root(hierarchy)
    if is_there and not is_consolidated:
        hierarchy.consolidate()


def is_consolidated(hierarchy: Hierarchy) -> bool:
    """Whether the root's documents have consolidated metadata that can be read."""
    return _root(hierarchy)[1]


def _root(hierarchy: Hierarchy) -> tuple[bool, bool]:
    """Whether the root has a document, and whether it has consolidated metadata that can be read."""
    format_, get = hierarchy.format, partial(fetch_document, hierarchy.store)
    documents = format_.fetch(get, "/")
    try:
        return any(documents), format_.consolidated_documents(get, documents) is not None
    except MetadataError:
        return any(documents), False
