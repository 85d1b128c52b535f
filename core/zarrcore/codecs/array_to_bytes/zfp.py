"""The ``zfp`` codec: arrays of numbers in blocks of four along each dimension, with or without loss.

Specification: the zarr-extensions registry, "zfp"; zfp's own manual, "Compression modes". Where the registry is silent, this
codec follows zarrs, which wrote the first such arrays: 64-bit times are integers. Unsigned integers of 32 and 64 bits would lose
values beyond the signed range, so such values are not written.

The library checks no bounds when it reads, and does not report how far it read. It therefore gets as many bytes as it can ever
read, twice, with different padding: if the padding changes the numbers, the chunk is too short.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.parameters import choice, integer, known, number
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.installation import how_to_add
from zarrcore.typing import AnyArray

_NATIVE = {"i1": "i4", "u1": "i4", "i2": "i4", "u2": "i4", "i4": "i4", "u4": "i4", "i8": "i8", "u8": "i8"}
_NATIVE |= {"f2": "f4", "f4": "f4", "f8": "f8", "M8": "i8", "m8": "i8"}
"""The library's type for each type that it stores directly."""
_MODES = {
    "reversible": None,
    "fixed_accuracy": "tolerance",
    "fixed_rate": "rate",
    "fixed_precision": "precision",
    "expert": None,
}
_EXPERT = ("minbits", "maxbits", "maxprec", "minexp")
_MIN_BITS, _MAX_BITS, _MAX_PRECISION, _MIN_EXPONENT = 1, 16658, 64, -1074
"""The library's parameters without any limit: `ZFP_MIN_BITS` and so on."""
_MAX_EXPONENT = 1023  # of a float
_HEAD_BITS = {"f4": 1 + 8, "f8": 1 + 11}
"""Bits of a block before its numbers: whether it is zero, and its exponent."""
_MAX_RATE = 4096.0
_MAX_BLOCK_BITS = 1 << 15
_HEADER_BITS = 148
"""Bits of the library's header in its long form. The bits of the numbers follow without a gap."""


def library(name: str) -> ModuleType:
    """The package zfpy.

    Raises:
        UnsupportedError: it is not installed.
    """
    if importlib.util.find_spec("zfpy") is None:
        raise UnsupportedError("codec", name, f"needs an optional dependency: {how_to_add('zfp')}")
    import zfpy

    return zfpy  # type: ignore[no-any-return]


def native_dtype(spec: ArraySpec, codec: str) -> np.dtype[Any]:
    """The library's type for the elements.

    Raises:
        MetadataError: a type or a number of dimensions that zfp does not have.
    """
    code = _NATIVE.get(f"{spec.dtype.kind}{spec.dtype.itemsize}") if spec.dtype.isnative else None
    if code is None:
        raise MetadataError(f"expected integers, floats or times, found {spec.dtype}", member=codec)
    if len(spec.shape) > 4:
        raise MetadataError(
            f"expected at most four dimensions, found {len(spec.shape)}: reshape before", member=codec
        )
    return np.dtype(code)


def promoted(elements: AnyArray, native: np.dtype[Any], codec: str) -> AnyArray:
    """The elements in the library's type.

    Raises:
        CodecError: unsigned integers beyond the signed range.
    """
    if elements.dtype.kind in "Mm":
        return elements.view(native)
    if elements.dtype.kind == "u" and elements.dtype.itemsize == native.itemsize:
        if elements.size and elements.max() > np.iinfo(native).max:
            raise CodecError(
                f"{elements.max():,} is beyond the range that zfp stores of {elements.dtype}", codec=codec
            )
        return elements.astype(native)
    if elements.dtype.kind == "f" or elements.dtype.itemsize == native.itemsize:
        return elements.astype(native, copy=False)
    bits = 8 * elements.dtype.itemsize
    middle = 1 << (bits - 1) if elements.dtype.kind == "u" else 0
    shifted: AnyArray = (elements.astype(native) - middle) << (31 - bits)
    return shifted


def demoted(native: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    """The library's elements in the array's type."""
    if dtype.kind in "Mm":
        return native.view(dtype)
    if dtype.kind == "f" or (dtype.kind == "i" and dtype.itemsize == native.dtype.itemsize):
        with np.errstate(over="ignore"):
            return native.astype(dtype, copy=False)
    limits = np.iinfo(dtype)
    if dtype.itemsize == native.dtype.itemsize:
        return native.clip(0).astype(dtype)
    bits = 8 * dtype.itemsize
    middle = 1 << (bits - 1) if dtype.kind == "u" else 0
    return ((native >> (31 - bits)) + middle).clip(limits.min, limits.max).astype(dtype)


def most_nbytes(spec: ArraySpec, native: np.dtype[Any], rate: float | None = None) -> int:
    """The most bytes that can be read for an array: all bits of the numbers of each block, and those between them."""
    shape = spec.shape or (1,)
    values = 4 ** len(shape)
    blocks = math.prod(-(-length // 4) for length in shape)
    bits: int = max(values * (8 * native.itemsize + 1) + 64, math.ceil(values * (rate or 0)))
    return blocks * bits // 64 * 8 + 64


def padded(encoded: Buffer, nbytes: int, byte: int = 0) -> AnyArray:
    """The encoded bytes, padded with bytes of one value to ``nbytes``."""
    buffer = np.full(max(nbytes, len(encoded)), byte, np.uint8)
    buffer[: len(encoded)] = np.frombuffer(encoded, np.uint8)
    return buffer


def decompressed(
    encoded: Buffer,
    nbytes: int,
    decompress: Callable[[AnyArray], AnyArray],
    codec: str,
) -> AnyArray:
    """The array that the library decodes from the bytes, of which it reads at most ``nbytes``.

    Raises:
        CodecError: the bytes are too few.
    """
    if len(encoded) % 8 or not len(encoded):
        raise CodecError(f"expected words of 8 bytes, found {len(encoded):,}", codec=codec)
    try:
        decoded, again = (decompress(padded(encoded, nbytes, byte)) for byte in (0, 0xFF))
    except (RuntimeError, TypeError, ValueError, OverflowError) as error:
        raise CodecError(str(error), codec=codec) from error
    if decoded.tobytes() != again.tobytes():
        raise CodecError(f"{len(encoded):,} bytes are too few", codec=codec)
    return decoded


class ZfpCodec(ArrayToBytesCodec):
    """zfp's bits without a header: the metadata contain the same information."""

    names: ClassVar[tuple[str, ...]] = ("zfp", "zarrs.zfp")

    def __init__(self, configuration: Mapping[str, Any]) -> None:
        self._configuration = dict(configuration)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        mode = choice(configuration, "mode", tuple(_MODES), None)
        parameter = _MODES[mode]
        names = _EXPERT if mode == "expert" else (parameter,) if parameter else ()
        known(configuration, "mode", *names)
        if parameter == "precision":
            integer(configuration, parameter, minimum=0)
        elif parameter:
            value = number(configuration, parameter)
            if value < 0 or (parameter == "rate" and not 0 < value <= _MAX_RATE):
                raise MetadataError(
                    f"expected a rate of more than 0 and at most 4,096, found {value}", member=parameter
                )
        if mode == "expert":
            integer(configuration, "minexp")
            integer(configuration, "maxprec", minimum=1)
            least = integer(configuration, "minbits", minimum=0, maximum=_MAX_BLOCK_BITS)
            integer(configuration, "maxbits", minimum=max(1, least))
        library(cls.names[0])
        return cls({name: configuration[name] for name in ("mode", *names)})

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        self._parameters_to_write(spec)
        return dict(self._configuration)

    def _parameters_to_write(self, spec: ArraySpec) -> dict[str, Any]:
        parameters = self._parameters(spec)
        if parameters is None:
            raise UnsupportedError(
                "codec",
                self.name,
                "in mode 'expert' is written only if its parameters equal those of another mode",
            )
        return parameters

    def _parameters(self, spec: ArraySpec) -> dict[str, Any] | None:
        """The library's argument for the mode, empty for the reversible mode; None if the library has none."""
        parameter = _MODES[self._configuration["mode"]]
        if parameter is not None:
            return {parameter: self._configuration[parameter]}
        if self._configuration["mode"] == "reversible":
            return {}
        return self._of_expert(4 ** max(1, len(spec.shape)))

    def _of_expert(self, values: int) -> dict[str, Any] | None:
        """The argument for the other mode that expert parameters are equal to, if there is one."""
        told = tuple(self._configuration[name] for name in _EXPERT)
        minbits, maxbits, maxprec, minexp = told
        if (minbits, maxbits, maxprec) == (_MIN_BITS, _MAX_BITS, _MAX_PRECISION):
            if minexp < _MIN_EXPONENT:
                return {}
            return {"tolerance": 2.0**minexp} if minexp <= _MAX_EXPONENT else None
        if told == (_MIN_BITS, _MAX_BITS, maxprec, _MIN_EXPONENT):
            return {"precision": maxprec}
        if told == (minbits, minbits, _MAX_PRECISION, _MIN_EXPONENT) and minbits:
            return {"rate": minbits / values}
        return None

    def _rate(self, spec: ArraySpec) -> float:
        """The least number of bits for each number."""
        if self._configuration["mode"] == "expert":
            rate: float = self._configuration["minbits"] / 4 ** max(1, len(spec.shape))
            return rate
        return float(self._configuration.get("rate", 0))

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        return most_nbytes(spec, native_dtype(spec, self.name), self._rate(spec))

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        zfpy, native = library(self.name), native_dtype(spec, self.name)
        if not spec.size:
            return np.empty(spec.shape, spec.dtype)
        shape, parameters = spec.shape or (1,), self._parameters(spec)
        if parameters is None:
            header = self._header(native, shape)
            decompress = lambda stored: zfpy.decompress_numpy(_behind(header, stored))  # noqa: E731
        else:
            kind = zfpy.dtype_to_ztype(native)
            decompress = partial(zfpy._decompress, ztype=kind, shape=shape, **parameters)  # noqa: SLF001 - zfp documents it
        decoded = decompressed(encoded, self.max_encoded_nbytes(spec), decompress, self.name)
        return demoted(decoded, spec.dtype).reshape(spec.shape)

    def _header(self, native: np.dtype[Any], shape: tuple[int, ...]) -> int:
        """The header through which the library's Python side accepts expert parameters; lowest bit first.

        zfp's manual, "Array metadata" and "Compression modes": four letters, the type, the number of dimensions, 48 bits of
        lengths, and all parameters.
        """
        minbits, maxbits, maxprec, minexp = (self._configuration[name] for name in _EXPERT)
        bits = 48 // len(shape)
        if max(shape) > 1 << bits:
            raise CodecError(f"chunks of shape {shape} are too large for mode 'expert'", codec=self.name)
        header = ["i4", "i8", "f4", "f8"].index(native.str[1:]) | (len(shape) - 1) << 2
        for position, length in enumerate(reversed(shape)):
            header |= (length - 1) << (4 + position * bits)
        mode: int = min(max(minexp + 16495, 0), 0x7FFF)
        for width, value in (
            (7, min(maxprec, 1 << 7)),
            (15, min(maxbits, _MAX_BLOCK_BITS)),
            (15, max(1, minbits)),
        ):
            mode = mode << width | value - 1
        return int.from_bytes(b"zfp\5", "little") | header << 32 | (mode << 12 | 0xFFF) << 84

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> Buffer:
        return compressed(decoded, spec, self.name, self._parameters_to_write(spec), write_header=False)


def _behind(header: int, stored: AnyArray) -> AnyArray:
    """Words after a header that ends inside a word."""
    words, shift = stored.view("<u8"), np.uint64(_HEADER_BITS % 64)
    joined = np.zeros(words.size + 3, "<u8")
    joined[:3] = [header >> 64 * position & (1 << 64) - 1 for position in range(3)]
    joined[2:-1] |= words << shift
    joined[3:] |= words >> (np.uint64(64) - shift)
    return joined.view(np.uint8)


def compressed(
    decoded: AnyArray,
    spec: ArraySpec,
    codec: str,
    parameters: Mapping[str, Any],
    *,
    write_header: bool,
) -> Buffer:
    """The array as the library encodes it.

    Raises:
        CodecError: it cannot hold a value, or the mode does not fit these numbers.
    """
    native = native_dtype(spec, codec)
    if not spec.size:
        return b""
    # With fewer bits than the exponent takes, the library subtracts one from the other, and writes past its memory.
    values, least = 4 ** max(1, len(spec.shape)), _HEAD_BITS.get(native.str[1:], 1)
    if "rate" in parameters and math.floor(values * parameters["rate"] + 0.5) < least:
        raise CodecError(
            f"expected a rate of at least {least / values:g} for {native}, found {parameters['rate']}",
            codec=codec,
        )
    elements = np.ascontiguousarray(decoded, spec.dtype).reshape(spec.shape or (1,))
    try:
        encoded: bytes = library(codec).compress_numpy(
            promoted(elements, native, codec), write_header=write_header, **parameters
        )
    except (RuntimeError, TypeError, ValueError, OverflowError) as error:
        raise CodecError(str(error), codec=codec) from error
    return encoded
