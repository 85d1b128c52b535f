"""All versions of a repository as one hierarchy: ``branches/NAME``, ``tags/NAME`` and ``snapshots/ID``.

Groups of Zarr v3, made here, lead to the versions. A branch whose snapshot has no root gets a group, too.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator
from threading import Lock
from typing import Final

from zarrcore.errors import StoreNotFoundError
from zarrcore.stores.icechunk.repository import Repository
from zarrcore.stores.icechunk.store import IcechunkStore
from zarrcore.stores.icechunk.versions import Version
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
)
from zarrcore.stores.keys import check_key, check_prefix

_FOLDERS: Final = {"branches": "branch", "tags": "tag", "snapshots": "snapshot"}
_DOCUMENT: Final = "zarr.json"
_GROUP: Final = json.dumps({"zarr_format": 3, "node_type": "group"}).encode()
_OPEN: Final = 256
"""The number of versions that stay open."""


class VersionTreeStore(ReadableStore, ListableStore):
    """All versions of a repository. Snapshots are listed if a branch or tag leads to them.

    Args:
        repository: the repository; closed with this store.
    """

    presents = "Icechunk"

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.options = repository.options
        self.url = repository.url
        self.is_remote = repository.source.is_remote
        self.requests_in_flight = repository.source.requests_in_flight
        self._versions: dict[Version, IcechunkStore] = {}
        self._lock = Lock()

    def __reduce__(self) -> tuple[type[VersionTreeStore], tuple[Repository]]:
        return type(self), (self.repository,)

    @property
    def identity(self) -> Hashable:
        return type(self).__name__, self.repository.source.identity

    def description(self) -> list[tuple[str, str]]:
        names = {folder: self.repository.names(kind) for folder, kind in [*_FOLDERS.items()][:2]}
        return [(folder, ", ".join(found) or "none") for folder, found in names.items()]

    def choices(self) -> list[tuple[str, str]]:
        return self.repository.choices()

    def refresh(self) -> None:
        with self._lock:
            opened = [*self._versions.values()]
        for store in opened:
            store.refresh()

    def close(self) -> None:
        self.repository.close()

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        found = self._find(key)
        if not isinstance(found, tuple):
            return (
                found
                if found is None or byte_range is None
                else found[slice(*byte_range.resolve(len(found)))]
            )
        store, inner = found
        value = store.get(inner, byte_range, max_nbytes=max_nbytes)
        if value is None and inner == _DOCUMENT:
            value = _GROUP if byte_range is None else _GROUP[slice(*byte_range.resolve(len(_GROUP)))]
        return value

    def get_partial_values(
        self, key_ranges: Iterable[tuple[str, ByteRange | None]]
    ) -> list[BytesLike | None]:
        wanted = [*key_ranges]
        found = [self._find(key) for key, _ in wanted]
        stores = {one[0] for one in found if isinstance(one, tuple)}
        if len(stores) == 1 and all(isinstance(one, tuple) and one[1] != _DOCUMENT for one in found):
            inner = [one[1] for one in found if isinstance(one, tuple)]
            return stores.pop().get_partial_values(
                [(key, byte_range) for key, (_, byte_range) in zip(inner, wanted, strict=True)]
            )
        return super().get_partial_values(wanted)

    def stat(self, key: str) -> StoreStat | None:
        found = self._find(key)
        if not isinstance(found, tuple):
            return None if found is None else StoreStat(len(found))
        store, inner = found
        facts = store.stat(inner)
        return StoreStat(len(_GROUP)) if facts is None and inner == _DOCUMENT else facts

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        if not prefix:
            yield StoreEntry(_DOCUMENT)
            yield from (StoreEntry(f"{folder}/") for folder in _FOLDERS)
            return
        folder, _, rest = prefix.partition("/")
        kind = _FOLDERS.get(folder)
        if kind is None:
            return
        if not rest:
            yield StoreEntry(prefix + _DOCUMENT)
            yield from (StoreEntry(f"{prefix}{name}/") for name in self._names(kind))
            return
        name, _, inner = rest.partition("/")
        store = self._version(Version(kind, name))
        if store is None:
            return
        is_rooted = bool(inner)
        for entry in store.list_dir(inner):
            is_rooted = is_rooted or entry.key == _DOCUMENT
            yield StoreEntry(f"{folder}/{name}/{entry.key}", entry.size, entry.mtime_s, entry.etag)
        if not is_rooted:
            yield StoreEntry(prefix + _DOCUMENT)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        for entry in self.list_dir(prefix):
            if entry.is_prefix:
                yield from self.list_prefix(entry.key)
            else:
                yield entry

    def _names(self, kind: str) -> Iterator[str]:
        """The names of versions that can be names of nodes."""
        if kind != "snapshot":
            yield from (name for name in self.repository.names(kind) if name.strip(".") and name != _DOCUMENT)
            return
        seen: set[str] = set()
        for each in ("branch", "tag"):
            for name in self.repository.names(each):
                for snapshot in self.repository.log(Version(each, name)):
                    if snapshot.id in seen:
                        break  # and so are all before it
                    seen.add(snapshot.id)
                    yield snapshot.id

    def _find(self, key: str) -> bytes | tuple[IcechunkStore, str] | None:
        """A document made here, or the store of a version and the key in it; None if there is neither."""
        check_key(key, self.url)
        segments = key.split("/", 2)
        if segments[-1] == _DOCUMENT and (
            len(segments) == 1 or (len(segments) == 2 and segments[0] in _FOLDERS)
        ):
            return _GROUP
        if len(segments) < 3 or segments[0] not in _FOLDERS:
            return None
        store = self._version(Version(_FOLDERS[segments[0]], segments[1]))
        return None if store is None else (store, segments[2])

    def _version(self, version: Version) -> IcechunkStore | None:
        with self._lock:
            store = self._versions.pop(version, None) or IcechunkStore(
                self.repository, version, is_owner=False
            )
            self._versions[version] = store  # the newest last
            if len(self._versions) > _OPEN:
                del self._versions[next(iter(self._versions))]
        try:
            store.snapshot_id  # noqa: B018 - look it up
        except StoreNotFoundError:
            return None
        return store
