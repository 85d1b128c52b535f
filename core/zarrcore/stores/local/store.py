"""Keys as files beneath a directory."""

from __future__ import annotations

import errno
import stat
import time
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from typing import Any, Final, TypeVar

from zarrcore.errors import BodyTooLargeError, BrokenBodyError, ChangedError, StoreError, StoreNotFoundError
from zarrcore.stores.interface import (
    READ_ANEW,
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
)
from zarrcore.stores.keys import check_path_like_key, check_path_like_prefix
from zarrcore.stores.local.atomic_files import clone_file, is_temporary
from zarrcore.stores.local.confined_paths import (
    DIRECTORY,
    LOOK,
    READ,
    open_beneath,
    open_by_kernel,
    open_following,
)
from zarrcore.stores.local.file_reading import (
    TooLarge,
    dangling_link,
    file_failure,
    read_range,
    read_range_into,
)
from zarrcore.stores.local.writing import LocalWriting, OpenDirectory, Result
from zarrcore.stores.validation import check_place
from zarrcore.system import os

Limit = TypeVar("Limit")

_REVALIDATE_S: Final = 1.0
_OPEN_LISTINGS: Final = 64
"""Nested directories that are listed lazily, each with two descriptors; deeper ones are read completely at once."""
_ABSENT: Final = {errno.ENOENT, errno.ENOTDIR, errno.ENXIO}
"""No such name; a file in place of a directory; a socket, which cannot be opened."""


class LocalStore(ReadableStore, ListableStore, LocalWriting):
    """A directory whose files are the values.

    A key that is a directory, a named pipe or a device is absent. Symbolic links are followed within the root; a link
    that leads out of it is refused and not listed, unless ``follow_links`` is set.

    Args:
        root: the directory.
        follow_links: follow symbolic links out of the root.
        create: create the directory if it is missing.
        durable: write each value through to the disk before ``set`` returns, which is several times slower. Otherwise
            a value survives a killed writer, but may be lost if the machine crashes.

    Raises:
        StoreNotFoundError: there is no such directory.
        AccessDeniedError: access is denied.
    """

    fills_buffers = True
    may_be_half_written = True

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        follow_links: bool = False,
        create: bool = False,
        durable: bool = False,
    ) -> None:
        check_place(os.fspath(root))
        self.root = os.path.abspath(os.fspath(root))
        self.url = self.root
        self.follow_links = follow_links
        self.durable = durable
        if create:
            self._create()
        self._open: Callable[[int, str, int], int] = open_following if follow_links else open_beneath
        self._resolved = os.path.realpath(self.root)
        self._opened: OpenDirectory | None = None
        self._checked_s = 0.0
        self._tidied = set()
        self._uncloned: set[int] = set()
        self._revalidated()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.root, self.follow_links, self.durable)

    @property
    def identity(self) -> Hashable:
        return "file", self._resolved, self.follow_links

    @property
    def name_max(self) -> int:
        """The limit of the file system; usually 255."""
        return os.fpathconf(self._directory().descriptor, "PC_NAME_MAX")

    def close(self) -> None:
        self._opened = None

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        return self._read(key, read_range, byte_range, max_nbytes)

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        # A descriptor stays with one file even if its name is replaced; only writing into the file can change it.
        for _ in range(READ_ANEW):
            found = self._read(key, _read_between_stats, byte_range, max_nbytes)
            if found is None:
                return None
            before, value, after = found
            if _version_of(before) == _version_of(after):
                return value, stat_of(after)
        raise ChangedError(f"{key} in {self.url} changes faster than it can be read", key=key, url=self.url)

    @property
    def device(self) -> int:
        """The number of the file system that has the root."""
        return self._directory().identity[0]

    def open_key(self, key: str) -> int | None:
        """A descriptor of a key's file, for reading, which the caller closes; None if the key is absent.

        Raises:
            As `get`.
        """
        check_path_like_key(key, self.url)
        return self._in_root(key, lambda root: self._open(root.descriptor, key, READ))

    def may_clone(self, source: LocalStore) -> bool:
        """Whether `clone` may succeed for keys of another directory: it did not fail yet."""
        return source.device not in self._uncloned

    def clone(self, source: ReadableStore, key: str, new: str) -> bool:
        """Let the file of ``new`` share the blocks of another directory's file, where the file system can do that."""
        inner, key = source.origin(key)
        if not isinstance(inner, LocalStore):
            return False
        device = inner.device
        if device in self._uncloned or (descriptor := inner.open_key(key)) is None:
            return False
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return False
            return self._set(new, partial(_clone, descriptor), False)
        except _NoCloneError:
            self._uncloned.add(device)
            return False
        finally:
            os.close(descriptor)

    @property
    def opens_by_kernel(self) -> bool:
        """Whether a single call of the kernel opens a key's file beneath the root, so that the engine can do it."""
        return self.follow_links or open_beneath is open_by_kernel

    def open_root(self) -> OpenDirectory:
        """The root, open.

        Raises:
            StoreNotFoundError: the directory was removed.
        """
        return self._directory()

    def has_root(self, directory: OpenDirectory) -> bool:
        """Whether a directory is the root now, so that a file which is absent there is absent here.

        Raises:
            StoreNotFoundError: the directory was removed.
        """
        return self._revalidated() is directory

    def get_of_inode(self, key: str, byte_range: ByteRange | None, inode: int) -> BytesLike | None:
        """The result of `get` for the file with this inode number, even if its content changed.

        Raises:
            ChangedError: another file has this name now.
        """
        return self._read(key, _read_of_inode, byte_range, inode)

    def get_into(self, key: str, buffer: memoryview, byte_range: ByteRange | None = None) -> int | None:
        return self._read(key, read_range_into, byte_range, buffer)

    def _read(
        self,
        key: str,
        read: Callable[[int, ByteRange | None, Limit], Result],
        byte_range: ByteRange | None,
        limit: Limit,
    ) -> Result | None:
        check_path_like_key(key, self.url)
        descriptor = self._in_root(key, lambda root: self._open(root.descriptor, key, READ))
        if descriptor is None:
            return None
        try:
            return _unless_shortened(read, descriptor, byte_range, limit)
        except TooLarge as error:
            raise BodyTooLargeError(error.size, error.limit, key=key, url=self.url) from None
        except StoreError as error:
            raise type(error)(f"{key} in {self.url}: {error}", key=key, url=self.url) from error
        except OSError as error:
            raise file_failure(error, key, self.url) from error
        finally:
            os.close(descriptor)

    def stat(self, key: str) -> StoreStat | None:
        return self.stat_and_has_prefix(key)[0]

    def stat_and_has_prefix(self, key: str) -> tuple[StoreStat | None, bool]:
        """`stat` of ``key`` and `has_prefix` of ``key`` with a slash in one call: a name is a file or a directory.

        Raises:
            As `stat`.
        """
        check_path_like_key(key, self.url)
        facts = self._in_root(key, lambda root: self._look(root.descriptor, key))
        if facts is None:
            return None, False
        if not stat.S_ISREG(facts.st_mode):
            return None, stat.S_ISDIR(facts.st_mode)
        return stat_of(facts), False

    def _look(self, directory: int, path: str) -> os.stat_result:
        descriptor = self._open(directory, path, LOOK)
        try:
            return os.fstat(descriptor)
        finally:
            os.close(descriptor)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        for name, facts in self.scan_dir(prefix):
            if facts is None:
                yield StoreEntry(f"{prefix}{name}/")
            else:
                yield StoreEntry(prefix + name, facts.st_size, facts.st_mtime)

    def scan_dir(self, prefix: str) -> Iterator[tuple[str, os.stat_result | None]]:
        """The names after a prefix: of keys with the facts of the file, of longer prefixes with None.

        Raises:
            As `list_dir`.
        """
        check_path_like_prefix(prefix, self.url)
        found = self._in_root(
            prefix, lambda root: (root, self._open(root.descriptor, prefix or ".", DIRECTORY))
        )
        if found is None:
            return
        directory, descriptor = found
        is_empty = True
        try:
            with os.scandir(descriptor) as items:
                for item in items:
                    name, is_empty = item.name, False
                    try:
                        is_directory = item.is_dir(follow_symlinks=False)  # known from the listing
                        if not is_directory:
                            is_link = item.is_symlink()
                            facts = (
                                self._look(directory.descriptor, prefix + name) if is_link else item.stat()
                            )
                    except OSError:
                        # Removed meanwhile, or a link that is dangling, circular or leads out of the root.
                        continue
                    if is_directory:
                        yield name, None
                    elif stat.S_ISREG(facts.st_mode):
                        if name[0] != "." or not is_temporary(name):
                            yield name, facts
                    elif stat.S_ISDIR(facts.st_mode) and not self._leads_up(
                        directory.descriptor, prefix, facts
                    ):
                        yield name, None
        except OSError as error:
            raise file_failure(error, prefix, self.url) from error
        finally:
            os.close(descriptor)
        if is_empty and self._revalidated() is not directory:  # a removed directory is empty, too
            yield from self.scan_dir(prefix)

    def has_prefix(self, prefix: str) -> bool:
        """Whether the directory exists. An empty directory counts, because listing its parent shows it."""
        check_path_like_prefix(prefix, self.url)
        descriptor = self._in_root(prefix, lambda root: self._open(root.descriptor, prefix or ".", DIRECTORY))
        if descriptor is None:
            return False
        os.close(descriptor)
        return True

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        way = [self.list_dir(prefix)]
        while way:
            entry = next(way[-1], None)
            if entry is None:
                way.pop()
            elif not entry.is_prefix:
                yield entry
            elif len(way) < _OPEN_LISTINGS:
                way.append(self.list_dir(entry.key))
            else:
                way.append(iter([*self.list_dir(entry.key)]))

    def _leads_up(self, root: int, prefix: str, facts: os.stat_result) -> bool:
        """Whether a directory is the one at ``prefix`` or one of its parents: listing it would never end."""
        above = [".", *(prefix[:end] for end, character in enumerate(prefix) if character == "/")]
        return any(os.path.samestat(facts, self._look(root, path)) for path in above)

    def _directory(self) -> OpenDirectory:
        opened = self._opened
        if opened is None or time.monotonic() - self._checked_s > _REVALIDATE_S:
            return self._revalidated()
        return opened

    def _revalidated(self) -> OpenDirectory:
        """The root, opened again if its path names another directory than before.

        Called once a second and before a key is reported absent or the store empty. If the whole directory was replaced,
        the new one is used. If it was removed, that is an error and not a store without keys.
        """
        opened = self._opened
        try:
            facts = os.stat(self.root)
            if opened is None or opened.identity != (facts.st_dev, facts.st_ino):
                opened = self._opened = OpenDirectory(self.root)
        except NotADirectoryError as error:
            raise StoreNotFoundError(f"{self.url} is not a directory", url=self.url) from error
        except FileNotFoundError as error:
            raise StoreNotFoundError(f"there is no file or directory {self.url}", url=self.url) from error
        except OSError as error:
            raise file_failure(error, None, self.url) from error
        self._checked_s = time.monotonic()
        return opened

    def _in_root(self, key: str, act: Callable[[OpenDirectory], Result]) -> Result | None:
        """The result of ``act``, which gets the root; None if the key is absent there.

        A root that was replaced is not asked: it may be empty by now, and the new one have the key.
        """
        directory = self._directory()
        while True:
            try:
                return act(directory)
            except OSError as error:
                before, directory = directory, self._absent(error, key)
                if directory is before:
                    return None

    def _absent(self, error: OSError, key: str) -> OpenDirectory:
        """The present root if the error means that the key is absent, otherwise raise the matching error."""
        if error.errno not in _ABSENT:
            raise file_failure(error, key, self.url) from error
        directory = self._revalidated()
        link = dangling_link(directory.descriptor, key.rstrip("/")) if error.errno == errno.ENOENT else None
        if link is not None:
            raise StoreError(
                f"{key} in {self.url}: the symbolic link {link} leads nowhere", key=key, url=self.url
            ) from error
        return directory


class _NoCloneError(Exception):
    """The file system cannot share blocks between two files."""


def _clone(source: int, target: int) -> None:
    if not clone_file(source, target):
        raise _NoCloneError


def stat_of(facts: os.stat_result) -> StoreStat:
    """The facts that a `LocalStore` returns about a file."""
    etag = f"{facts.st_mtime_ns:x}-{facts.st_size:x}-{facts.st_ino:x}"
    return StoreStat(facts.st_size, facts.st_mtime, etag)


def facts_in(version: str) -> tuple[int, int, int]:
    """The time of change in ns, the size and the inode number in the version of a `LocalStore`'s value."""
    mtime_ns, size, inode = (
        int(part, 16) for part in version.rsplit("-", 2)
    )  # times before 1970 are negative
    return mtime_ns, size, inode


def inode_of(facts: StoreStat) -> int:
    """The inode number in the ``facts`` of a `LocalStore` about a file."""
    return int((facts.etag or "").rpartition("-")[2], 16)


def _unless_shortened(
    read: Callable[[int, ByteRange | None, Limit], Result],
    descriptor: int,
    byte_range: ByteRange | None,
    limit: Limit,
) -> Result:
    """What ``read`` returns. It reads again if another program made the file shorter between its calls."""
    for _ in range(READ_ANEW - 1):
        try:
            return read(descriptor, byte_range, limit)
        except BrokenBodyError:
            continue
    return read(descriptor, byte_range, limit)


def _read_of_inode(descriptor: int, byte_range: ByteRange | None, inode: int) -> BytesLike | None:
    return read_range(descriptor, byte_range, inode=inode)


def _read_between_stats(
    descriptor: int, byte_range: ByteRange | None, max_nbytes: int | None
) -> tuple[os.stat_result, BytesLike, os.stat_result] | None:
    before = os.fstat(descriptor)
    value = read_range(descriptor, byte_range, max_nbytes, facts=before)
    return None if value is None else (before, value, os.fstat(descriptor))


def _version_of(facts: os.stat_result) -> tuple[int, int, int]:
    """What differs between two versions of a file, as in the etag of `stat_of`."""
    return facts.st_mtime_ns, facts.st_size, facts.st_ino


def _restore(kind: type[LocalStore], root: str, follow_links: bool, durable: bool) -> LocalStore:
    return kind(root, follow_links=follow_links, durable=durable)
