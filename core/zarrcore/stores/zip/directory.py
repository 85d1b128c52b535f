"""The directory at the end of a zip file: its members and their positions."""

from __future__ import annotations

import bisect
import io
import struct
import zipfile
from collections.abc import Callable, Iterator
from typing import Final

from zarrcore.errors import BrokenBodyError, StoreError
from zarrcore.stores.interface import BytesLike, StoreStat
from zarrcore.stores.zip.journal import TRAILER_NBYTES, UTF_8, Journal

_END: Final = struct.Struct("<4s6xHIIH")
"""The record at the end: signature, number of entries, size and start of the directory, size of the comment."""
_END_SIGNATURE: Final = b"PK\x05\x06"
_ENTRY_SIGNATURE: Final = b"PK\x01\x02"
_LOCATOR: Final = 20
_LOCATOR_SIGNATURE: Final = b"PK\x06\x07"
"""The record before the last one in a zip64 file."""

_TAIL: Final = _END.size + 2**16
"""Bytes that are fetched first, from the end: the end record, its comment, and the whole directory of a small file."""

_DIRECTORY_MAX: Final = 256 << 20
"""Bytes of the largest directory that is read: two million members."""

_FAULTS: Final = (
    zipfile.BadZipFile,
    struct.error,
    ValueError,
    OverflowError,
    EOFError,
    NotImplementedError,
    MemoryError,
)
"""The exceptions of `zipfile` for a file that is not a zip file."""


class ZipDirectory:
    """The directory of a zip file, valid until the file changes.

    Members with names that lead elsewhere (``..``, absolute names) are ignored.

    Args:
        fetch: returns the bytes from a start to a stop.
        facts: the store's facts about the file.
        url: the file's URL in errors.

    Raises:
        BrokenBodyError: it is not a zip file.
    """

    def __init__(self, fetch: Callable[[int, int], BytesLike], facts: StoreStat, url: str) -> None:
        self.facts = facts
        self.fetch = fetch
        self.url = url
        file = _RangedFile(fetch, facts.size, url)
        self.journal = Journal.told_by(file.tail)
        """The journal's trailer, if the file is being written, or its writer was killed."""
        found, self.comment = self._found(file)
        self.is_zip64 = _has_zip64_end(file.tail)
        """Whether it ends with the records of ZIP64."""
        for info in found:
            info.filename = member_name(_raw_name(info), info.flag_bits)
        self.members = {info.filename: info for info in found if is_safe(info.filename)}
        self.unsafe = [info for info in found if not is_safe(info.filename)]
        """Directories, and members that are ignored."""
        self._sorted: list[str] | None = None
        self.offsets: dict[tuple[str, int], int] = {}
        """The known starts of members' bytes, by the members' names and the starts of their headers."""
        self.last: tuple[str, bytes] | None = None
        """The last inflated value: parts of one member are mostly requested one after another."""
        self.stop = facts.size if self.journal is None else self._replay(self.journal)
        """The end of the file, or of the last record of its journal."""

    def _found(self, file: _RangedFile) -> tuple[list[zipfile.ZipInfo], bytes]:
        """The entries of the directory, and the comment after it."""
        if self.journal is None:
            return _read(file, self.url)
        if self.journal.start > self.facts.size or _ends(file, most=0):
            raise BrokenBodyError(f"{self.url} ends like two zip files with different members", url=self.url)
        if not self.journal.start:
            return [], b""
        return _read(_RangedFile(self.fetch, self.journal.start, self.url), self.url)

    def _replay(self, journal: Journal) -> int:
        """Apply the journal to the members. Return the end of the journal."""
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
        """The keys in order; some may be gone, because a writer changes the list while others read it."""
        found = self._sorted
        if found is None:
            found = self._sorted = sorted(self.members.copy())
        return found

    def _name_comes(self, key: str) -> None:
        """Update the order of keys, if it is known."""
        if self._sorted is not None:
            bisect.insort(self._sorted, key)

    def _name_goes(self, key: str) -> None:
        """Update the order of keys, if it is known."""
        if self._sorted is not None:
            del self._sorted[bisect.bisect_left(self._sorted, key)]

    def key_from(self, first: str) -> str | None:
        """The first key that is ``first`` or after it in the order of keys."""
        names = self.names
        index = bisect.bisect_left(names, first)
        return next(iter(names[index : index + 1]), None)

    def keys_from(self, prefix: str) -> Iterator[str]:
        """The keys that begin with ``prefix``, in order, even if keys are added or removed meanwhile."""
        names = self.names
        index = bisect.bisect_left(names, prefix)
        while found := names[index : index + 1]:
            key = found[0]
            if not key.startswith(prefix):
                return
            yield key
            index = index + 1 if names[index : index + 1] == found else bisect.bisect_right(names, key)


def member_name(raw: bytes, flags: int) -> str:
    """A member's name (APPNOTE, appendix D): in code page 437, unless it is marked as UTF-8.

    Info-ZIP writes UTF-8 without the mark. A name in code page 437 is hardly ever valid UTF-8 by chance.
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("utf-8" if flags & UTF_8 else "cp437", "replace")


def _raw_name(info: zipfile.ZipInfo) -> bytes:
    # As zipfile decoded it, except that zipfile ends a name at NUL.
    return info.orig_filename.encode("utf-8" if info.flag_bits & UTF_8 else "cp437")


def is_safe(name: str) -> bool:
    """Whether a member's name can be a key. A name that ends in a slash is a directory."""
    return bool(name) and not (
        name[0] == "/" or name[-1] == "/" or "\0" in name or {".", ".."} & set(name.split("/"))
    )


def _read(file: _RangedFile, url: str) -> tuple[list[zipfile.ZipInfo], bytes]:
    """The entries of the directory, and the comment after it."""
    ends = _ends(file)
    if len(ends) > 1:
        raise BrokenBodyError(f"{url} ends like two zip files with different members", url=url)
    # zipfile uses the last bytes that look like an end record, even if they are part of the comment.
    comment = file.cut_off(ends[0]) if ends else b""
    try:
        with zipfile.ZipFile(file) as archive:
            return archive.infolist(), comment or archive.comment
    except _FAULTS as error:
        # zipfile reports an OSError during its search for the end as "not a zip file".
        if file.failure is not None:
            raise file.failure from None
        why = ", or was truncated" if file.tail else ": the file is empty"
        raise BrokenBodyError(f"{url} is not a zip file{why}", url=url) from error


def _ends(file: _RangedFile, *, most: int = 1) -> list[int]:
    """The sizes of comments whose end records say that they extend to the end of the file.

    If there are more than ``most``, those that no reader could take for the end of a zip file are left out.
    """
    tail, found = file.tail, []
    at = tail.find(_END_SIGNATURE)
    while 0 <= at <= len(tail) - _END.size:
        _, count, size, start, comment_size = _END.unpack_from(tail, at)
        if at + _END.size + comment_size == len(tail):
            found.append((comment_size, at, count, size, start))
        at = tail.find(_END_SIGNATURE, at + 1)
    return [end[0] for end in found if len(found) <= most or _follows_directory(file, *end[1:])]


def _has_zip64_end(tail: bytes) -> bool:
    end = tail.rfind(_END_SIGNATURE)
    return end >= _LOCATOR and tail[end - _LOCATOR : end].startswith(_LOCATOR_SIGNATURE)


def _follows_directory(file: _RangedFile, at: int, count: int, size: int, start: int) -> bool:
    """Whether any reader could take the record at a place of the tail for an end: the bytes of a value may look like one."""
    if not count or file.tail[max(0, at - _LOCATOR) :].startswith(_LOCATOR_SIGNATURE):
        return True
    position = file.tail_start + at
    for place in {start, position - size}:  # as the record says, or with other bytes before the zip file
        if 0 <= place < position and file.at(place, len(_ENTRY_SIGNATURE)) == _ENTRY_SIGNATURE:
            return True
    return False


class _RangedFile(io.RawIOBase):
    """A zip file as a seekable file, from which `zipfile` reads the directory; its end is fetched once."""

    def __init__(self, fetch: Callable[[int, int], BytesLike], size: int, url: str) -> None:
        self._url = url
        self.failure: StoreError | None = None
        self._fetch = fetch
        self._size = size
        self._position = 0
        self.tail_start = max(0, size - _TAIL)
        self.tail = bytes(fetch(self.tail_start, size)) if size else b""

    def at(self, place: int, size: int) -> bytes:
        """Some bytes."""
        return bytes(self._bytes(place, min(place + size, self._size)))

    def cut_off(self, size: int) -> bytes:
        """Hide this many bytes at the end."""
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
            raise OSError("a negative position")
        self._position = base + offset
        return self._position

    def read(self, size: int | None = -1) -> bytes:
        start = min(self._position, self._size)
        stop = self._size if size is None or size < 0 else min(self._size, start + size)
        self._position = stop
        try:
            if stop - start > _DIRECTORY_MAX:
                raise BrokenBodyError(
                    f"{self._url}: its directory has {stop - start} bytes; at most {_DIRECTORY_MAX} are read",
                    url=self._url,
                )
            return bytes(self._bytes(start, stop)) if stop > start else b""
        except StoreError as error:
            self.failure = error
            raise

    def _bytes(self, start: int, stop: int) -> BytesLike:
        if start < self.tail_start:
            return self._fetch(start, stop)
        return memoryview(self.tail)[start - self.tail_start : stop - self.tail_start]
