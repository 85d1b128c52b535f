"""Changing zip files: a copy beside the file takes the changes and replaces it when it is closed.

Nothing else is atomic: members appended in place overwrite the directory at the end of the file, so one who is
killed before the new directory is written leaves no zip file at all. What is replaced or erased keeps its bytes in
the file, as zip programs do, until somebody packs it anew.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
import zipfile
from typing import Final

from isal import isal_zlib

from zarrcore.errors import InvalidKeyError, StoreError
from zarrcore.stores.atomic_files import remove_abandoned, temporary_name, unlink
from zarrcore.stores.beneath import DIRECTORY
from zarrcore.stores.files import LARGEST_READ, file_failure, read_range
from zarrcore.stores.interface import ByteRange, BytesLike, StoreStat
from zarrcore.stores.local import LocalStore
from zarrcore.stores.zip_members import ZipMembers

EMPTY_ZIP: Final = b"PK\x05\x06" + bytes(18)
"""A zip file without members."""

_MODE: Final = 0o100644 << 16


_LONGEST_NAME: Final = 2**16 - 1


def check_name(key: str, url: str) -> None:
    """Refuse what no member can be named.

    Raises:
        InvalidKeyError: it is too long, or holds half a surrogate pair.
    """
    try:
        fitting = len(key.encode()) <= _LONGEST_NAME
    except UnicodeEncodeError:
        fitting = False
    if not fitting:
        shown = repr(key if len(key) < 100 else key[:100] + "…")
        raise InvalidKeyError(f"{shown} in {url}: a zip file can hold no such name", key=key, url=url)


class _Copy:
    """The file that takes the changes; its descriptor closes when the last reader lets go."""

    def __init__(self, source: LocalStore, key: str) -> None:
        parent, _, self.name = os.path.join(source.root, key).rpartition("/")
        self.temporary = temporary_name()
        self.directory = os.open(parent or "/", DIRECTORY)
        remove_abandoned(self.directory)
        place = f"{parent}/{self.temporary}"
        try:
            shutil.copy(f"{parent}/{self.name}", place)  # with the permissions
            self.descriptor = os.open(place, os.O_RDWR | os.O_CLOEXEC)
        except BaseException:
            unlink(self.directory, self.temporary)
            raise

    def __del__(self) -> None:
        for name in ("directory", "descriptor"):
            if name in self.__dict__:
                os.close(self.__dict__.pop(name))

    def fetch(self, start: int, stop: int) -> BytesLike:
        return read_range(self.descriptor, ByteRange(start, stop)) or b""

    def write(self, position: int, *parts: BytesLike) -> int:
        """Write at a position; returns where that ends."""
        for part in parts:
            rest = memoryview(part).cast("B")
            while len(rest):
                done = os.pwrite(self.descriptor, rest[:LARGEST_READ], position)
                rest, position = rest[done:], position + done
        return position


class ZipDraft(ZipMembers):
    """A zip file with changes that nobody else sees yet: the directory of its copy.

    Args:
        source: the directory in which the file is.
        key: its name there.
        facts: what was known of it before.
        url: what to call it in errors.

    Raises:
        BrokenBodyError: it is no zip file.
        StoreError: there is no room for the copy, or it may not be made.
    """

    def __init__(self, source: LocalStore, key: str, facts: StoreStat, url: str) -> None:
        self._source, self._key, self.url = source, key, url
        self._process = os.getpid()
        self._writing = threading.Lock()
        self._before = facts
        self._done = True  # until there is something that can be discarded
        try:
            self._copy = _Copy(source, key)
        except OSError as error:
            raise file_failure(error, None, url) from error
        self._done = False
        try:
            super().__init__(self._copy.fetch, StoreStat(os.fstat(self._copy.descriptor).st_size), url)
        except BaseException:
            self.discard()
            raise
        self._position = self.end if self._members_end() <= self.end else self.facts.size

    def _members_end(self) -> int:
        """Where the last member can end at the least: one who made the file by hand may have put it anywhere."""
        return max((info.header_offset + info.compress_size for info in self._all()), default=0)

    def _all(self) -> list[zipfile.ZipInfo]:
        return [*self.unsafe, *self.members.values()]

    def put(self, key: str, value: BytesLike, *, if_absent: bool) -> bool:
        """Add a member, in place of one of this name; False where there is one and must not be replaced."""
        data = memoryview(value).cast("B")
        info = zipfile.ZipInfo(key, time.localtime()[:6])
        info.external_attr = _MODE
        info.file_size = info.compress_size = len(data)
        info.CRC = isal_zlib.crc32(data)
        with self._writing:
            self._check_open()
            if if_absent and key in self.members:
                return False
            info.header_offset = self._position
            header = info.FileHeader()
            try:
                self._position = self._copy.write(self._position, header, data)
            except OSError as error:
                raise file_failure(error, key, self.url) from error
            # Else a reader finds it beyond the end.
            self.facts = StoreStat(max(self.facts.size, self._position))
            self.offsets[key] = info.header_offset + len(header)
            self.last = None
            if key not in self.members:
                self._sorted = None
            self.members[key] = info
        return True

    def erase(self, key: str) -> None:
        """Take a member out of the directory."""
        with self._writing:
            self._check_open()
            self.last = self._sorted = None
            self.members.pop(key, None)
            self.offsets.pop(key, None)

    def commit(self) -> None:
        """Put the copy in the file's place; once.

        Raises:
            StoreError: somebody else changed the file meanwhile, or there is no room for the directory.
        """
        with self._writing:
            if self._done or os.getpid() != self._process:
                return
            if self._source.stat(self._key) != self._before:
                self.discard()
                raise StoreError(
                    f"{self.url} was changed by somebody else meanwhile; what was written here is discarded",
                    url=self.url,
                )
            try:
                self._write_directory()
                copy = self._copy
                os.replace(copy.temporary, copy.name, src_dir_fd=copy.directory, dst_dir_fd=copy.directory)
                if self._source.durable:
                    os.fsync(copy.directory)
            except OSError as error:
                raise file_failure(error, None, self.url) from error
            self._done = True

    @property
    def done(self) -> bool:
        """Whether the changes were stored or discarded."""
        return self._done

    def discard(self) -> None:
        """Forget the changes."""
        if not self._done:
            self._done = True
            unlink(self._copy.directory, self._copy.temporary)

    def _write_directory(self) -> None:
        with open(self._copy.descriptor, "r+b", closefd=False) as file:
            file.seek(self._position)
            # Told to begin a file here, zipfile writes nothing but the directory of what it takes for written.
            with zipfile.ZipFile(file, "w") as archive:
                archive.filelist = self._all()
                archive.comment = self.comment
            file.truncate()
            file.flush()
            if self._source.durable:
                os.fsync(file.fileno())

    def _check_open(self) -> None:
        if self._done:
            raise StoreError(f"{self.url}: its changes were discarded or stored already", url=self.url)
        if os.getpid() != self._process:
            raise StoreError(
                f"{self.url} cannot be written in a process that was forked while it was being written",
                url=self.url,
            )
