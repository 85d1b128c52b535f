"""A repository: its versions, their log, and sessions that read one of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from zarrcore.errors import StoreError, StoreNotFoundError
from zarrcore.stores.icechunk.failures import kind_of, translating
from zarrcore.stores.icechunk.storage import settings_of, storage_of
from zarrcore.stores.icechunk.versions import MAIN, Version
from zarrcore.stores.icechunk.virtual_chunks import authorized
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.options import DEFAULTS

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    import icechunk

_RECENT = 10
_ABSENT = {"ref-not-found", "branch-not-found", "tag-not-found", "snapshot-not-found", "invalid-snapshot-id"}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An entry of the log."""

    id: str
    parent_id: str | None
    written_at: datetime
    message: str


class Repository:
    """A repository in a store, opened when it is first needed. Thread-safe.

    Args:
        source: the folder that holds it; closed with `close`.
    """

    def __init__(self, source: ReadableStore) -> None:
        self.source = source
        self.url = source.url
        self.options = source.options or DEFAULTS
        self._lock = threading.Lock()
        self._opened: icechunk.Repository | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"source": self.source, "options": self.options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state["source"].options = state["options"]  # not all stores keep them, and they say what may be named
        Repository.__init__(self, state["source"])

    def opened(self) -> icechunk.Repository:
        """The repository of icechunk.

        Raises:
            StoreError: it cannot be opened.
        """
        with self._lock:
            if self._opened is None:
                self._opened = self._open()
            return self._opened

    def _open(self) -> icechunk.Repository:
        storage = storage_of(self.source)
        import icechunk

        with translating(self.url):
            repository = icechunk.Repository.open(
                storage,
                config=icechunk.RepositoryConfig(storage=settings_of(self.options))
                if self.source.is_remote
                else None,
            )
            allowed = authorized(repository.config, self.source)
            return repository.reopen(authorize_virtual_chunk_access=allowed) if allowed else repository

    def is_new(self) -> bool:
        """Whether the folder holds no repository yet.

        Raises:
            StoreError: the store failed.
        """
        storage = storage_of(self.source)
        import icechunk

        with translating(self.url):
            return not icechunk.Repository.exists(storage)

    def create(self) -> str:
        """Make the folder a repository; returns its first snapshot.

        Raises:
            StoreError: the folder holds something else, or the store failed.
        """
        storage = storage_of(self.source)
        import icechunk

        with self._lock, translating(self.url):
            self._opened = icechunk.Repository.create(storage)
            return str(self._opened.lookup_branch("main"))

    def create_branch(self, name: str, snapshot_id: str) -> None:
        """Create a branch at a snapshot.

        Raises:
            StoreError: its name is not valid, or the store failed.
        """
        repository = self.opened()
        with translating(self.url):
            repository.create_branch(name, snapshot_id)

    def names(self, kind: str) -> list[str]:
        """The names of branches or tags, sorted.

        Raises:
            StoreError: the store failed.
        """
        repository = self.opened()
        with translating(self.url):
            return sorted(repository.list_branches() if kind == "branch" else repository.list_tags())

    def snapshot_id(self, version: Version) -> str:
        """The snapshot of a version.

        Raises:
            StoreNotFoundError: there is no such version.
            StoreError: the store failed.
        """
        repository = self.opened()
        with translating(self.url):
            try:
                if version.kind == "snapshot":
                    return str(repository.lookup_snapshot(version.name).id)
                lookup = repository.lookup_branch if version.kind == "branch" else repository.lookup_tag
                return str(lookup(version.name))
            except Exception as error:
                if kind_of(error) in _ABSENT or (
                    version.kind == "snapshot" and kind_of(error) == "object-not-found"
                ):
                    raise self._absent(version) from error
                raise

    def read_version(self, version: Version) -> icechunk.Session:
        """A session that reads what a version is now: a branch or tag and its snapshot in one look.

        Raises:
            StoreNotFoundError: there is no such version.
            StoreError: the store failed.
        """
        if version.kind == "snapshot":
            return self.read(self.snapshot_id(version))
        repository = self.opened()
        with translating(self.url):
            try:
                if version.kind == "branch":
                    return repository.readonly_session(version.name)
                return repository.readonly_session(tag=version.name)
            except Exception as error:
                if kind_of(error) in _ABSENT:
                    raise self._absent(version) from error
                raise

    def _absent(self, version: Version) -> StoreNotFoundError:
        if version.kind == "snapshot":
            return StoreNotFoundError(
                f"{self.url} has no {version}: zarrscope log lists its snapshots", url=self.url
            )
        names = self.names(version.kind)
        there = (
            f"it has {', '.join(names[:10])}" + (", …" if len(names) > 10 else "") if names else "it has none"
        )
        return StoreNotFoundError(f"{self.url} has no {version}; {there}", url=self.url)

    def read(self, snapshot_id: str) -> icechunk.Session:
        """A session that reads a snapshot.

        Raises:
            StoreError: there is no such snapshot, or it is broken.
        """
        repository = self.opened()
        with translating(self.url, f"snapshot {snapshot_id}"):
            return repository.readonly_session(snapshot_id=snapshot_id)

    def write(self, branch: str) -> icechunk.Session:
        """A session that writes to a branch.

        Raises:
            StoreError: there is no such branch, or the store failed.
        """
        repository = self.opened()
        with translating(self.url):
            return repository.writable_session(branch)

    def log(self, version: Version, limit: int | None = None) -> Iterator[Snapshot]:
        """The snapshots of a version, newest first.

        Raises:
            StoreError: there is no such version, or the store failed.
        """
        first = self.snapshot_id(version)
        repository = self.opened()
        with translating(self.url):
            for found in islice(repository.ancestry(snapshot_id=first), limit):
                yield Snapshot(found.id, found.parent_id, found.written_at, found.message)

    def choices(self) -> list[tuple[str, str]]:
        """Versions for a list, each with its URL: all together, branches, tags, the newest snapshots of ``main``.

        Raises:
            StoreError: the store failed.
        """
        versions = [Version(kind, name) for kind in ("branch", "tag") for name in self.names(kind)]
        shown = [(str(version), version) for version in versions]
        shown += [
            (f"snapshot {one.id}  {one.message}", Version("snapshot", one.id))
            for one in self.log(MAIN, _RECENT)
        ]
        return [
            ("all versions", self.url),
            *((label, f"{self.url}|icechunk://{version.authority}/") for label, version in shown),
        ]

    def find(self, name: str) -> Version:
        """The version that a word names: a branch, a tag, a snapshot, or one of these with its kind, such as ``tag:v1``.

        Raises:
            StoreNotFoundError: there is none, or several are meant.
        """
        kind, colon, rest = name.partition(":")
        if colon and kind in ("branch", "tag", "snapshot"):
            return Version(kind, rest)
        found = [Version(kind, name) for kind in ("branch", "tag") if name in self.names(kind)]
        if len(found) > 1:
            raise StoreError(
                f"{self.url} has a branch and a tag {name}: write branch:{name} or tag:{name}", url=self.url
            )
        if found:
            return found[0]
        if len(name) == 20 and name.isalnum() and name.isupper():
            return Version("snapshot", name)
        raise StoreNotFoundError(
            f"{self.url} has no branch, tag or snapshot {name}; branches: {', '.join(self.names('branch'))}; "
            f"tags: {', '.join(self.names('tag')) or 'none'}",
            url=self.url,
        )

    def close(self) -> None:
        """Close the folder."""
        self.source.close()
