"""Keys as files, and prefixes of keys as directories."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from zarrcore.errors import ChangedError
from zarrcore.stores import StoreStat
from zarrfs.trees.caching import CHANGING_KEY, FIXED_PATH, KEY, Caching
from zarrfs.trees.entry import Directory, Entry, File, WritableOpenFile
from zarrfs.trees.errors import RefusedError, WouldBlockError
from zarrfs.trees.keys.file import OpenKey, version_of
from zarrfs.trees.names import file_name, segment

if TYPE_CHECKING:  # the tree makes these entries, and they ask it for their content
    from zarrfs.trees.keys.tree import KeysTree
    from zarrfs.trees.keys.writer import KeyWriter


class KeysDirectory(Directory):
    """The keys after one prefix."""

    __slots__ = ("_prefix", "_tree")

    caching = FIXED_PATH
    mtime_s = None

    def __init__(self, tree: KeysTree, prefix: str) -> None:
        self._tree = tree
        self._prefix = prefix

    @property
    def mode(self) -> int:
        return 0o555 if self._tree.writer is None else 0o755

    @property
    def lists_at_once(self) -> bool:
        return self._tree.is_quick

    def lookup(self, name: str, wait: bool) -> Entry | None:
        part = segment(name)
        if file_name(part) != name:
            return None
        found = self._tree.find(self._prefix, part, wait)
        return None if found is None else self._tree.entry(self._prefix, part, found)

    def entries(self) -> Iterator[tuple[str, Entry]]:
        for part, found in self._tree.listed(self._prefix):
            entry = found if isinstance(found, KeyFile) else self._tree.entry(self._prefix, part, found)
            yield file_name(part), entry

    def create(self, name: str, wait: bool) -> WritableOpenFile:
        writer, key = self.place(name)
        if self._tree.is_quick:
            self._tree.store.stat(key)  # raises an error if the store cannot hold the key
        return writer.create(key)

    def make_directory(self, name: str, wait: bool) -> Directory:
        writer, key = self.place(name)
        writer.make_directory(key)
        return KeysDirectory(self._tree, key + "/")

    def remove(self, name: str, wait: bool) -> None:
        writer, key = self.place(name)
        _need(wait)
        writer.erase(key)

    def remove_directory(self, name: str, wait: bool) -> None:
        writer, key = self.place(name)
        _need(wait)
        self._refuse_content(key)
        writer.remove_directory(key)

    def rename(self, name: str, target: Directory, new_name: str, replace: bool, wait: bool) -> None:
        writer, key = self.place(name)
        _need(wait)
        target = target.behind(wait)
        other, new = target.place(new_name) if isinstance(target, KeysDirectory) else (None, "")
        if other is not writer:
            raise RefusedError(errno.EXDEV, "a key cannot be moved into another tree", is_logged=False)
        if new == key:  # two paths of one key: the kernel itself handles renames of a path to itself
            if not replace:
                raise RefusedError(errno.EEXIST, f"{new} already exists", is_logged=False)
            return
        if not isinstance(self.lookup(name, wait), Directory):
            writer.rename(key, new, replace=replace)
            return
        if next(KeysDirectory(self._tree, key + "/").entries(), None) is not None:
            # With EXDEV, programs such as mv copy each key and erase the original. A store cannot rename many keys at once.
            raise RefusedError(
                errno.EXDEV,
                f"{key} is not empty, and its keys cannot be renamed as a unit",
                is_logged=False,
            )
        self._refuse_content(new)
        writer.make_directory(new)
        writer.remove_directory(key)

    def copy(self, file: File, name: str, wait: bool) -> None:
        writer, key = self.place(name)
        _need(wait)
        if not isinstance(file, KeyFile):
            raise RefusedError(errno.EPERM, f"only a stored value can be linked to {key}")
        file.copy_to(writer, key)

    def place(self, name: str) -> tuple[KeyWriter, str]:
        """The writer, and the key of a name.

        Raises:
            ReadOnlyError: keys cannot be changed.
            RefusedError: the name is not the file name of a key.
        """
        writer, part = self._tree.key_writer(), segment(name)
        if file_name(part) != name:
            raise RefusedError(
                errno.EINVAL,
                f"{name} is not the file name of any part of a key: write its percent signs as %25",
            )
        return writer, self._prefix + part

    def _refuse_content(self, path: str) -> None:
        if next(KeysDirectory(self._tree, path + "/").entries(), None) is not None:
            raise RefusedError(errno.ENOTEMPTY, f"{path} is not empty", is_logged=False)


def _need(wait: bool) -> None:
    if not wait:
        raise WouldBlockError


class KeyFile(File):
    """One key's value.

    Args:
        tree: the tree.
        prefix: the prefix of the key, which the files of a directory share.
        segment: the rest of the key.
        size: its size in bytes.
        mtime_s: when it was stored, if known.
        etag: its version, if known.
    """

    __slots__ = ("_etag", "_prefix", "_segment", "_tree", "mtime_s", "size")

    def __init__(
        self,
        tree: KeysTree,
        prefix: str,
        segment: str,
        size: int,
        mtime_s: float | None,
        etag: str | None = None,
    ) -> None:
        self._tree = tree
        self._prefix = prefix
        self._segment = segment
        self._etag = etag
        self.size = size
        self.mtime_s = mtime_s

    @property
    def _key(self) -> str:
        return self._prefix + self._segment

    @property
    def mode(self) -> int:
        return 0o444 if self._tree.writer is None else 0o644

    @property
    def caching(self) -> Caching:  # type: ignore[override]
        """No caching while a writer may store another value, since the kernel does not ask the writer."""
        writer = self._tree.writer
        return KEY if writer is None or not writer.is_writing(self._key) else CHANGING_KEY

    @property
    def version(self) -> str:
        return self._etag or version_of(self._stat)

    @property
    def written_as(self) -> str | None:
        writer = self._tree.writer
        return None if writer is None else writer.version_written(self._key)

    def metadata(self, wait: bool) -> dict[str, Any]:
        return {} if self._etag is None else {"etag": self._etag}

    @property
    def _stat(self) -> StoreStat:
        return StoreStat(self.size, self.mtime_s, self._etag)

    def open(self, wait: bool) -> OpenKey:
        """The current version of the value; a remote store's answer is valid for the time to live."""
        tree = self._tree
        if not tree.is_quick:
            if tree.freshness.ttl_s > 0:
                return OpenKey(tree.store, self._key, self._stat, tree.forget)
            if not wait:
                raise WouldBlockError
        now = tree.store.stat(self._key)
        if now is None or now.size != self.size:
            tree.forget(self._key)
            raise ChangedError(
                f"{self._key} changed since it was looked up", key=self._key, url=tree.store.url
            )
        return OpenKey(tree.store, self._key, now, tree.forget)

    def open_to_write(self, truncate: bool, wait: bool) -> WritableOpenFile:
        writer = self._tree.key_writer()
        return writer.open(self._key, None if truncate else self.open(wait))

    def resize(self, nbytes: int, wait: bool) -> None:
        _need(wait)
        file = self.open_to_write(nbytes == 0, wait)
        try:
            file.resize(nbytes, wait)
            file.store(closing=True)
        finally:
            file.close()

    def copy_to(self, writer: KeyWriter, key: str) -> None:
        """Store the same value under another key, if that is free."""
        writer.copy(self._key, key, replace=False)
