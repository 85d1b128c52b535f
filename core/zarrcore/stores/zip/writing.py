"""Changing zip files in place: stored values are in the file at once, and survive the writer.

Values are appended as records of a journal (`zarrcore.stores.zip.journal`). The directory, which other programs need, is
written after them as soon as this takes only a small share of the time, and when the store is closed. Valid data is never
overwritten: neither the original zip file nor a record.

Replaced and erased values, and the old directory, keep their bytes until there are many of them. Then the file is rewritten
without them under another name, and replaces the old one.
"""

from __future__ import annotations

import errno
import io
import zipfile
from typing import Final

from zarrcore.errors import InvalidKeyError, KeyTooLongError, StoreError, StoreNotFoundError
from zarrcore.stores.interface import BytesLike, StoreStat
from zarrcore.stores.local.file_reading import file_failure
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.zip.file import OpenFile
from zarrcore.stores.zip.journal import TRAILER_NBYTES, Journal, mark_utf_8, new_member
from zarrcore.stores.zip.members import ZipMembers
from zarrcore.stores.zip.ome_zarr import without_order
from zarrcore.system import os

EMPTY_ZIP: Final = b"PK\x05\x06" + bytes(18)
"""A zip file without members."""

_LONGEST_NAME: Final = 2**16 - 1

_PAGE: Final = 4096
_ROOM_LEAST: Final = 1 << 16
_ROOM_MOST: Final = 1 << 26
"""Bytes by which the file grows beyond the need: an eighth of its size, within these bounds."""
_NO_ROOM: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

_CANNOT_PROMISE: Final = {errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.ENODEV}
"""The errors of file systems that cannot reserve space."""

_HEADER_NBYTES: Final = 30
_ENTRY_NBYTES: Final = 46 + 28
"""Bytes of a member in the directory, with the zip64 fields, without its name."""
_END_NBYTES: Final = 22 + 76
"""Bytes of the records at the end of a zip file, with those of zip64, without a comment."""
_SLACK_NBYTES: Final = 40
"""Bytes that a header may have in addition to those known from the directory; they count as used."""

_AWAITED_S: Final = 10.0
_RUNNING_LEAST: Final = 8 << 20
_CLOSING_LEAST: Final = 1 << 16


def check_name(key: str, url: str) -> None:
    """Refuse names that no member can have.

    Raises:
        KeyTooLongError: the name is too long.
        InvalidKeyError: it contains half a surrogate pair.
    """
    shown = repr(key if len(key) < 100 else key[:100] + "…")
    try:
        nbytes = len(key.encode())
    except UnicodeEncodeError as error:
        raise InvalidKeyError(
            f"{shown} in {url}: this name is not possible in a zip file", key=key, url=url
        ) from error
    if nbytes > _LONGEST_NAME:
        raise KeyTooLongError(f"{shown} in {url}: this name is too long for a zip file", key=key, url=url)


class ZipWriter(ZipMembers):
    """A zip file that is being written; also its future directory. Not thread-safe, but readers may use it at any time.

    Args:
        source: the directory of the file.
        key: the file's name there.
        url: the file's URL in errors.
        wait_s: how long to wait for another writer.

    Attributes:
        is_settled: whether the file is currently an ordinary zip file, which other writers may lock.
        is_locked: whether the file system locks out other writers.

    Raises:
        BrokenBodyError: it is not a zip file.
        StoreError: it is not writable, or another writer does not finish.
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
        try:
            self._begin()
        except BaseException:
            self.file.unlock()  # the error may keep this object alive
            raise

    def _begin(self) -> None:
        """Read what the locked file holds."""
        facts = self.file.stat()
        super().__init__(self.file.fetch, facts, self.url)
        self.is_settled = self.journal is None
        self._room = facts.size
        self._journal = self.journal or Journal.begun_at(0 if self._is_empty(facts.size) else facts.size)
        self.position = self._journal.start if self.is_settled else self.stop
        """The position of the next record."""
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
        """Whether this is the process that opened the file, and not a fork."""
        return os.getpid() == self._process

    @property
    def dead_nbytes(self) -> int:
        """The minimum number of unused bytes in the file."""
        return max(0, self.position - self.before - self._used)

    @property
    def is_wasteful(self) -> bool:
        """Whether it has more dead bytes than a file that is being written may have.

        The limit is the number of used bytes and 8 MiB, or half of the free space if the disk is nearly full.
        """
        dead_nbytes = self.dead_nbytes
        if dead_nbytes <= self._used:
            return False
        disk = os.fstatvfs(self.file.descriptor)
        return dead_nbytes > min(_RUNNING_LEAST, disk.f_bavail * disk.f_frsize // 2)

    @property
    def is_worth_compacting(self) -> bool:
        """Whether it has more dead bytes than a closed file may have: 64 KiB, or a quarter of the used bytes."""
        return self.dead_nbytes > max(_CLOSING_LEAST, self._used // 4)

    def put(self, key: str, value: BytesLike) -> None:
        """Add a member, or replace the member of this name.

        Raises:
            StoreFullError: there is no space for the member and the directory.
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
        """Remove a member.

        Raises:
            StoreFullError: there is no space for the record of the removal.
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
        self.comment = without_order(self.comment)
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
        """Reserve space for records up to ``stop`` and the directory after them, and write the trailer at the end."""
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
            # The trailer comes first: a file without one at its end would count as truncated.
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
        """Make it an ordinary zip file, and release it for other writers.

        Raises:
            StoreError: the directory could not be written; the stored values are safe.
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

    def directory_at(
        self, position: int, entries: list[zipfile.ZipInfo], comment: bytes | None = None
    ) -> bytes:
        """The bytes of the directory, for a position of the file."""
        for info in entries:
            mark_utf_8(info)
        file = _At(position)
        # As if for a new file at this position, zipfile writes only the directory of the members it takes for written.
        with zipfile.ZipFile(file, "w") as archive:
            archive.filelist = entries
            archive.comment = self.comment if comment is None else comment
        return file.getvalue()

    def resume(self, wait_s: float = _AWAITED_S) -> None:
        """Lock out other writers again before a change. Returns at once if they are locked out.

        Raises:
            StoreError: another writer does not finish, or this process is a fork of the writer.
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
        """Whether the file is unchanged since this writer's last write: no other program wrote to it or replaced it."""
        try:
            found = os.stat(self.file.path)
        except OSError:
            return False
        if _version(found) == self._left:
            return True
        if not self.file.has_its_name():
            return False
        # In a network file system, the date may change later than the bytes.
        end = self.file.fetch(found.st_size - len(self._last_bytes), found.st_size)
        if found.st_size != self.facts.size or end != self._last_bytes:
            return False
        self._left = _version(found)
        return True

    def _note(self) -> None:
        """Record the state of the file: any later difference is another program's change."""
        found = os.fstat(self.file.descriptor)
        self._left = _version(found)
        self.facts = StoreStat(found.st_size)


def _version(facts: os.stat_result) -> tuple[int, int, int]:
    return facts.st_ino, facts.st_size, facts.st_mtime_ns


class _At(io.BytesIO):
    """A buffer for the bytes to write from a position of a file on."""

    def __init__(self, position: int) -> None:
        super().__init__()
        self._start = position

    def tell(self) -> int:
        return self._start + super().tell()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._start + super().seek(offset - self._start if whence == io.SEEK_SET else offset, whence)


def extent(info: zipfile.ZipInfo) -> int:
    """The bytes that a member may take in the file, according to the directory."""
    return _HEADER_NBYTES + _SLACK_NBYTES + _name_nbytes(info) + len(info.extra) + info.compress_size


def _entry_nbytes(info: zipfile.ZipInfo) -> int:
    """The maximum bytes of a member in the directory."""
    return _ENTRY_NBYTES + _name_nbytes(info) + len(info.extra) + len(info.comment)


def _name_nbytes(info: zipfile.ZipInfo) -> int:
    return len(info.filename.encode("utf-8", "surrogatepass"))


def _whole_pages(nbytes: int) -> int:
    return -(-nbytes // _PAGE) * _PAGE


def _busy(url: str) -> StoreError:
    return StoreError(f"{url} is being written by another process: try again when it has finished", url=url)
