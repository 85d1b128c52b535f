"""What a tree is made of: entries, which are files or directories, and files that are open.

A call that would wait for a store or decode a chunk takes ``wait``. With ``wait=False`` it either answers from
memory (or from a local disk, which is as quick) or raises `WouldBlockError`; the daemon then asks again with
``wait=True`` in a worker thread. So the quick way costs no hop between threads, and the slow way stops nobody else.
"""

from __future__ import annotations

import stat
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from itertools import islice
from typing import Any, ClassVar, Final

from zarrcore.errors import ReadOnlyError

BytesLike = bytes | memoryview


class WouldBlockError(Exception):
    """The answer is not at hand: ask again with ``wait=True`` where waiting harms nobody."""


class Entry(ABC):
    """A name's meaning in a tree."""

    __slots__ = ()

    mtime_s: float | None
    """Seconds since the epoch; None where nothing knows it."""
    mode: ClassVar[int]
    knows_only_its_path: ClassVar[bool] = False
    """Whether it is a directory that asks anew for each name, so that it never gets old itself."""

    @property
    def is_writable(self) -> bool:
        """Whether anybody may write to it."""
        return bool(self.mode & stat.S_IWUSR)

    @property
    def version(self) -> str | None:
        """A text that changes with the content; None where only time tells how old it may be."""
        return None

    def facts(self, wait: bool) -> dict[str, Any]:
        """What is known of it, for extended attributes: values as JSON has them, by name.

        Raises:
            WouldBlockError: not without waiting.
        """
        return {}

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

    mode: ClassVar[int] = 0o444
    direct_io: ClassVar[bool] = False
    """Whether readers get each answer fresh, past the page cache: for files whose size is only a guess."""

    size: int

    @abstractmethod
    def open(self, wait: bool) -> OpenFile:
        """The file for reading.

        Raises:
            WouldBlockError: not without waiting.
            ChangedError: it is no longer what this entry says; looking it up again helps.
        """


class Directory(Entry):
    """Names and what they mean."""

    __slots__ = ()

    mode: ClassVar[int] = 0o555

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


class OpenFile(ABC):
    """A file that somebody reads."""

    size: int
    version: str | None = None
    """A text that changes with the content; None where only time tells how old a copy may be."""
    reads_ahead: bool = False
    """Whether fetching before it is asked for pays."""

    @abstractmethod
    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        """``nbytes`` from ``offset``, fewer at the end only.

        Raises:
            WouldBlockError: not without waiting.
            ChangedError: the bytes at hand belong to another version than the one opened.
        """

    def write(self, offset: int, data: bytes) -> int:
        """Take ``data`` at ``offset`` and tell how much of it was taken."""
        raise ReadOnlyError("this mount is read-only")

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
