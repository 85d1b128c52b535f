"""Writing to a branch of a repository: all changes become visible together, with one commit.

Until then they belong to a session, whose chunks are in the repository but in no version of it. A session that is not committed
leaves such chunks behind; Icechunk's garbage collection removes them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from zarrcore.errors import StoreError
from zarrcore.stores.icechunk.failures import kind_of, translating
from zarrcore.stores.icechunk.repository import Repository
from zarrcore.stores.icechunk.store import IcechunkStore
from zarrcore.stores.icechunk.versions import MAIN, Version
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ReadableStore,
    StoreStat,
    WritableStore,
)
from zarrcore.stores.keys import check_key

_CONFLICTS = {"commit-conflict", "branch-update-conflict", "rebase-failed"}


class SessionStore(IcechunkStore, WritableStore):
    """A session that changes a branch. Nothing is visible to others before `commit`.

    Keys that are neither documents nor chunks, such as the marker of a copy, stay in memory and are not committed.

    Args:
        repository: the repository; closed with this store.
        branch: the branch.

    Raises:
        StoreError: there is no such branch, or the store failed.
    """

    def __init__(self, repository: Repository, branch: str) -> None:
        super().__init__(repository, Version("branch", branch))
        repository.snapshot_id(self.version)  # says which branches there are
        self._session = repository.write(branch)
        self._store = self._session.store._store  # noqa: SLF001 - as in IcechunkStore
        self._kept: dict[str, bytes] = {}

    def __getstate__(self) -> dict[str, Any]:
        raise StoreError(f"{self.url}: only the process that opened a session can write to it", url=self.url)

    @property
    def identity(self) -> Hashable:
        return type(self).__name__, self.repository.source.identity, self.version

    @property
    def read_only(self) -> bool:
        return False

    def opened(self) -> Any:
        return self._store

    def notes(self) -> list[str]:
        return []

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        kept = self._kept.get(key)
        if kept is None:
            return super().get(key, byte_range, max_nbytes=max_nbytes)
        return kept if byte_range is None else kept[slice(*byte_range.resolve(len(kept)))]

    def stat(self, key: str) -> StoreStat | None:
        kept = self._kept.get(key)
        if kept is not None:
            return StoreStat(len(kept))
        facts = super().stat(key)
        return None if facts is None else StoreStat(facts.size)

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        check_key(key, self.url)
        if if_absent and self.stat(key) is not None:
            return False
        if key.startswith("."):
            self._kept[key] = bytes(value)
        else:
            self._run(key, _set(self._store, key, bytes(value)))
        return True

    def erase(self, key: str) -> None:
        check_key(key, self.url)
        if self._kept.pop(key, None) is None and self.stat(key) is not None:
            self._run(key, _erase(self._store, key))

    def erase_values(self, keys: Iterable[str]) -> None:
        for key in keys:
            self.erase(key)

    def erase_prefix(self, prefix: str) -> None:
        if not prefix:
            self._kept.clear()
            self._run(None, _clear(self._store))
        else:
            super().erase_prefix(prefix)

    def commit(self, message: str) -> str:
        """Make all changes visible; returns the identifier of the new snapshot.

        Raises:
            StoreError: the branch has moved meanwhile, there are no changes, or the store failed. Nothing is visible.
        """
        session = self._session
        assert session is not None  # noqa: S101 - since it was opened
        with translating(self.url):
            try:
                return str(session.commit(message))
            except Exception as error:
                if kind_of(error) in _CONFLICTS:
                    raise StoreError(
                        f"{self.url}: another commit moved {self.version} meanwhile; nothing was committed",
                        url=self.url,
                    ) from error
                raise


async def _set(store: Any, key: str, value: bytes) -> None:
    # icechunk keeps small values until the commit, without a copy: the caller's buffer would have changed by then.
    await store.set(key, value)


async def _erase(store: Any, key: str) -> None:
    await store.delete(key)


async def _clear(store: Any) -> None:
    await store.clear()


def open_session(source: ReadableStore, branch: str | None = None) -> SessionStore:
    """A session for a branch of the repository in a folder; an empty folder becomes a repository.

    Args:
        source: the folder; closed with the result.
        branch: the branch, by default ``main``; a new repository gets it.

    Raises:
        StoreError: there is no such branch, the folder holds something else, or the store failed.
    """
    repository = Repository(source)
    name = branch or MAIN.name
    if repository.is_new():
        first = repository.create()
        if name != MAIN.name:
            repository.create_branch(name, first)
    return SessionStore(repository, name)
