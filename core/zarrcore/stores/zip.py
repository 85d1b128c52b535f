"""The members of a zip file, wherever it lies: only its directory and the members asked for are fetched."""

from __future__ import annotations

import bisect
import io
import struct
import threading
import time
import zipfile
from collections.abc import Hashable, Iterator
from typing import Any, Final

from isal import igzip_lib, isal_zlib

from zarrcore.errors import BrokenBodyError, InvalidKeyError, StoreError, StoreNotFoundError, UnsupportedError
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
    check_key,
)
from zarrcore.stores.keys import check_prefix, join_url

_TAIL: Final = 64 * 1024
"""Bytes fetched from the end at first: the end record, and the whole directory of a small file."""

_LOCAL_HEADER: Final = struct.Struct("<4s22xHH")
_LOCAL_SIGNATURE: Final = b"PK\x03\x04"
_SLACK: Final = 64
"""A local header may hold more extra fields than the directory tells; this much more is fetched along."""

_ENCRYPTED: Final = 0x1
_LARGEST_RATIO: Final = 1032
"""What deflate can compress at most; a member that claims more is no deflate stream."""

_METHODS: Final = {12: "bzip2", 14: "lzma", 93: "zstd", 95: "xz", 98: "ppmd"}


class ZipStore(ReadableStore, ListableStore):
    """A zip file as a store. Nothing is read before the first request, and its directory only once.

    Members whose names lead elsewhere (``..``, absolute ones) are left out. Members are stored or deflated.

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
        self._members: dict[str, zipfile.ZipInfo] | None = None
        self._sorted: list[str] = []
        self._offsets: dict[str, int] = {}
        self._last: tuple[str, bytes] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    @property
    def identity(self) -> Hashable:
        return self.source.identity, self.key

    def close(self) -> None:
        self.source.close()

    def get(self, key: str, byte_range: ByteRange | None = None) -> BytesLike | None:
        member = self._member(key)
        if member is None:
            return None
        if byte_range is None:
            return self._decoded(key, member)
        start, stop = byte_range.resolve(member.file_size)
        if stop <= start:
            return b""
        if member.compress_type == zipfile.ZIP_STORED:
            self._check_readable(key, member)
            offset = self._offset(key, member)
            return self._fetch(offset + start, offset + stop)
        last = self._last
        if last is None or last[0] != key:
            # Parts of one deflated member are mostly asked for one after another.
            last = self._last = (key, bytes(self._decoded(key, member)))
        return memoryview(last[1])[start:stop]

    def stat(self, key: str) -> StoreStat | None:
        member = self._member(key)
        if member is None:
            return None
        etag = f"{member.CRC:08x}-{member.file_size:x}"
        return StoreStat(member.file_size, _mtime_s(member), etag)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        members = self._directory()
        for index in range(bisect.bisect_left(self._sorted, prefix), len(self._sorted)):
            key = self._sorted[index]
            if not key.startswith(prefix):
                return
            yield StoreEntry(key, members[key].file_size, _mtime_s(members[key]))

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_prefix(prefix, self.url)
        members = self._directory()
        index = bisect.bisect_left(self._sorted, prefix)
        while index < len(self._sorted) and self._sorted[index].startswith(prefix):
            key = self._sorted[index]
            name, slash, _ = key[len(prefix) :].partition("/")
            if slash:
                yield StoreEntry(f"{prefix}{name}/")
                # "0" is the character after "/": what it finds is the first key after all under this prefix.
                index = bisect.bisect_left(self._sorted, f"{prefix}{name}0", lo=index)
            else:
                yield StoreEntry(key, members[key].file_size, _mtime_s(members[key]))
                index += 1

    def _member(self, key: str) -> zipfile.ZipInfo | None:
        check_key(key, self.url)
        member = self._directory().get(key)
        if member is None and not _is_safe(key):
            raise InvalidKeyError(f"key {key!r} leads elsewhere", key=key, url=self.url)
        return member

    def _directory(self) -> dict[str, zipfile.ZipInfo]:
        with self._lock:
            if self._members is None:
                members = {info.filename: info for info in self._read_directory() if not info.is_dir()}
                self._members = {name: info for name, info in members.items() if _is_safe(name)}
                self._sorted = sorted(self._members)
            return self._members

    def _read_directory(self) -> list[zipfile.ZipInfo]:
        facts = self.source.stat(self.key)
        if facts is None:
            raise StoreNotFoundError(f"there is no file {self.url}", url=self.url)
        file = _RangedFile(self, facts.size)
        try:
            with zipfile.ZipFile(file) as archive:
                return archive.infolist()
        except (
            zipfile.BadZipFile,
            struct.error,
            ValueError,
            OverflowError,
            EOFError,
            NotImplementedError,
        ) as error:
            if (
                file.failure is not None
            ):  # zipfile takes an OSError while it looks for the end for "no zip file"
                raise file.failure from None
            raise BrokenBodyError(
                f"{self.url} is no zip file, or one that was cut off: {error}", url=self.url
            ) from error

    def _decoded(self, key: str, member: zipfile.ZipInfo) -> BytesLike:
        """The whole value of a member, checked."""
        self._check_readable(key, member)
        value: BytesLike = self._packed(key, member)
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

    def _check_readable(self, key: str, member: zipfile.ZipInfo) -> None:
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

    def _packed(self, key: str, member: zipfile.ZipInfo) -> memoryview:
        """The bytes of a member as they are in the file, with its header in the same request."""
        name_size = len(member.orig_filename.encode("utf-8", errors="replace"))
        start, size = member.header_offset, member.compress_size
        guess = start + _LOCAL_HEADER.size + name_size + len(member.extra) + _SLACK + size
        block = self._fetch(start, guess, may_be_short=True)
        offset = self._header_size(key, block)
        if len(block) < offset + size:
            return self._fetch(start + offset, start + offset + size)
        return block[offset : offset + size]

    def _offset(self, key: str, member: zipfile.ZipInfo) -> int:
        """Where the bytes of a member begin in the file."""
        offset = self._offsets.get(key)
        if offset is None:
            start = member.header_offset
            offset = start + self._header_size(key, self._fetch(start, start + _LOCAL_HEADER.size))
            self._offsets[key] = offset
        return offset

    def _header_size(self, key: str, block: memoryview) -> int:
        if len(block) < _LOCAL_HEADER.size:
            raise self._broken(key, "the zip file ends before it")
        signature, name_size, extra_size = _LOCAL_HEADER.unpack_from(block)
        if signature != _LOCAL_SIGNATURE:
            raise self._broken(key, "no member begins where the zip directory says")
        return int(_LOCAL_HEADER.size + name_size + extra_size)

    def _fetch(self, start: int, stop: int, *, may_be_short: bool = False) -> memoryview:
        if start < 0:
            raise self._broken(self.key, "its directory points before its beginning")
        block = self.source.get(self.key, ByteRange(start, stop))
        if block is None:
            raise StoreNotFoundError(f"there is no file {self.url} any more", url=self.url)
        if len(block) < stop - start and not may_be_short:
            raise self._broken(self.key, f"it ends {stop - start - len(block)} bytes too early")
        return memoryview(block)

    def _broken(self, key: str, reason: str) -> StoreError:
        return BrokenBodyError(f"{key} in {self.url}: {reason}", key=key, url=self.url)


class _RangedFile(io.RawIOBase):
    """A zip file as the seekable file that `zipfile` reads the directory from; its end is fetched once."""

    def __init__(self, store: ZipStore, size: int) -> None:
        self.failure: StoreError | None = None
        self._store = store
        self._size = size
        self._position = 0
        self._tail_start = max(0, size - _TAIL)
        self._tail: BytesLike | None = None

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
            return self._store._fetch(start, stop)  # noqa: SLF001 - the two are one
        if self._tail is None:
            self._tail = self._store._fetch(self._tail_start, self._size)  # noqa: SLF001 - the two are one
        return memoryview(self._tail)[start - self._tail_start : stop - self._tail_start]


def _is_safe(name: str) -> bool:
    return not name.startswith("/") and "\0" not in name and not {".", ".."} & set(name.split("/"))


def _mtime_s(member: zipfile.ZipInfo) -> float | None:
    """The member's date, which is written without a time zone and taken as local time, as all programs do."""
    try:
        return time.mktime((*member.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return None
