"""The journal: values appended to a zip file after its last directory, which are recovered if the writer is killed.

While a file is written it looks like this, from its beginning to its end::

    zip file as it was | records | zeros, room for more records and the directory | trailer

A record is a member as in APPNOTE 4.3.7: a local header and the bytes of the value. Its header has an extra field with the
writer's random number combined with the record's position, so old bytes, or a zip file inside a value, are never mistaken for
a record. The record of an erased key has another extra field and no bytes. The trailer contains the start of the records
and the number. It is written before the first record and again before the file grows. So a file whose writer was killed
always ends in a trailer, and a truncated file never does. When the writer is done, a directory of all members replaces
the zeros, and the file is truncated after it: then it is an ordinary zip file.
"""

from __future__ import annotations

import secrets
import struct
import time
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

from isal import isal_zlib

from zarrcore.stores.interface import BytesLike
from zarrcore.stores.zip.compression import STORED

_TRAILER: Final = struct.Struct("<44sQQI")
_MAGIC: Final = b"This zip file is being written by zarrscope."

_EXTRA: Final = struct.Struct("<HHQ")
_VALUE: Final = 0x5A4A
_ERASED: Final = 0x5A45
"""Identifiers of zarrscope's extra fields, from the range that APPNOTE 4.5.2 leaves free."""
_ZIP64: Final = 0x0001

UTF_8: Final = 0x800
"""The flag of a member whose name is in UTF-8."""

_HEADER: Final = struct.Struct("<4s5H3L2H")
_SIGNATURE: Final = b"PK\x03\x04"
_UNKNOWN: Final = 0xFFFFFFFF
_MODE: Final = 0o100644 << 16

_AT_ONCE: Final = 1 << 18
"""Bytes to fetch at once in the search for records: more than the longest header."""
_CHECKED_AT_ONCE: Final = 1 << 24

TRAILER_NBYTES: Final = _TRAILER.size
"""64 bytes: a trailer never crosses a page of the file, so a killed writer leaves all or nothing of it."""


class Record(NamedTuple):
    """The change of one key."""

    key: str
    info: zipfile.ZipInfo | None
    """The member; None if the key was erased."""
    place: int
    """The start of the record."""
    offset: int
    """The start of the value's bytes."""


@dataclass(frozen=True, slots=True)
class Journal:
    """The start of a file's records, and the number that identifies them."""

    start: int
    """Bytes before the first record: the whole zip file that they change, or 0 if it had no members."""
    number: int
    """The writer's random number."""

    @classmethod
    def begun_at(cls, start: int) -> Self:
        """A new trailer."""
        return cls(start, secrets.randbits(64))

    @classmethod
    def told_by(cls, tail: bytes) -> Self | None:
        """The trailer at the end of a file; None if there is none."""
        if len(tail) < TRAILER_NBYTES:
            return None
        magic, start, number, checksum = _TRAILER.unpack(tail[-TRAILER_NBYTES:])
        if magic != _MAGIC or checksum != zlib.crc32(tail[-TRAILER_NBYTES:-4]):
            return None
        return cls(start, number)

    def trailer(self) -> bytes:
        """The end of the file."""
        unchecked = _TRAILER.pack(_MAGIC, self.start, self.number, 0)[:-4]
        return unchecked + struct.pack("<I", zlib.crc32(unchecked))

    def header(self, info: zipfile.ZipInfo, *, erased: bool = False) -> bytes:
        """The beginning of the record at ``info.header_offset``."""
        mark = _EXTRA.pack(_ERASED if erased else _VALUE, 8, self.number ^ info.header_offset)
        info.extra = mark
        mark_utf_8(info)
        try:
            return info.FileHeader()
        finally:
            info.extra = b""  # the directory does not need it

    def replay(self, fetch: Callable[[int, int], BytesLike], stop: int) -> tuple[list[Record], int]:
        """All complete records, and the end of the last one.

        Only the last record can be incomplete, which its checksum shows.

        Args:
            fetch: returns the bytes from a start to a stop.
            stop: the latest possible end of the records.
        """
        records: list[Record] = []
        block, block_start, position = b"", -1, self.start
        while True:
            found = self._record(block, position - block_start, position)
            if found is None and block_start != position < stop:
                block, block_start = bytes(fetch(position, min(stop, position + _AT_ONCE))), position
            elif found is None or found[1] > stop:
                break
            else:
                records.append(found[0])
                position = found[1]
        if records and not _is_complete(fetch, records[-1]):
            position = records.pop().place
        return records, position

    def _record(self, block: bytes, at: int, position: int) -> tuple[Record, int] | None:
        """The record that begins in a block, and its end in the file; None if the block does not contain its whole header."""
        if len(block) - at < _HEADER.size:
            return None
        header = _HEADER.unpack_from(block, at)
        signature, _, _, method, clock, date, checksum, packed, size, name_nbytes, extra_nbytes = header
        stop = at + _HEADER.size + name_nbytes + extra_nbytes
        if signature != _SIGNATURE or method != STORED or stop > len(block):
            return None
        extra = _extra_fields(block[stop - extra_nbytes : stop])
        mark = struct.pack("<Q", self.number ^ position)
        if size == _UNKNOWN and len(extra.get(_ZIP64, b"")) >= 16:
            size, packed = struct.unpack_from("<QQ", extra[_ZIP64])
        offset = position + stop - at
        try:
            key = block[at + _HEADER.size : stop - extra_nbytes].decode()
        except UnicodeDecodeError:
            return None
        if extra.get(_ERASED) == mark:
            return Record(key, None, position, offset), offset
        if extra.get(_VALUE) != mark or packed != size:
            return None
        info = zipfile.ZipInfo(
            key,
            (
                (date >> 9) + 1980, date >> 5 & 15, date & 31,
                clock >> 11, clock >> 5 & 63, (clock & 31) * 2,
            ),
        )  # fmt: skip
        info.external_attr = _MODE
        info.CRC, info.file_size, info.compress_size = checksum, size, size
        info.header_offset = position
        return Record(key, info, position, offset), offset + size


def new_member(key: str, data: memoryview, offset: int) -> zipfile.ZipInfo:
    """A new member whose header will be at an offset of the file."""
    info = zipfile.ZipInfo(key, time.localtime()[:6])
    info.external_attr = _MODE
    info.file_size = info.compress_size = len(data)
    info.CRC = isal_zlib.crc32(data)
    info.header_offset = offset
    return info


def mark_utf_8(info: zipfile.ZipInfo) -> None:
    """Let `zipfile` write the name in UTF-8: since Python 3.14 it prefers code page 437 for an unmarked name."""
    if not info.filename.isascii():
        info.flag_bits |= UTF_8


def _extra_fields(block: bytes) -> dict[int, bytes]:
    fields: dict[int, bytes] = {}
    at = 0
    while at + 4 <= len(block):
        identifier, nbytes = struct.unpack_from("<HH", block, at)
        fields[identifier] = block[at + 4 : at + 4 + nbytes]
        at += 4 + nbytes
    return fields


def _is_complete(fetch: Callable[[int, int], BytesLike], record: Record) -> bool:
    info = record.info
    if info is None:
        return True
    checksum, stop = 0, record.offset + info.file_size
    for start in range(record.offset, stop, _CHECKED_AT_ONCE):
        checksum = isal_zlib.crc32(fetch(start, min(stop, start + _CHECKED_AT_ONCE)), checksum)
    return checksum == info.CRC
