"""The directory at the end of a zip file: which members it has and where they are."""

from __future__ import annotations

import bisect
import io
import struct
import zipfile
from collections.abc import Callable, Iterator
from typing import Final

from zarrcore.errors import BrokenBodyError, StoreError
from zarrcore.stores.interface import BytesLike, StoreStat
from zarrcore.stores.zip.journal import TRAILER_NBYTES, Journal

_END: Final = struct.Struct("<4s16xH")
_END_SIGNATURE: Final = b"PK\x05\x06"

_UTF_8: Final = 0x800

_TAIL: Final = _END.size + 2**16
"""Bytes fetched from the end at first: the end record, its comment, and the whole directory of a small file."""

_FAULTS: Final = (
    zipfile.BadZipFile,
    struct.error,
    ValueError,
    OverflowError,
    EOFError,
    NotImplementedError,
    MemoryError,
)
"""What `zipfile` raises over a file that is none."""


class ZipDirectory:
    """What is known of a zip file as long as nobody changes it.

    Members whose names lead elsewhere (``..``, absolute ones) are left out.

    Args:
        fetch: gives the bytes from a start to a stop.
        facts: what the store says of the file.
        url: what to call it in errors.

    Raises:
        BrokenBodyError: it is no zip file.
    """

    def __init__(self, fetch: Callable[[int, int], BytesLike], facts: StoreStat, url: str) -> None:
        self.facts = facts
        self.fetch = fetch
        self.url = url
        file = _RangedFile(fetch, facts.size)
        self.journal = Journal.told_by(file.tail)
        """What says that the file is being written, or was when the writer was killed."""
        found, self.comment = self._found(file)
        for info in found:
            info.filename = member_name(_raw_name(info), info.flag_bits)
        self.members = {info.filename: info for info in found if is_safe(info.filename)}
        self.unsafe = [info for info in found if not is_safe(info.filename)]
        """Directories, and members that are left out."""
        self._sorted: list[str] | None = None
        self.offsets: dict[tuple[str, int], int] = {}
        """Where the bytes of members begin, by their names and where their headers begin, as far as known."""
        self.last: tuple[str, bytes] | None = None
        """The last inflated value: parts of one member are mostly asked for one after another."""
        self.stop = facts.size if self.journal is None else self._replay(self.journal)
        """Where the file ends, or the last record of its journal."""

    def _found(self, file: _RangedFile) -> tuple[list[zipfile.ZipInfo], bytes]:
        """The entries of the directory, and the comment after it."""
        if self.journal is None:
            return _read(file, self.url)
        if self.journal.start > self.facts.size or [*_ends(file.tail)]:
            raise BrokenBodyError(
                f"{self.url} ends like two zip files, which hold different members", url=self.url
            )
        if not self.journal.start:
            return [], b""
        return _read(_RangedFile(self.fetch, self.journal.start), self.url)

    def _replay(self, journal: Journal) -> int:
        """Change the members as the journal tells; where that ends."""
        records, stop = journal.replay(self.fetch, self.facts.size - TRAILER_NBYTES)
        for record in records:
            if record.info is None or not is_safe(record.key):
                self.members.pop(record.key, None)
            else:
                self.members[record.key] = record.info
                self.offsets[record.key, record.place] = record.offset
        return stop

    @property
    def names(self) -> list[str]:
        """The keys in order, some of which may be gone; a writer changes the list while others read it."""
        found = self._sorted
        if found is None:
            found = self._sorted = sorted(self.members.copy())
        return found

    def _name_comes(self, key: str) -> None:
        """Keep the order of keys where it is known."""
        if self._sorted is not None:
            bisect.insort(self._sorted, key)

    def _name_goes(self, key: str) -> None:
        """As above."""
        if self._sorted is not None:
            del self._sorted[bisect.bisect_left(self._sorted, key)]

    def key_from(self, first: str) -> str | None:
        """The first key that is not before ``first`` in the order of keys."""
        names = self.names
        index = bisect.bisect_left(names, first)
        return next(iter(names[index : index + 1]), None)

    def keys_from(self, prefix: str) -> Iterator[str]:
        """The keys that begin with ``prefix``, in order, while others may come and go."""
        names = self.names
        index = bisect.bisect_left(names, prefix)
        while found := names[index : index + 1]:
            key = found[0]
            if not key.startswith(prefix):
                return
            yield key
            index = index + 1 if names[index : index + 1] == found else bisect.bisect_right(names, key)


def member_name(raw: bytes, flags: int) -> str:
    """A member's name (APPNOTE, appendix D): in the first PCs' characters, unless it is marked as UTF-8.

    Info-ZIP writes UTF-8 and does not mark it; hardly a name in those characters can be read as that by chance.
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("utf-8" if flags & _UTF_8 else "cp437", "replace")


def _raw_name(info: zipfile.ZipInfo) -> bytes:
    # As zipfile decoded it, but for what it takes for the end of a name.
    return info.orig_filename.encode("utf-8" if info.flag_bits & _UTF_8 else "cp437")


def is_safe(name: str) -> bool:
    """Whether a member's name can be a key; one that ends in a slash is a directory's."""
    return bool(name) and not (
        name[0] == "/" or name[-1] == "/" or "\0" in name or {".", ".."} & set(name.split("/"))
    )


def _read(file: _RangedFile, url: str) -> tuple[list[zipfile.ZipInfo], bytes]:
    """The entries of the directory, and the comment after it."""
    ends = [*_ends(file.tail)]
    if len(ends) > 1:
        raise BrokenBodyError(f"{url} ends like two zip files, which hold different members", url=url)
    # zipfile takes the last thing that looks like an end record for one, though it be part of the comment.
    comment = file.cut_off(ends[0]) if ends else b""
    try:
        with zipfile.ZipFile(file) as archive:
            return archive.infolist(), comment or archive.comment
    except _FAULTS as error:
        if file.failure is not None:  # zipfile takes an OSError while it looks for the end for "no zip file"
            raise file.failure from None
        raise BrokenBodyError(f"{url} is no zip file, or one that was cut off", url=url) from error


def _ends(tail: bytes) -> Iterator[int]:
    """Where, from the end of the file on, a comment begins that goes to the end as its end record says."""
    at = tail.find(_END_SIGNATURE)
    while 0 <= at <= len(tail) - _END.size:
        comment_size = _END.unpack_from(tail, at)[1]
        if at + _END.size + comment_size == len(tail):
            yield comment_size
        at = tail.find(_END_SIGNATURE, at + 1)


class _RangedFile(io.RawIOBase):
    """A zip file as the seekable file that `zipfile` reads the directory from; its end is fetched once."""

    def __init__(self, fetch: Callable[[int, int], BytesLike], size: int) -> None:
        self.failure: StoreError | None = None
        self._fetch = fetch
        self._size = size
        self._position = 0
        self._tail_start = max(0, size - _TAIL)
        self.tail = bytes(fetch(self._tail_start, size)) if size else b""

    def cut_off(self, size: int) -> bytes:
        """Leave out so many bytes at the end."""
        self._size -= size
        return self.tail[len(self.tail) - size :]

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise OSError("a position before the beginning")
        self._position = base + offset
        return self._position

    def read(self, size: int | None = -1) -> bytes:
        start = min(self._position, self._size)
        stop = self._size if size is None or size < 0 else min(self._size, start + size)
        self._position = stop
        try:
            return bytes(self._bytes(start, stop)) if stop > start else b""
        except StoreError as error:
            self.failure = error
            raise

    def _bytes(self, start: int, stop: int) -> BytesLike:
        if start < self._tail_start:
            return self._fetch(start, stop)
        return memoryview(self.tail)[start - self._tail_start : stop - self._tail_start]
