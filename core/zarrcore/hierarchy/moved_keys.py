"""Moving the keys of a node to another prefix: at once if the store can rename, else copied, compared and erased.

A node exists as soon as its decisive document does. So the documents of the moved node are copied last and erased first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from zarrcore.errors import BrokenBodyError, NodeExistsError, StoreError, ZarrError
from zarrcore.formats import Format
from zarrcore.stores.interface import ByteRange, ReadableStore, Renaming, StoreEntry
from zarrcore.stores.wrapper.interface import listable, writable
from zarrcore.threads import ThreadPool

_BATCH_NBYTES = 64 << 20
_BATCH_KEYS = 64
"""Values that are copied at once: at most this number, and no more bytes than the limit, except for one larger value."""
_COMPARED_NBYTES = 16 << 20


def move_keys(store: ReadableStore, format_: Format, path: str, new: str) -> bool:
    """Move all keys of the node at ``path`` to ``new``, where there are none. Returns whether it was one renaming.

    Raises:
        NodeExistsError: another writer stored something at ``new`` meanwhile.
        BrokenBodyError: a copied value differs from the original.
        StoreError: the store failed. Everything is still at ``path``, and copies that could be erased are erased; or
            everything is at ``new``, and the originals could not be erased, which the message says.
    """
    prefix, new_prefix = format_.prefix(path), format_.prefix(new)
    renaming = writable(store).rename_prefix(prefix, new_prefix)
    if renaming is Renaming.KEY_TAKEN:
        raise NodeExistsError(new, store.url, "was made by another writer meanwhile")
    if renaming is Renaming.DONE:
        return True
    documents = format_.document_keys(path)
    try:
        for batch in _batches(store, prefix, set(documents)):
            with ThreadPool(min(len(batch), store.requests_in_flight), "zarrcore-move") as threads:
                list(threads.map(lambda key: _copy(store, key, new_prefix + key[len(prefix) :]), batch))
        for key in reversed(documents):
            _copy(store, key, new_prefix + key[len(prefix) :])
    except NodeExistsError:
        raise  # what is there now is not only ours
    except BaseException:
        with suppress(ZarrError):
            writable(store).erase_prefix(new_prefix)
        raise
    try:
        writable(store).erase_values(documents)
        writable(store).erase_prefix(prefix)
    except StoreError as error:
        error.message += f"; {new} is a complete copy, and what is left at {path} may be erased"
        raise
    return False


def _batches(store: ReadableStore, prefix: str, documents: set[str]) -> Iterator[list[str]]:
    """The keys under a prefix, except the documents, as many together as fit in memory."""
    batch: list[str] = []
    nbytes = 0
    for entry in listable(store).list_prefix(prefix):
        if entry.key in documents:
            continue
        size = _size(store, entry)
        if batch and (nbytes + size > _BATCH_NBYTES or len(batch) == _BATCH_KEYS):
            yield batch
            batch, nbytes = [], 0
        batch.append(entry.key)
        nbytes += size
    if batch:
        yield batch


def _size(store: ReadableStore, entry: StoreEntry) -> int:
    if entry.size is not None:
        return entry.size
    stat = store.stat(entry.key)
    return 0 if stat is None else stat.size


def _copy(store: ReadableStore, key: str, new: str) -> None:
    """Copy a value, if there is one, and compare the copy with it."""
    target = writable(store)
    if not target.clone(store, key, new):
        value = store.get(key)
        if value is None:
            return
        if not target.set(new, value, if_absent=True):
            raise NodeExistsError(new, store.url, "was stored by another writer meanwhile")
    _compare(store, key, new)


def _compare(store: ReadableStore, key: str, new: str) -> None:
    before, after = store.stat(key), store.stat(new)
    if before is not None and after is not None and before.size == after.size:
        # A service that copied the value itself reports the same ETag for the same bytes.
        if store.is_remote and before.etag is not None and before.etag == after.etag:
            return
        starts = range(0, max(1, before.size), _COMPARED_NBYTES)
        parts = (ByteRange(start, start + _COMPARED_NBYTES) for start in starts)
        if all(store.get(key, part) == store.get(new, part) for part in parts):
            return
    raise BrokenBodyError(f"{new} in {store.url}: the copy of {key} differs from it", key=new, url=store.url)
