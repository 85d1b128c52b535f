"""What changed between two versions of a repository.

icechunk records the changes of each commit, so that no document or chunk is searched for. It compares a version with one of
its ancestors only. Versions of different branches are compared through their last common ancestor.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from zarrcore.errors import StoreError
from zarrcore.stores.icechunk.event_loop import run
from zarrcore.stores.icechunk.failures import translating
from zarrcore.stores.icechunk.repository import Repository
from zarrcore.stores.icechunk.store import IcechunkStore
from zarrcore.stores.icechunk.versions import Version


@dataclass(frozen=True, slots=True)
class Difference:
    """What changed between two versions: paths of nodes, and numbers of chunks by array."""

    added: dict[str, str]
    """Paths of new nodes, and whether each is a ``group`` or an ``array``."""
    deleted: dict[str, str]
    updated: dict[str, str]
    """Nodes whose documents changed."""
    chunks: dict[str, int]
    """Numbers of chunks written or erased, by array."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed."""
        return not (self.added or self.deleted or self.updated or self.chunks)


def difference(repository: Repository, one: Version, other: Version) -> Difference:
    """What changed from one version to another, which may be older, newer, or of another branch.

    Raises:
        StoreError: a version is absent, the versions have no snapshot in common, or the store failed.
    """
    ids = repository.snapshot_id(one), repository.snapshot_id(other)
    base = _common(repository, *ids)
    found = [_changes(repository, base, snapshot) for snapshot in ids if snapshot != base]
    before, after = (
        IcechunkStore(repository, Version("snapshot", snapshot), is_owner=False) for snapshot in ids
    )
    difference = Difference({}, {}, {}, _chunks(found, before, after))
    # What one side changed, the other may have changed in the same way.
    for path in sorted({path for changes in found for path in _nodes(changes)}):
        old, new = _document(before, path), _document(after, path)
        if old == new:
            continue
        where = difference.added if old is None else difference.deleted if new is None else difference.updated
        where[path] = _kind(old if new is None else new)
    return difference


def _chunks(found: list[Any], before: IcechunkStore, after: IcechunkStore) -> dict[str, int]:
    """The numbers of chunks that differ, by array."""
    chunks: dict[str, set[tuple[int, ...]]] = {}
    for changes in found:
        for path, coordinates in changes.updated_chunks.items():
            chunks.setdefault(path, set()).update(map(tuple, coordinates))
    for path in chunks if len(found) > 1 else ():
        if _document(before, path) is not None and _document(after, path) is not None:
            chunks[path] -= _same(before, after, path)
    return {path: len(coordinates) for path, coordinates in sorted(chunks.items()) if coordinates}


def _common(repository: Repository, one: str, other: str) -> str:
    """The last common ancestor of two snapshots."""
    of_one = {snapshot.id for snapshot in repository.log(Version("snapshot", one))}
    for snapshot in repository.log(Version("snapshot", other)):
        if snapshot.id in of_one:
            return snapshot.id
    raise StoreError(
        f"{repository.url}: the snapshots {one} and {other} have no ancestor in common", url=repository.url
    )


def _changes(repository: Repository, base: str, snapshot: str) -> Any:
    opened = repository.opened()
    with translating(repository.url):
        return opened.diff(from_snapshot_id=base, to_snapshot_id=snapshot)


def _nodes(changes: Any) -> Iterable[str]:
    for name in ("new", "deleted", "updated"):
        yield from getattr(changes, f"{name}_groups")
        yield from getattr(changes, f"{name}_arrays")
    for pair in getattr(changes, "moved_nodes", ()):
        yield from pair


def _document(store: IcechunkStore, path: str) -> bytes | None:
    value = store.get(f"{path}/zarr.json".lstrip("/"))
    return None if value is None else bytes(value)


def _kind(document: bytes | None) -> str:
    return "array" if b'"node_type":"array"' in (document or b"").replace(b" ", b"") else "group"


def _same(before: IcechunkStore, after: IcechunkStore, path: str) -> set[tuple[int, ...]]:
    """The chunks of an array that both versions store at the same place, or lack."""
    one, other = run(_places(before.opened(), path)), run(_places(after.opened(), path))
    return {at for at in one if one[at] == other.get(at)}


async def _places(store: Any, path: str) -> dict[tuple[int, ...], Any]:
    places: dict[tuple[int, ...], Any] = {}
    async for coordinates, kinds, paths, offsets, lengths, inlined in store.array_chunk_iterator(
        path, 10_000
    ):
        for row, at in enumerate(coordinates):
            places[tuple(map(int, at))] = (
                int(kinds[row]),
                paths[row],
                int(offsets[row]),
                int(lengths[row]),
                bytes(inlined.get(row, b"")),
            )
    return places
