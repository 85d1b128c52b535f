"""Changing zip files in place: what is set is in the file at once, and survives the writer.

Values are appended as records of a journal (`zarrcore.stores.zip.journal`). The directory, which other programs need, is
written behind them as soon as that takes little of the time that writing takes, and when the store is closed. Nothing that is
counted on is ever overwritten: neither the zip file that was there before, nor a record.

Values that were replaced or erased, and the directory that was there before, keep their bytes until there are many:
then the file is written anew without them, beside the old one, whose place it takes.
"""

from __future__ import annotations

import errno
import io
import os
import zipfile
from typing import Final

from zarrcore.errors import InvalidKeyError, KeyTooLongError, StoreError, StoreNotFoundError
from zarrcore.stores.interface import BytesLike, StoreStat
from zarrcore.stores.local.file_reading import file_failure
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.zip.file import OpenFile
from zarrcore.stores.zip.journal import TRAILER_NBYTES, Journal, new_member
from zarrcore.stores.zip.members import ZipMembers

EMPTY_ZIP: Final = b"PK\x05\x06" + bytes(18)
"""A zip file without members."""

_LONGEST_NAME: Final = 2**16 - 1

_PAGE: Final = 4096
_ROOM_LEAST: Final = 1 << 16
_ROOM_MOST: Final = 1 << 26
"""Bytes that the file grows by at once, beside what is needed: an eighth of it, within these bounds."""
_NO_ROOM: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

_CANNOT_PROMISE: Final = {errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.ENODEV}
"""What file systems say that cannot promise room."""

_HEADER_NBYTES: Final = 30
_ENTRY_NBYTES: Final = 46 + 28
"""A member in the directory, with what zip64 adds, without its name."""
_END_NBYTES: Final = 22 + 76
"""The records at the end of a zip file, with those of zip64, without a comment."""
_SLACK_NBYTES: Final = 40
"""What a header may have beside what the directory tells of it; so much more is taken for used."""

_AWAITED_S: Final = 10.0
_RUNNING_LEAST: Final = 8 << 20
_CLOSING_LEAST: Final = 1 << 16


def check_name(key: str, url: str) -> None:
    """Refuse what no member can be named.

    Raises:
        KeyTooLongError: it is too long.
        InvalidKeyError: it holds half a surrogate pair.
    """
    shown = repr(key if len(key) < 100 else key[:100] + "…")
    try:
        nbytes = len(key.encode())
    except UnicodeEncodeError as error:
        raise InvalidKeyError(
            f"{shown} in {url}: a zip file can hold no such name", key=key, url=url
        ) from error
    if nbytes > _LONGEST_NAME:
        raise KeyTooLongError(f"{shown} in {url}: a zip file can hold no name so long", key=key, url=url)


class ZipWriter(ZipMembers):
    """A zip file that is being written; also its directory, as it will be. Not thread-safe; readers may use it at any time.

    Args:
        source: the directory in which the file is.
        key: its name there.
        url: what to call it in errors.
        wait_s: how long another writer is awaited.

    Attributes:
        is_settled: whether the file is an ordinary zip file at the moment, and other writers may have it.
        is_locked: whether the file system keeps other writers out.

    Raises:
        BrokenBodyError: it is no zip file.
        StoreError: it may not be written, or another writer does not come to an end.
    """

    def __init__(self, source: LocalStore, key: str, url: str, wait_s: float = _AWAITED_S) -> None:
        self.url = url
        self._durable = source.durable
        self._left = (0, 0, 0)
        self._process = os.getpid()
        path = os.path.join(source.root, key)
        try:
            while True:
                self.file = OpenFile(path)
                self.is_locked = self.file.lock(wait_s)
                if self.file.has_its_name():
                    break
        except BlockingIOError as error:
            raise _busy(url) from error
        except FileNotFoundError as error:
            raise StoreNotFoundError(f"there is no file {url}", url=url) from error
        except OSError as error:
            raise file_failure(error, None, url) from error
        facts = self.file.stat()
        super().__init__(self.file.fetch, facts, url)
        self.is_settled = self.journal is None
        self._room = facts.size
        self._journal = self.journal or Journal.begun_at(0 if self._is_empty(facts.size) else facts.size)
        self.position = self._journal.start if self.is_settled else self.stop
        """Where the next record goes."""
        self._last_bytes = bytes(self.file.fetch(max(0, facts.size - TRAILER_NBYTES), facts.size))
        self._note()
        entries = [*self.unsafe, *self.members.values()]
        self.before = min((info.header_offset for info in entries), default=self._journal.start)
        """Bytes before the first member, such as a program that unpacks the file."""
        self._used = sum(map(extent, entries))
        self._directory_nbytes = sum(map(_entry_nbytes, entries))

    def _is_empty(self, nbytes: int) -> bool:
        return nbytes == len(EMPTY_ZIP) and not self.members and not self.unsafe

    @property
    def is_mine(self) -> bool:
        """Whether this is the process that opened it, and not a fork."""
        return os.getpid() == self._process

    @property
    def dead_nbytes(self) -> int:
        """How many bytes of the file belong to nothing any more, at the least."""
        return max(0, self.position - self.before - self._used)

    @property
    def is_wasteful(self) -> bool:
        """Whether it has more dead bytes than a file that is being written may have.

        That is as many as others, and 8 MiB, or half of what is free where the disk is nearly full.
        """
        dead_nbytes = self.dead_nbytes
        if dead_nbytes <= self._used:
            return False
        disk = os.fstatvfs(self.file.descriptor)
        return dead_nbytes > min(_RUNNING_LEAST, disk.f_bavail * disk.f_frsize // 2)

    @property
    def is_worth_compacting(self) -> bool:
        """Whether it has more dead bytes than a closed file may have: 64 KiB, or a quarter of the others."""
        return self.dead_nbytes > max(_CLOSING_LEAST, self._used // 4)

    def put(self, key: str, value: BytesLike) -> None:
        """Add a member, in place of one of this name.

        Raises:
            StoreFullError: there is no room for it and for the directory.
        """
        data = memoryview(value).cast("B")
        info = new_member(key, data, self.position)
        header = self._journal.header(info)
        self._append(key, _entry_nbytes(info), header, data)
        self.offsets[key, info.header_offset] = info.header_offset + len(header)
        before = self.members.get(key)
        self.members[key] = info
        if before is None:
            self._name_comes(key)
        else:
            self._goes(before)
        self._used += extent(info)
        self._directory_nbytes += _entry_nbytes(info)

    def erase(self, key: str) -> None:
        """Take a member out.

        Raises:
            StoreFullError: there is no room to note that.
        """
        info = new_member(key, memoryview(b""), self.position)
        self._append(key, 0, self._journal.header(info, erased=True))
        before = self.members.pop(key, None)
        if before is not None:
            self._goes(before)
            self._name_goes(key)

    def _goes(self, info: zipfile.ZipInfo) -> None:
        self.last = None
        self.offsets.pop((info.filename, info.header_offset), None)
        self._used -= extent(info)
        self._directory_nbytes -= _entry_nbytes(info)

    def _append(self, key: str, entry_nbytes: int, *parts: BytesLike) -> None:
        nbytes = sum(map(len, parts))
        try:
            self._make_room(self.position + nbytes, entry_nbytes)
            self.file.write(self.position, *parts)
            if self._durable:
                os.fdatasync(self.file.descriptor)
        except OSError as error:
            raise file_failure(error, key, self.url) from error
        finally:
            self._note()
        self.position += nbytes

    def _make_room(self, stop: int, entry_nbytes: int) -> None:
        """Have room for records up to ``stop`` and for the directory behind them, and the trailer at the end."""
        needed = (
            stop + self._directory_nbytes + entry_nbytes + _END_NBYTES + len(self.comment) + TRAILER_NBYTES
        )
        if needed <= self._room and not self.is_settled:
            return
        needed = max(needed, self._room + TRAILER_NBYTES)
        ample = needed + min(max(needed // 8, _ROOM_LEAST), _ROOM_MOST)
        try:
            self._grow(_whole_pages(ample))
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            self._grow(_whole_pages(needed))

    def _grow(self, nbytes: int) -> None:
        descriptor, before = self.file.descriptor, self._room
        try:
            # First of all: a file without one at its end would be one that was cut off.
            self.file.write(nbytes - TRAILER_NBYTES, self._journal.trailer())
            os.posix_fallocate(descriptor, before, nbytes - before)
        except OSError as error:
            if error.errno not in _CANNOT_PROMISE:
                os.ftruncate(descriptor, before)
                raise
        if self._durable:
            os.fdatasync(descriptor)
        self._room, self.is_settled, self._last_bytes = nbytes, False, self._journal.trailer()

    def settle(self) -> None:
        """Make it an ordinary zip file, and let other writers have it.

        Raises:
            StoreError: the directory could not be written; what was set is safe all the same.
        """
        if self.is_settled:
            return
        try:
            directory = self.directory_at(self.position, [*self.unsafe, *self.members.values()])
            stop = self.position + len(directory)
            self._make_room(self.position, 0)
            self.file.write(self.position, directory)
            if self._durable:
                os.fdatasync(self.file.descriptor)
            os.ftruncate(self.file.descriptor, stop)
            if self._durable:
                os.fsync(self.file.descriptor)
        except OSError as error:
            raise file_failure(error, None, self.url) from error
        finally:
            self._note()
        self._room, self.is_settled, self._last_bytes = stop, True, directory[-TRAILER_NBYTES:]
        self.file.unlock()

    def directory_at(self, position: int, entries: list[zipfile.ZipInfo]) -> bytes:
        """The directory, as it is to be written at a position of a file."""
        file = _At(position)
        # Told to begin a file here, zipfile writes nothing but the directory of what it takes for written.
        with zipfile.ZipFile(file, "w") as archive:
            archive.filelist = entries
            archive.comment = self.comment
        return file.getvalue()

    def resume(self, wait_s: float = _AWAITED_S) -> None:
        """Keep other writers out again, before something is changed; returns at once where they are.

        Raises:
            StoreError: another writer does not come to an end, or this process is a fork of the writer.
        """
        if not self.is_mine:
            raise StoreError(
                f"{self.url} cannot be written in a process that was forked while it was being written",
                url=self.url,
            )
        if self.is_settled:
            try:
                self.file.lock(wait_s)
            except BlockingIOError as error:
                raise _busy(self.url) from error

    def is_current(self) -> bool:
        """Whether the file is as this writer left it: no other program has written to it or replaced it."""
        try:
            found = os.stat(self.file.path)
        except OSError:
            return False
        if _version(found) == self._left:
            return True
        if not self.file.has_its_name():
            return False
        # Over a network its date may change later than its bytes.
        end = self.file.fetch(found.st_size - len(self._last_bytes), found.st_size)
        if found.st_size != self.facts.size or end != self._last_bytes:
            return False
        self._left = _version(found)
        return True

    def _note(self) -> None:
        """Note how the file is left: any difference later is another program's change."""
        found = os.fstat(self.file.descriptor)
        self._left = _version(found)
        self.facts = StoreStat(found.st_size)


def _version(facts: os.stat_result) -> tuple[int, int, int]:
    return facts.st_ino, facts.st_size, facts.st_mtime_ns


class _At(io.BytesIO):
    """What is written from a position of a file on."""

    def __init__(self, position: int) -> None:
        super().__init__()
        self._start = position

    def tell(self) -> int:
        return self._start + super().tell()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._start + super().seek(offset - self._start if whence == io.SEEK_SET else offset, whence)


def extent(info: zipfile.ZipInfo) -> int:
    """How many bytes a member may take in the file, as far as the directory tells."""
    return _HEADER_NBYTES + _SLACK_NBYTES + _name_nbytes(info) + len(info.extra) + info.compress_size


def _entry_nbytes(info: zipfile.ZipInfo) -> int:
    """How many bytes a member takes in the directory at the most."""
    return _ENTRY_NBYTES + _name_nbytes(info) + len(info.extra) + len(info.comment)


def _name_nbytes(info: zipfile.ZipInfo) -> int:
    return len(info.filename.encode("utf-8", "surrogatepass"))


def _whole_pages(nbytes: int) -> int:
    return -(-nbytes // _PAGE) * _PAGE


def _busy(url: str) -> StoreError:
    return StoreError(f"{url} is being written by another process: try again when it has finished", url=url)
