"""What a tree is made of: entries, which are files or directories, and files that are open.

A call that may wait for a store or decode a chunk takes ``wait``. With ``wait=False`` it either answers from memory (or from a
local disk, which is as quick) or raises `WouldBlockError`; the daemon then asks again with ``wait=True`` in a worker thread. So
the quick way costs no hop between threads, and the slow way blocks no other request.
"""

from __future__ import annotations

import stat
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from itertools import islice
from typing import Any, Final

from zarrcore.errors import ReadOnlyError
from zarrfs.trees.caching import DEFAULT, Caching
from zarrfs.trees.layout import Layout

BytesLike = bytes | memoryview
_READ_ONLY: Final = "this mount is read-only"


class Entry(ABC):
    """A name's meaning in a tree."""

    __slots__ = ()

    mtime_s: float | None
    """Seconds since the epoch; None where nothing knows it."""
    caching: Caching = DEFAULT
    """What the kernel may keep of it."""

    @property
    @abstractmethod
    def mode(self) -> int:
        """Permissions, before the umask."""

    @property
    def is_writable(self) -> bool:
        """Whether anybody may write to it."""
        return bool(self.mode & stat.S_IWUSR)

    @property
    def version(self) -> str | None:
        """A text that changes with the content; None where only time tells how old it may be."""
        return None

    @property
    def written_as(self) -> str | None:
        """The version that is being written under its name; None without one."""
        return None

    def metadata(self, wait: bool) -> dict[str, Any]:
        """What is known of it, for extended attributes: values as JSON has them, by name.

        Raises:
            WouldBlockError: not without waiting.
        """
        return {}

    def set_metadata(self, name: str, value: bytes | None) -> None:
        """Set what `metadata` tells; None removes it.

        Raises:
            ReadOnlyError: it cannot be set.
            RefusedError: not to that value, or there is no item of that name.
        """
        raise ReadOnlyError(_READ_ONLY)

    def after(self, known: Entry) -> Entry:
        """This entry, to be told of where the kernel knows another one under the same number."""
        return self

    @property
    def numbered(self) -> tuple[Numbering, int] | None:
        """The numbering that this entry belongs to, and its place there; None where its number must be remembered."""
        return None


class Numbering(ABC):
    """Entries so many that their inode numbers are computed instead of remembered."""

    key: Hashable
    """Equal for numberings that give the same places to the same names."""

    count: int
    """How many places there are."""

    @abstractmethod
    def entry(self, place: int) -> Entry:
        """The entry at a place in ``range(count)``."""


class File(Entry):
    """Bytes of a known size."""

    __slots__ = ()

    @property
    def mode(self) -> int:
        return 0o444

    size: int
    is_sized: bool = True
    """Whether `size` is what is there; otherwise it is what the kernel was told last, and `sized` finds out."""

    def sized(self, wait: bool) -> File:
        """The same file with its size, for which it may have to be made.

        Raises:
            WouldBlockError: not without waiting.
        """
        return self

    @abstractmethod
    def open(self, wait: bool) -> OpenFile:
        """The file for reading.

        Raises:
            WouldBlockError: not without waiting.
            ChangedError: it is no longer what this entry says; looking it up again helps.
        """

    def open_to_write(self, truncate: bool, wait: bool) -> OpenFile:
        """The file for reading and writing, empty with ``truncate``.

        Raises:
            As `open`; ReadOnlyError: it cannot be written.
        """
        raise ReadOnlyError(_READ_ONLY)

    def resize(self, nbytes: int, wait: bool) -> None:
        """Cut the file, or add zeros.

        Raises:
            As `open_to_write`, and `OpenFile.store`.
        """
        raise ReadOnlyError(_READ_ONLY)


class Directory(Entry):
    """Names and what they mean."""

    __slots__ = ()

    @property
    def mode(self) -> int:
        return 0o555

    @abstractmethod
    def lookup(self, name: str, wait: bool) -> Entry | None:
        """The entry of that name, listed or not; None where there is none.

        Raises:
            WouldBlockError: not without waiting.
        """

    @abstractmethod
    def entries(self) -> Iterator[tuple[str, Entry]]:
        """What a listing shows, in the same order each time as long as nothing changes."""

    def entries_from(self, position: int) -> Iterator[tuple[str, Entry]]:
        """`entries` without the first ``position`` of them."""
        return islice(self.entries(), position, None)

    @property
    def lists_at_once(self) -> bool:
        """Whether `entries` never waits for anything slow."""
        return False

    def behind(self, wait: bool) -> Directory:
        """The directory itself, where this one only stands before it.

        Raises:
            WouldBlockError: not without waiting.
        """
        return self

    def create(self, name: str, wait: bool) -> OpenFile:
        """A new file for writing, under a name that `lookup` does not find.

        Raises:
            WouldBlockError: not without waiting.
            ReadOnlyError, RefusedError: there can be none.
        """
        raise ReadOnlyError(_READ_ONLY)

    def make_directory(self, name: str, wait: bool) -> Directory:
        """A new directory; raises as `create` does."""
        raise ReadOnlyError(_READ_ONLY)

    def remove(self, name: str, wait: bool) -> None:
        """Remove a file; raises as `create` does."""
        raise ReadOnlyError(_READ_ONLY)

    def remove_directory(self, name: str, wait: bool) -> None:
        """Remove an empty directory; raises as `create` does."""
        raise ReadOnlyError(_READ_ONLY)

    def rename(self, name: str, target: Directory, new_name: str, replace: bool, wait: bool) -> None:
        """Give what has a name another one, and with ``replace`` the place of what had that; raises as `create` does."""
        raise ReadOnlyError(_READ_ONLY)

    def copy(self, file: File, name: str, wait: bool) -> None:
        """What a hard link asks for: the file under another name too, which must be free; raises as `create` does."""
        raise ReadOnlyError(_READ_ONLY)


class OpenFile(ABC):
    """A file that is open."""

    size: int
    version: str | None = None
    """A text that changes with the content; None where only time tells how old a copy may be."""
    caching: Caching = DEFAULT
    """What the kernel may keep of it."""
    layout: Layout | None = None
    """What reading ahead goes by; None where fetching bytes before they are asked for does not pay."""
    shown: File | None = None
    """The entry that its handles see in place of the one that its name leads to."""
    holds_changes: bool = False
    """Whether something was written that is not stored."""
    is_changed: bool = False
    """Whether it was written since `store` was last called."""
    changes: int = 0
    """How often it was written to: what was read before the last time is out of date."""

    @abstractmethod
    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        """``nbytes`` from ``offset``, fewer at the end only.

        Raises:
            WouldBlockError: not without waiting.
            ChangedError: the bytes at hand belong to another version than the one opened.
        """

    def read_into(self, offset: int, buffer: memoryview) -> BytesLike:
        """As many bytes from ``offset`` as ``buffer`` has room for, fewer at the end only; it is there to be used.

        Raises:
            ChangedError: as `read`.
        """
        return self.read(offset, len(buffer), True)

    def write(self, offset: int, data: bytes, wait: bool) -> int:
        """Take ``data`` at ``offset`` and tell how much of it was taken.

        Raises:
            As `read`; StoreFullError: there is no room to keep it until it is stored.
        """
        raise ReadOnlyError(_READ_ONLY)

    def resize(self, nbytes: int, wait: bool) -> None:
        """Cut the file, or add zeros.

        Raises:
            As `write`.
        """
        raise ReadOnlyError(_READ_ONLY)

    def store(self, closing: bool) -> None:  # noqa: B027 - most files have nothing to store
        """Store what was written, where there is anything; what fails is tried again when it is called again.

        Args:
            closing: whether a descriptor is being closed, so that nothing more is to be awaited.

        Raises:
            ChangedError: another writer has changed it since, and only one value can be kept.
            ReadOnlyError, RefusedError, StoreError: it cannot be stored.
        """

    def close(self) -> None:  # noqa: B027 - most files hold nothing
        """Give back what the file holds."""


class Content(OpenFile):
    """An open file whose bytes are at hand."""

    def __init__(self, content: BytesLike) -> None:
        self.size = len(content)
        self._content = memoryview(content)

    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        return self._content[offset : offset + nbytes]


NAME_MAX: Final = 1024
"""The longest name, in bytes, that FUSE carries; one longer name would spoil the whole listing."""
