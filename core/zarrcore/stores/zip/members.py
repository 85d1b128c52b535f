"""The values of a zip file's members, fetched by range, decompressed and checked."""

from __future__ import annotations

import struct
import zipfile
from typing import Final

from isal import igzip_lib, isal_zlib

from zarrcore.errors import BrokenBodyError, StoreError, UnsupportedError
from zarrcore.stores.interface import BytesLike
from zarrcore.stores.zip.compression import DEFLATED, LARGEST_RATIO, METHODS, STORED, method_name, unpack
from zarrcore.stores.zip.directory import ZipDirectory, member_name

_LOCAL_HEADER: Final = struct.Struct("<4s2xH18xHH")
_LOCAL_SIGNATURE: Final = b"PK\x03\x04"
_SLACK: Final = 64
"""A local header may have more extra fields than the directory shows; this many extra bytes are fetched with it."""

_ENCRYPTED: Final = 0x1

_PIECE: Final = 256 * 1024
"""The minimum bytes to fetch if only the beginning of a deflated member is wanted."""


class ZipMembers(ZipDirectory):
    """The directory of a zip file, and access to its members' bytes."""

    def part(self, key: str, member: zipfile.ZipInfo, start: int, stop: int) -> BytesLike:
        if member.compress_type == STORED:
            offset = self.offset(key, member)
            return self._fetch(offset + start, offset + stop)
        last = self.last
        if last is None or last[0] != key:
            if start == 0 and stop < member.file_size and member.compress_type == DEFLATED:
                return self._head(key, member, stop)
            last = self.last = (key, bytes(self.value(key, member)))
        return memoryview(last[1])[start:stop]

    def value(self, key: str, member: zipfile.ZipInfo) -> BytesLike:
        """The whole value of a member, checked."""
        try:
            value = unpack(member.compress_type, self._packed(key, member), member.file_size)
        except ValueError as error:
            raise self._broken(key, str(error)) from error
        if len(value) != member.file_size:
            raise self._broken(
                key, f"{member.file_size} bytes were announced, {len(value)} or more were found"
            )
        if isal_zlib.crc32(value) != member.CRC:
            raise self._broken(key, "its checksum differs from the one in the zip directory")
        return value

    def _head(self, key: str, member: zipfile.ZipInfo, size: int) -> BytesLike:
        """The first bytes of a deflated member, for which there is no checksum."""
        decoder = isal_zlib.decompressobj(-15)
        start = self.offset(key, member)
        end = start + member.compress_size
        value = bytearray()
        while len(value) < size:
            if start == end or decoder.eof:
                raise self._broken(key, f"{member.file_size} bytes were announced, {len(value)} were found")
            stop = min(end, start + max(_PIECE, size - len(value)))
            try:
                value += decoder.decompress(self._fetch(start, stop), size - len(value))
            except igzip_lib.IsalError as error:  # type: ignore[misc]  # the stub declares a function
                raise self._broken(key, str(error)) from error
            start = stop
        return memoryview(value).toreadonly()

    def check_readable(self, key: str, member: zipfile.ZipInfo) -> None:
        if member.flag_bits & _ENCRYPTED:
            raise UnsupportedError("zip member", key, f"in {self.url} is encrypted; unpack the file first")
        if member.compress_type not in METHODS:
            name = method_name(member.compress_type)
            raise UnsupportedError(
                "zip compression",
                name,
                f"of {key} in {self.url} is not supported; recompress the file without it",
            )
        if member.compress_type == STORED and member.file_size != member.compress_size:
            raise self._broken(key, "it is stored, but its two sizes differ")
        if member.compress_type == DEFLATED and member.file_size > member.compress_size * LARGEST_RATIO:
            raise self._broken(key, f"{member.compress_size} bytes cannot hold {member.file_size}")
        if member.header_offset + member.compress_size > self.facts.size:
            raise self._broken(key, "the zip file ends too early to hold it")

    def _packed(self, key: str, member: zipfile.ZipInfo) -> memoryview:
        """The bytes of a member as stored in the file, in one request with its header."""
        start, size = member.header_offset, member.compress_size
        guess = start + _LOCAL_HEADER.size + _name_size(member) + len(member.extra) + _SLACK + size
        block = self._fetch(start, guess, may_be_short=True)
        offset = self._header_size(key, member, block)
        if len(block) < offset + size:
            return self._fetch(start + offset, start + offset + size)
        return block[offset : offset + size]

    def offset(self, key: str, member: zipfile.ZipInfo) -> int:
        """The start of a member's bytes in the file."""
        start = member.header_offset
        offset = self.offsets.get((key, start))
        if offset is None:
            header = self._fetch(start, start + _LOCAL_HEADER.size + _name_size(member), may_be_short=True)
            offset = start + self._header_size(key, member, header)
            self.offsets[key, start] = offset
        return offset

    def _header_size(self, key: str, member: zipfile.ZipInfo, block: memoryview) -> int:
        """The length of the header, after a check that it belongs to the member: the file may be replaced or malicious."""
        if len(block) < _LOCAL_HEADER.size:
            raise self._broken(key, "the zip file ends before it")
        signature, flags, name_size, extra_size = _LOCAL_HEADER.unpack_from(block)
        name = bytes(block[_LOCAL_HEADER.size : _LOCAL_HEADER.size + name_size])
        if signature != _LOCAL_SIGNATURE or member_name(name, flags) != member.filename:
            raise self._broken(key, "it does not begin where the zip directory says")
        return int(_LOCAL_HEADER.size + name_size + extra_size)

    def _fetch(self, start: int, stop: int, *, may_be_short: bool = False) -> memoryview:
        if start < 0:
            raise self._broken("", "its directory points before its beginning")
        block = self.fetch(start, stop)
        if len(block) < stop - start and not may_be_short:
            raise self._broken("", f"it ends {stop - start - len(block)} bytes too early")
        return memoryview(block)

    def _broken(self, key: str, reason: str) -> StoreError:
        what = f"{key} in {self.url}" if key else self.url
        return BrokenBodyError(f"{what}: {reason}", key=key or None, url=self.url)


def _name_size(member: zipfile.ZipInfo) -> int:
    """The maximum bytes of a member's name."""
    return len(member.orig_filename.encode("utf-8", errors="replace"))
