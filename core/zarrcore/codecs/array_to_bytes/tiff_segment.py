"""``tiff.segment``: a tile or strip of a TIFF file, decoded by the package tifffile with imagecodecs.

"TIFF Revision 6.0", and what its extensions add. The configuration has the tags of the page that decide how it is decoded. They
are put together as a file of one segment here, since tifffile decodes segments of files. Internal name, never written to a store.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import io
import math
import struct
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Self

import numpy as np

from zarrcore.codecs.array_to_bytes.bytes import BytesCodec
from zarrcore.codecs.array_to_bytes.tiff_faxes import FAXES, decoded_fax
from zarrcore.codecs.array_to_bytes.tiff_images import HEADERS, check_size, unpacked_lerc
from zarrcore.codecs.array_to_bytes.tiff_streams import first_bytes
from zarrcore.codecs.imagecodecs_package import imagecodecs_package
from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer, NativeCodecs
from zarrcore.codecs.optional_package import failure, optional_package
from zarrcore.codecs.parameters import boolean, choice, known
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata.named_configuration import integers
from zarrcore.typing import AnyArray

_WIDTH, _LENGTH, _DEPTH = 256, 257, 32997
_TILE_WIDTH, _TILE_LENGTH, _TILE_DEPTH = 322, 323, 32998
_SAMPLES, _ROWS, _PLANES = 277, 278, 284
_STRIP_PLACES, _TILE_PLACES = (273, 279), (324, 325)
_TABLES, _NODATA = 347, 42113
_LONG, _ASCII, _UNDEFINED = 4, 2, 7
_SHORT = 3
_MAX_TAGS: Final = 64
_KEPT: Final = 8
_BITS, _COMPRESSION, _FILL_ORDER = 258, 259, 266
_FAX_OPTIONS: Final = {3: 292, 4: 293}
_LERC: Final = 34887
_PREDICTOR: Final = 317
_NATIVE: Final = {8: "zlib", 32946: "zlib", 50000: "zstd"}
"""The compressions that the engine decodes."""
_JFIF: Final = b"\xff\xd8\xff\xe0\0\x10JFIF\0\0\0\0\0\0"


class TiffSegmentCodec(ArrayToBytesCodec):
    """A segment with the dimensions depth, length, width and samples, of which those of one element may be missing."""

    names: ClassVar[tuple[str, ...]] = ("tiff.segment",)

    def __init__(
        self,
        byteorder: str,
        tags: Mapping[int, tuple[int, ...]],
        texts: Mapping[int, bytes],
        header: bytes | None,
        *,
        is_jfif: bool,
        rest: tuple[int, int] | None = None,
    ) -> None:
        self._order = byteorder
        self._tags = dict(tags)
        self._texts = dict(texts)
        self._header = header
        self._is_jfif = is_jfif
        self._rest = rest or (self._one(_TILE_LENGTH), self._one(_TILE_WIDTH))
        self._module: Any = optional_package("tifffile", self.name, "tiff")
        self._lock = threading.Lock()
        self._pages: OrderedDict[tuple[int, ...], Any] = OrderedDict()

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "byteorder", "tags", "jpeg_tables", "jpeg_header", "jfif", "nodata", "rest")
        order = "<" if choice(configuration, "byteorder", ("little", "big"), None) == "little" else ">"
        told = configuration.get("tags")
        if not isinstance(told, Mapping) or len(told) > _MAX_TAGS:
            raise MetadataError("expected an object of tags", member="tags")
        tags = {}
        for code, numbers in told.items():
            is_right = code.isdecimal() and isinstance(numbers, list) and 0 < len(numbers) <= 1 << 16
            if (
                not is_right
                or not all(type(n) is int and 0 <= n < 2**32 for n in numbers)
                or int(code) >= 2**16
            ):
                raise MetadataError("expected numbers of 32 bits", member=f"tags.{code}")
            tags[int(code)] = tuple(numbers)
        texts = {}
        tables = _binary(configuration, "jpeg_tables")
        if tables is not None:
            texts[_TABLES] = tables
        nodata = configuration.get("nodata")
        if nodata is not None:
            texts[_NODATA] = str(nodata).encode("ascii", "replace") + b"\0"
        header = _binary(configuration, "jpeg_header")
        rest = None
        if "rest" in configuration:
            told_rest = integers(configuration["rest"], "rest", minimum=1)
            if len(told_rest) != 2:
                raise MetadataError(f"expected 2 lengths, found {len(told_rest)}", member="rest")
            rest = told_rest[0], told_rest[1]
        return cls(order, tags, texts, header, is_jfif=boolean(configuration, "jfif", False), rest=rest)

    def _one(self, code: int, default: int = 1) -> int:
        return self._tags.get(code, (default,))[0]

    def _size(self, spec: ArraySpec) -> tuple[int, int, int, int]:
        """Depth, length, width and samples of the segment of an array.

        Raises:
            MetadataError: they differ.
        """
        samples = self._one(_SAMPLES) if self._one(_PLANES) == 1 else 1
        if _TILE_WIDTH in self._tags:
            size = (self._one(_TILE_DEPTH), self._one(_TILE_LENGTH), self._one(_TILE_WIDTH), samples)
        else:
            row = max(1, self._one(_WIDTH) * samples)
            size = (1, spec.size // row, self._one(_WIDTH), samples)
        if math.prod(size) != spec.size or not spec.size:
            raise MetadataError(f"segments of {size} are no chunks of shape {spec.shape}", member=self.name)
        return size

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        self._size(spec)
        return 4 * spec.nbytes + (1 << 20)

    def native_chain(self, spec: ArraySpec) -> tuple[ArrayToBytesCodec, NativeCodecs] | None:
        name, itemsize = _NATIVE.get(self._one(_COMPRESSION)), spec.dtype.itemsize
        if name is None or self._one(_FILL_ORDER) != 1 or set(self._tags.get(_BITS, (1,))) != {8 * itemsize}:
            return None
        chain: list[tuple[str, dict[str, int | bytes]]] = [(name, {})]
        predictor = self._one(_PREDICTOR)
        if predictor == 2 and spec.dtype.kind in "iu" and (self._order == "<" or itemsize == 1):
            _, _, width, samples = self._size(spec)
            row_nbytes = width * samples * itemsize
            chain.insert(
                0, ("differences", {"width": itemsize, "block_nbytes": row_nbytes, "samples": samples})
            )
        elif predictor != 1:
            return None
        return BytesCodec("little" if self._order == "<" else "big"), chain

    def _page(
        self, size: tuple[int, int, int, int], inside: tuple[int, int, int, int], *, plain: bool = False
    ) -> Any:
        """The page of one segment, and of the part of it that is inside of the page; of a decompressed segment if it is plain."""
        key = (size[1], *inside[1:3], plain)
        with self._lock:
            page = self._pages.get(key)
            if page is None:
                file = self._module.TiffFile(io.BytesIO(self._file(inside, plain=plain)))
                page = self._pages[key] = file.pages[0]
                page.decode  # noqa: B018 - prepares the decoder, for all threads
                if len(self._pages) > _KEPT:
                    self._pages.popitem(last=False)
            return page

    def _file(self, size: tuple[int, int, int, int], *, plain: bool) -> bytes:
        """A file whose only page has one segment, without its bytes."""
        depth, length, width, _ = size
        tags: dict[int, tuple[int, tuple[int, ...] | bytes]] = {
            code: (_SHORT if max(numbers) < 2**16 else _LONG, numbers) for code, numbers in self._tags.items()
        }
        tags |= {
            code: (_ASCII if code == _NODATA else _UNDEFINED, text) for code, text in self._texts.items()
        }
        tags |= {_WIDTH: (_LONG, (width,)), _LENGTH: (_LONG, (length,))}
        if depth > 1:
            tags[_DEPTH] = (_LONG, (depth,))
        if plain:
            tags[_COMPRESSION] = (_SHORT, (1,))
        is_tiled = _TILE_WIDTH in self._tags
        if not is_tiled:
            tags[_ROWS] = (_LONG, (length,))
        count = self._one(_SAMPLES) if self._one(_PLANES) == 2 else 1
        places, counts = _TILE_PLACES if is_tiled else _STRIP_PLACES
        tags |= {places: (_LONG, (8,) * count), counts: (_LONG, (len(_JFIF),) * count)}
        return _written(self._order, tags, _JFIF if self._is_jfif else bytes(len(_JFIF)))

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        size = self._size(spec)
        more = {}
        if _TABLES in self._texts:
            more["jpegtables"] = self._texts[_TABLES]
        if self._header is not None:
            more["jpegheader"] = self._header
        value = bytes(encoded)
        compression = self._one(_COMPRESSION)
        try:
            if compression == _LERC:
                value = unpacked_lerc(value, spec.nbytes)
            check_size(value if self._header is None else self._header + value, compression, size)
        except ValueError as error:
            raise CodecError(str(error), codec=self.name) from error
        try:
            data = self._decoded(value, size, more)
        except Exception as error:
            raise failure(error, self.name, "the segment is broken: ") from error
        if data is None or data.dtype.newbyteorder("=") != spec.dtype.newbyteorder("="):
            found = "nothing" if data is None else str(data.dtype)
            raise CodecError(f"expected {spec.dtype}, found {found}", codec=self.name)
        whole: AnyArray = data
        if whole.size != spec.size:
            whole = self._padded(whole, size)
        return whole.reshape(spec.shape)

    def _decoded(self, value: bytes, size: tuple[int, int, int, int], more: dict[str, bytes]) -> Any:
        """A segment as tifffile decodes it. Some writers cut the last tiles where the page ends."""
        if self._one(_COMPRESSION) in FAXES:
            return self._fax(value, size)
        try:
            return self._page(size, size).decode(value, 0, **more)[0]
        except Exception:
            compression = self._one(_COMPRESSION)
            stream = None
            if self._one(_FILL_ORDER) == 1:
                stream = first_bytes(value, compression, self._nbytes(size))
            for inside in (size, *self._cut(size)):
                if stream is not None and len(stream) == self._nbytes(inside):
                    return self._page(size, inside, plain=True).decode(stream, 0)[0]
                # A decoder of a stream would return the beginning of a broken segment.
                if stream is None and compression in HEADERS and inside != size:
                    with contextlib.suppress(Exception):  # the first one is told
                        return self._page(size, inside).decode(value, 0, **more)[0]
            raise

    def _fax(self, value: bytes, size: tuple[int, int, int, int]) -> AnyArray:
        module: Any = imagecodecs_package(self.name)
        if self._one(_FILL_ORDER) == 2:
            value = module.bitorder_decode(value)
        compression = self._one(_COMPRESSION)
        options = self._one(_FAX_OPTIONS.get(compression, 0), 0)
        depth, length, width, samples = size
        return decoded_fax(module, value, compression, options, (depth * length, width * samples))

    def _cut(self, size: tuple[int, int, int, int]) -> list[tuple[int, int, int, int]]:
        """The sizes of a tile that is cut where the page ends."""
        if _TILE_WIDTH not in self._tags:
            return []
        depth, length, width, samples = size
        length_left, width_left = self._rest
        cuts = ((length_left, width), (length, width_left), (length_left, width_left))
        return [(depth, *cut, samples) for cut in cuts if cut != (length, width)]

    def _nbytes(self, size: tuple[int, int, int, int]) -> int:
        """The bytes of a segment of this size without compression: rows are whole bytes."""
        depth, length, width, samples = size
        return depth * length * (-(-width * samples * self._one(_BITS) // 8))

    def _padded(self, data: AnyArray, size: tuple[int, ...]) -> AnyArray:
        """The tile of an image that writers cut where the page ends."""
        if data.ndim != 4 or any(found > length for found, length in zip(data.shape, size, strict=True)):
            raise CodecError(f"expected a segment of shape {size}, found {data.shape}", codec=self.name)
        return np.pad(data, [(0, length - found) for found, length in zip(data.shape, size, strict=True)])


def _binary(configuration: Mapping[str, Any], name: str) -> bytes | None:
    value = configuration.get(name)
    if value is None:
        return None
    try:
        return base64.b64decode(value, validate=True)
    except (TypeError, ValueError, binascii.Error) as error:
        raise MetadataError("expected bytes in base64", member=name) from error


def _written(order: str, tags: Mapping[int, tuple[int, tuple[int, ...] | bytes]], data: bytes) -> bytes:
    """A classic TIFF file of one page with these tags, whose data are at byte 8."""
    directory = 8 + len(data) + len(data) % 2
    values = directory + 2 + 12 * len(tags) + 4
    entries, beyond = [], b""
    for code, (kind, told) in sorted(tags.items()):
        if isinstance(told, bytes):
            count, packed = len(told), told
        else:
            count, packed = (
                len(told),
                struct.pack(f"{order}{len(told)}{'H' if kind == _SHORT else 'I'}", *told),
            )
        if len(packed) > 4:
            place = struct.pack(f"{order}I", values + len(beyond))
            beyond += packed + bytes(len(packed) % 2)
        else:
            place = packed.ljust(4, b"\0")
        entries.append(struct.pack(f"{order}HHI", code, kind, count) + place)
    head = (b"II" if order == "<" else b"MM") + struct.pack(f"{order}HI", 42, directory)
    body = struct.pack(f"{order}H", len(entries)) + b"".join(entries) + bytes(4)
    return head + data.ljust(directory - 8, b"\0") + body + beyond
