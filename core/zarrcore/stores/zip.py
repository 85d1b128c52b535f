"""The members of a zip file, wherever it lies: only its directory and the members asked for are fetched."""

from __future__ import annotations

import bisect
import struct
import threading
import time
import weakref
import zipfile
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Final

from isal import igzip_lib, isal_zlib

from zarrcore.errors import (
    BodyTooLargeError,
    BrokenBodyError,
    InvalidKeyError,
    ReadOnlyError,
    StoreError,
    StoreNotFoundError,
    UnsupportedError,
)
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
    WritableStore,
)
from zarrcore.stores.keys import check_key, check_prefix, join_url
from zarrcore.stores.local import LocalStore
from zarrcore.stores.zip_directory import ZipDirectory, is_safe
from zarrcore.stores.zip_writing import ZipDraft, check_name

_LOCAL_HEADER: Final = struct.Struct("<4s22xHH")
_LOCAL_SIGNATURE: Final = b"PK\x03\x04"
_SLACK: Final = 64
"""A local header may hold more extra fields than the directory tells; this much more is fetched along."""

_ENCRYPTED: Final = 0x1
_LARGEST_RATIO: Final = 1032
"""What deflate can compress at most; a member that claims more is no deflate stream."""

_PIECE: Final = 256 * 1024
"""Bytes to fetch at least when only the beginning of a deflated member is wanted."""

_METHODS: Final = {12: "bzip2", 14: "lzma", 93: "zstd", 95: "xz", 98: "ppmd"}


class ZipStore(ReadableStore, ListableStore, WritableStore):
    """A zip file as a store. Nothing is read before the first request.

    Its directory is read once, and again when a local file was replaced; a remote one would have to be asked each
    time. Members whose names lead elsewhere (``..``, absolute ones) are left out. Members are stored or deflated.

    A file on this machine can be written: a copy beside it takes the changes, which this store shows at once and
    others when it is closed and the copy replaces the file. One who is killed before that leaves the file as it was.

    Args:
        source: the store that holds the zip file.
        key: its key there.
        url: what to show; made from the store's without it.
    """

    def __init__(self, source: ReadableStore, key: str, url: str | None = None) -> None:
        self.source = source
        self.key = key
        self.url = url or join_url(source.url, key)
        self.is_remote = source.is_remote
        self.requests_in_flight = source.requests_in_flight
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._read: ZipDirectory | None = None
        self._draft: ZipDraft | None = None
        self._finalizer: weakref.finalize[Any, Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        if self._draft is not None:
            raise StoreError(
                f"{self.url} holds changes that other processes cannot see yet: close it first", url=self.url
            )
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    @property
    def identity(self) -> Hashable:
        return self.source.identity, self.key

    @property
    def read_only(self) -> bool:
        return not isinstance(self.source, LocalStore)

    def close(self) -> None:
        """Store what was changed, and give back files and connections.

        Raises:
            StoreError: somebody else changed the file meanwhile, or there is no room for it.
        """
        with self._lock:
            if self._draft is not None:
                draft = self._draft
                try:
                    draft.commit()
                finally:
                    if draft.done:  # else there was no room, and closing can be tried again
                        self._draft = None
                        if self._finalizer is not None:
                            self._finalizer.detach()
        self.source.close()

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        check_key(key, self.url)
        self._check_local(key)
        self._member(self._directory(), key)
        check_name(key, self.url)
        return self._changing(key).put(key, value, if_absent=if_absent)

    def erase(self, key: str) -> None:
        self._check_local(key)
        if self._member(self._directory(), key) is not None:
            self._changing(key).erase(key)

    def erase_values(self, keys: Iterable[str]) -> None:
        self._check_local("")
        super().erase_values(keys)

    def erase_prefix(self, prefix: str) -> None:
        self._check_local(prefix)
        super().erase_prefix(prefix)

    def _changing(self, key: str) -> ZipDraft:
        """The copy that takes changes until the store is closed, or let go."""
        source = self._check_local(key)
        with self._lock:
            if self._draft is None:
                self._draft = ZipDraft(source, self.key, self._facts(), self.url)
                self._finalizer = weakref.finalize(self, self._draft.commit)
            return self._draft

    def _check_local(self, key: str) -> LocalStore:
        if isinstance(self.source, LocalStore):
            return self.source
        raise ReadOnlyError(
            f"{f'{key} in ' if key else ''}{self.url} cannot be written: zip files are written on this machine's "
            "disks only; write one there and copy it, or write keys beside it"
        )

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        directory = self._directory()
        member = self._member(directory, key)
        if member is None:
            return None
        self._check_readable(directory, key, member)
        try:
            whole = byte_range is None
            start, stop = (
                (0, member.file_size) if byte_range is None else byte_range.resolve(member.file_size)
            )
            if max_nbytes is not None and stop - start > max_nbytes:
                raise BodyTooLargeError(stop - start, max_nbytes, key=key, url=self.url)
            if whole:
                return self._decoded(directory, key, member)
            return self._part(directory, key, member, start, stop) if stop > start else b""
        except (MemoryError, OverflowError) as error:
            raise StoreError(
                f"{key} in {self.url}: there is no memory for a value of {member.file_size} bytes",
                key=key,
                url=self.url,
            ) from error

    def _part(
        self, directory: ZipDirectory, key: str, member: zipfile.ZipInfo, start: int, stop: int
    ) -> BytesLike:
        if member.compress_type == zipfile.ZIP_STORED:
            offset = self._offset(directory, key, member)
            return self._fetch(directory, offset + start, offset + stop)
        last = directory.last
        if last is None or last[0] != key:
            if start == 0 and stop < member.file_size:
                return self._head(directory, key, member, stop)
            last = directory.last = (key, bytes(self._decoded(directory, key, member)))
        return memoryview(last[1])[start:stop]

    def stat(self, key: str) -> StoreStat | None:
        member = self._member(self._directory(), key)
        if member is None:
            return None
        etag = f"{member.CRC:08x}-{member.file_size:x}"
        return StoreStat(member.file_size, _mtime_s(member), etag)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        directory = self._directory()
        members, names = directory.members, directory.names
        for index in range(bisect.bisect_left(names, prefix), len(names)):
            key = names[index]
            if not key.startswith(prefix):
                return
            member = members.get(key)
            if member is not None:  # else it was erased meanwhile
                yield StoreEntry(key, member.file_size, _mtime_s(member))

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        directory = self._directory()
        members, names = directory.members, directory.names
        index = bisect.bisect_left(names, prefix)
        while index < len(names) and names[index].startswith(prefix):
            key = names[index]
            name, slash, _ = key[len(prefix) :].partition("/")
            if slash:
                yield StoreEntry(f"{prefix}{name}/")
                # "0" is the character after "/": what it finds is the first key after all under this prefix.
                index = bisect.bisect_left(names, f"{prefix}{name}0", lo=index)
            else:
                member = members.get(key)
                if member is not None:
                    yield StoreEntry(key, member.file_size, _mtime_s(member))
                index += 1

    def _member(self, directory: ZipDirectory, key: str) -> zipfile.ZipInfo | None:
        check_key(key, self.url)
        member = directory.members.get(key)
        if member is None and not is_safe(key):
            raise InvalidKeyError(f"key {key!r} leads elsewhere", key=key, url=self.url)
        return member

    def _directory(self) -> ZipDirectory:
        with self._lock:
            if self._draft is not None:
                return self._draft
            if self._read is None or not self.source.is_remote:
                facts = self._facts()
                if self._read is None or self._read.facts != facts:
                    self._read = ZipDirectory(self._fetch_stored, facts, self.url)
            return self._read

    def _facts(self) -> StoreStat:
        facts = self.source.stat(self.key)
        if facts is None:
            raise StoreNotFoundError(f"there is no file {self.url}", url=self.url)
        return facts

    def _decoded(self, directory: ZipDirectory, key: str, member: zipfile.ZipInfo) -> BytesLike:
        """The whole value of a member, checked."""
        value: BytesLike = self._packed(directory, key, member)
        if member.compress_type == zipfile.ZIP_DEFLATED:
            decoder = isal_zlib.decompressobj(-15)
            try:
                # One byte more than announced is enough to see that there is too much.
                value = decoder.decompress(value, member.file_size + 1)
            except igzip_lib.IsalError as error:  # type: ignore[misc]  # the stub declares a function
                raise self._broken(key, str(error)) from error
        if len(value) != member.file_size:
            raise self._broken(
                key, f"{member.file_size} bytes were announced, {len(value)} or more are there"
            )
        if isal_zlib.crc32(value) != member.CRC:
            raise self._broken(key, "its checksum differs from the one in the zip directory")
        return value

    def _head(self, directory: ZipDirectory, key: str, member: zipfile.ZipInfo, size: int) -> BytesLike:
        """The first bytes of a deflated member; there is no checksum of them."""
        decoder = isal_zlib.decompressobj(-15)
        start = self._offset(directory, key, member)
        end = start + member.compress_size
        value = bytearray()
        while len(value) < size:
            if start == end or decoder.eof:
                raise self._broken(key, f"{member.file_size} bytes were announced, {len(value)} are there")
            stop = min(end, start + max(_PIECE, size - len(value)))
            try:
                value += decoder.decompress(self._fetch(directory, start, stop), size - len(value))
            except igzip_lib.IsalError as error:  # type: ignore[misc]  # the stub declares a function
                raise self._broken(key, str(error)) from error
            start = stop
        return memoryview(value).toreadonly()

    def _check_readable(self, directory: ZipDirectory, key: str, member: zipfile.ZipInfo) -> None:
        if member.flag_bits & _ENCRYPTED:
            raise UnsupportedError("zip member", key, "is encrypted")
        if member.compress_type == zipfile.ZIP_STORED:
            if member.file_size != member.compress_size:
                raise self._broken(key, "it is stored, but its two sizes differ")
        elif member.compress_type == zipfile.ZIP_DEFLATED:
            if member.file_size > member.compress_size * _LARGEST_RATIO:
                raise self._broken(key, f"{member.compress_size} bytes cannot hold {member.file_size}")
        else:
            name = _METHODS.get(member.compress_type, str(member.compress_type))
            raise UnsupportedError("zip compression", name)
        if member.header_offset + member.compress_size > directory.facts.size:
            raise self._broken(key, "the zip file ends too early to hold it")

    def _packed(self, directory: ZipDirectory, key: str, member: zipfile.ZipInfo) -> memoryview:
        """The bytes of a member as they are in the file, with its header in the same request."""
        name_size = len(member.orig_filename.encode("utf-8", errors="replace"))
        start, size = member.header_offset, member.compress_size
        guess = start + _LOCAL_HEADER.size + name_size + len(member.extra) + _SLACK + size
        block = self._fetch(directory, start, guess, may_be_short=True)
        offset = self._header_size(key, block)
        if len(block) < offset + size:
            return self._fetch(directory, start + offset, start + offset + size)
        return block[offset : offset + size]

    def _offset(self, directory: ZipDirectory, key: str, member: zipfile.ZipInfo) -> int:
        """Where the bytes of a member begin in the file."""
        offset = directory.offsets.get(key)
        if offset is None:
            start = member.header_offset
            offset = start + self._header_size(key, self._fetch(directory, start, start + _LOCAL_HEADER.size))
            directory.offsets[key] = offset
        return offset

    def _header_size(self, key: str, block: memoryview) -> int:
        if len(block) < _LOCAL_HEADER.size:
            raise self._broken(key, "the zip file ends before it")
        signature, name_size, extra_size = _LOCAL_HEADER.unpack_from(block)
        if signature != _LOCAL_SIGNATURE:
            raise self._broken(key, "no member begins where the zip directory says")
        return int(_LOCAL_HEADER.size + name_size + extra_size)

    def _fetch(
        self, directory: ZipDirectory, start: int, stop: int, *, may_be_short: bool = False
    ) -> memoryview:
        if start < 0:
            raise self._broken(self.key, "its directory points before its beginning")
        block = directory.fetch(start, stop)
        if len(block) < stop - start and not may_be_short:
            raise self._broken(self.key, f"it ends {stop - start - len(block)} bytes too early")
        return memoryview(block)

    def _fetch_stored(self, start: int, stop: int) -> BytesLike:
        """Bytes of the file as it is stored."""
        block = self.source.get(self.key, ByteRange(start, stop))
        if block is None:
            raise StoreNotFoundError(f"there is no file {self.url} any more", url=self.url)
        return block

    def _broken(self, key: str, reason: str) -> StoreError:
        return BrokenBodyError(f"{key} in {self.url}: {reason}", key=key, url=self.url)


def _mtime_s(member: zipfile.ZipInfo) -> float | None:
    """The member's date, which is written without a time zone and taken as local time, as all programs do."""
    try:
        return time.mktime((*member.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return None
