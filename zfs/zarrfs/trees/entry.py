"""The interfaces of a tree: entries, which are files or directories, and open files.

A call that may wait for a store or decode a chunk takes ``wait``. With ``wait=False``, it either answers from memory (or from a
local disk, which is as fast) or raises `WouldBlockError`. The daemon then calls again with ``wait=True`` in a worker thread. Thus
fast answers need no second thread, and slow ones do not block other requests.
"""

from __future__ import annotations

import stat
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from itertools import islice
from typing import Any, Final

from zarrcore.errors import ReadOnlyError
from zarrfs.trees.caching import DEFAULT, Caching
from zarrfs.trees.element_layout import ElementLayout

BytesLike = bytes | memoryview
_READ_ONLY: Final = "this mount is read-only"


class Entry(ABC):
    """A file or directory in a tree."""

    __slots__ = ()

    kind: int
    """The type of the file: `stat.S_IFREG` or `stat.S_IFDIR`."""
    size: int = 0
    """Bytes of a file."""
    is_sized: bool = True
    """Whether `size` is right; otherwise it is the last one reported to the kernel, and `File.sized` computes it."""
    mtime_s: float | None
    """Seconds since the epoch; None if unknown."""
    caching: Caching = DEFAULT
    """What the kernel may cache of it."""

    @property
    @abstractmethod
    def mode(self) -> int:
        """Permissions, before the umask."""

    @property
    def is_writable(self) -> bool:
        """Whether programs may write to it."""
        return bool(self.mode & stat.S_IWUSR)

    @property
    def version(self) -> str | None:
        """A text that changes with the content; None if only the time to live bounds its age."""
        return None

    @property
    def written_as(self) -> str | None:
        """The version that is being written to this name; None if nothing is being written."""
        return None

    def metadata(self, wait: bool) -> dict[str, Any]:
        """Its metadata for extended attributes: JSON values by name.

        Raises:
            WouldBlockError: the call would have to wait, and ``wait`` is False.
        """
        return {}

    def set_metadata(self, name: str, value: bytes | None) -> None:
        """Set an item of `metadata`; None removes it.

        Raises:
            ReadOnlyError: it cannot be set.
            RefusedError: it cannot have that value, or there is no item with that name.
        """
        raise ReadOnlyError(_READ_ONLY)

    def after(self, known: Entry) -> Entry:
        """The entry to report to the kernel, which knows ``known`` under the same inode number."""
        return self

    @property
    def numbered(self) -> tuple[Numbering, int] | None:
        """The numbering that this entry belongs to, and its index there; None if its inode number must be stored."""
        return None


class Numbering(ABC):
    """A set of entries whose inode numbers are computed, since there are too many to remember."""

    key: Hashable
    """A key that is equal for numberings that give the same places to the same names."""

    count: int
    """The number of places."""

    @abstractmethod
    def entry(self, place: int) -> Entry:
        """The entry at a place in ``range(count)``."""


class File(Entry):
    """Bytes of a known size."""

    __slots__ = ()

    kind = stat.S_IFREG

    @property
    def mode(self) -> int:
        return 0o444

    def sized(self, wait: bool) -> File:
        """The same file with the right `size`. Computing it may require making the file.

        Raises:
            WouldBlockError: the call would have to wait, and ``wait`` is False.
        """
        return self

    @abstractmethod
    def open(self, wait: bool) -> OpenFile:
        """Open the file for reading.

        Raises:
            WouldBlockError: the call would have to wait, and ``wait`` is False.
            ChangedError: it has changed since this entry was looked up; retry after a new lookup.
        """

    def open_to_write(self, truncate: bool, wait: bool) -> WritableOpenFile:
        """Open the file for reading and writing; ``truncate`` empties it.

        Raises:
            ReadOnlyError: it cannot be written.
            As `open`.
        """
        raise ReadOnlyError(_READ_ONLY)

    def resize(self, nbytes: int, wait: bool) -> None:
        """Truncate the file, or extend it with zeros.

        Raises:
            As `open_to_write`, and `WritableOpenFile.store`.
        """
        raise ReadOnlyError(_READ_ONLY)


class Directory(Entry):
    """Names and their entries."""

    __slots__ = ()

    kind = stat.S_IFDIR

    @property
    def mode(self) -> int:
        return 0o555

    @abstractmethod
    def lookup(self, name: str, wait: bool) -> Entry | None:
        """The entry with this name, even if listings omit it; None if it does not exist.

        Raises:
            WouldBlockError: the call would have to wait, and ``wait`` is False.
        """

    @abstractmethod
    def entries(self) -> Iterator[tuple[str, Entry]]:
        """The listed entries, in the same order each time as long as nothing changes."""

    def entries_from(self, position: int) -> Iterator[tuple[str, Entry]]:
        """`entries` without the first ``position`` of them."""
        return islice(self.entries(), position, None)

    @property
    def lists_at_once(self) -> bool:
        """Whether `entries` never waits for anything slow."""
        return False

    def behind(self, wait: bool) -> Directory:
        """The directory that this one delegates to; by default itself.

        Raises:
            WouldBlockError: the call would have to wait, and ``wait`` is False.
        """
        return self

    def create(self, name: str, wait: bool) -> WritableOpenFile:
        """Create a file, open for writing, under a name that `lookup` does not find.

        Raises:
            WouldBlockError: the call would have to wait, and ``wait`` is False.
            ReadOnlyError, RefusedError: it cannot be created.
        """
        raise ReadOnlyError(_READ_ONLY)

    def make_directory(self, name: str, wait: bool) -> Directory:
        """Make a directory; raises as `create` does."""
        raise ReadOnlyError(_READ_ONLY)

    def remove(self, name: str, wait: bool) -> None:
        """Remove a file; raises as `create` does."""
        raise ReadOnlyError(_READ_ONLY)

    def remove_directory(self, name: str, wait: bool) -> None:
        """Remove an empty directory; raises as `create` does."""
        raise ReadOnlyError(_READ_ONLY)

    def rename(self, name: str, target: Directory, new_name: str, replace: bool, wait: bool) -> None:
        """Rename an entry; with ``replace``, it may replace another one. Raises as `create` does."""
        raise ReadOnlyError(_READ_ONLY)

    def copy(self, file: File, name: str, wait: bool) -> None:
        """Make a hard link: the file also gets another name, which must be free. Raises as `create` does."""
        raise ReadOnlyError(_READ_ONLY)


class OpenFile(ABC):
    """An open file."""

    size: int
    version: str | None = None
    """A text that changes with the content; None if only the time to live bounds a copy's age."""
    caching: Caching = DEFAULT
    """What the kernel may cache of it."""
    layout: ElementLayout | None = None
    """The layout for read-ahead; None if read-ahead does not pay."""
    shown: File | None = None
    """If set, open handles report this entry instead of the one with the file's name."""
    changes: int = 0
    """The number of writes: bytes read before the last write are stale."""

    @abstractmethod
    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        """``nbytes`` from ``offset``, fewer only at the end.

        Raises:
            WouldBlockError: the call would have to wait, and ``wait`` is False.
            ChangedError: the stored bytes are not of the version that was opened.
        """

    def read_into(self, offset: int, buffer: memoryview) -> BytesLike:
        """Read ``len(buffer)`` bytes. The result may be in ``buffer``, or in other memory.

        Raises:
            ChangedError: as `read`.
        """
        return self.read(offset, len(buffer), True)

    def refuse(self) -> None:
        """Close the file, which was opened in vain: its name must be looked up again."""
        self.close()

    def close(self) -> None:  # noqa: B027 - most files hold nothing
        """Release the file's resources."""


class WritableOpenFile(OpenFile):
    """An open file that takes data and stores it."""

    holds_changes: bool = False
    """Whether data written to the file is not stored yet."""
    is_changed: bool = False
    """Whether the file was written since `store` was last called."""

    @abstractmethod
    def write(self, offset: int, data: bytes, wait: bool) -> int:
        """Write ``data`` at ``offset``; returns how many bytes were written.

        Raises:
            StoreFullError: there is no room to keep it until it is stored.
            As `read`.
        """

    @abstractmethod
    def resize(self, nbytes: int, wait: bool) -> None:
        """Truncate the file, or extend it with zeros.

        Raises:
            As `write`.
        """

    @abstractmethod
    def store(self, closing: bool) -> None:
        """Store the written data, if there is any. After a failure, the next call tries again.

        Args:
            closing: whether a descriptor is being closed, so that no more data is expected.

        Raises:
            ChangedError: another writer has changed the value, and only one can be kept.
            ReadOnlyError, RefusedError, StoreError: it cannot be stored.
        """


class Content(OpenFile):
    """An open file whose bytes are in memory."""

    def __init__(self, content: BytesLike) -> None:
        self.size = len(content)
        self._content = memoryview(content)

    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        return self._content[offset : offset + nbytes]


NAME_MAX: Final = 1024
"""The longest name that FUSE supports, in bytes; a single longer name would make the whole listing fail."""
