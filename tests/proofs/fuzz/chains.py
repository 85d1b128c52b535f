"""Chains of codecs, each with an array: those of the codecs' own contract, and those for elements of other types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.core.codecs.cases import CASES, LITTLE, Array, spec_of
from zarrcore.codecs import Pipeline
from zarrcore.codecs.imagecodecs_package import IMAGECODECS
from zarrcore.codecs.interface import BytesToBytesCodec
from zarrcore.codecs.registry import codec_class
from zarrcore.errors import CodecError, UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.typing import AnyArray

_TEXTS = np.array([["a", "", "é"], ["bc", "a", "x" * 40]], np.dtypes.StringDType())
_BLOBS = np.array([[b"a", b""], [b"\0\xff", b"x" * 40]], object)
_INDEX: Mapping[str, Any] = {"name": "bytes", "configuration": {"endian": "little"}}


@dataclass(frozen=True)
class Chain:
    """Codecs around one whose configuration may be changed, and an array for them."""

    before: tuple[NamedConfiguration, ...]
    codec: NamedConfiguration
    after: tuple[NamedConfiguration, ...]
    array: Array
    exact: bool

    @property
    def codecs(self) -> tuple[NamedConfiguration, ...]:
        return (*self.before, self.codec, *self.after)

    def pipeline(self, codec: NamedConfiguration | None = None) -> Pipeline:
        """The pipeline for the array, with another codec in the middle."""
        return Pipeline((*self.before, codec or self.codec, *self.after), spec_of(self.array))

    @property
    def is_on_bytes(self) -> bool:
        """Whether the codec in the middle is a bytes → bytes codec."""
        return issubclass(codec_class(self.codec.name), BytesToBytesCodec)

    def encoded(self) -> bytes:
        """The array encoded; empty if this is only read."""
        try:
            return bytes(self.pipeline().encode(self.array))
        except (CodecError, UnsupportedError):
            return b""


def _chain(
    name: str, configuration: Mapping[str, Any], array: Array, *after: NamedConfiguration, exact: bool = True
) -> Chain:
    return Chain((), NamedConfiguration(name, configuration), after, array, exact)


def _optional() -> Array:
    data_type = parse_data_type(
        {"name": "zarrs.optional", "configuration": {"name": "int16", "configuration": {}}}
    )
    array = np.zeros((2, 3), data_type.dtype)
    array["value"], array["is_valid"] = [[1, 0, 3], [4, 5, 0]], [[True, False, True], [True, True, False]]
    return array


_SZIP = {"options_mask": 141, "pixels_per_block": 8, "bits_per_pixel": 8, "pixels_per_scanline": 32}
_PIXELS = np.arange(24, dtype="u1").reshape(4, 2, 3) * 9
_FLOATS = np.arange(24, dtype="<f4").reshape(4, 6) / 4
CHAINS = [
    *(
        Chain(
            case.before,
            NamedConfiguration(case.name, case.configuration),
            case.after,
            case.array(),
            case.exact,
        )
        for case in CASES
        if not case.name.startswith(IMAGECODECS)
    ),
    _chain("vlen-utf8", {}, _TEXTS),
    _chain("vlen-bytes", {}, _BLOBS),
    _chain(
        "zarrs.vlen",
        {"index_codecs": [_INDEX, "crc32c"], "data_codecs": ["bytes", "zstd"], "index_data_type": "uint32"},
        _TEXTS,
    ),
    _chain(
        "vlen",
        {
            "index_codecs": [_INDEX],
            "data_codecs": ["bytes"],
            "index_data_type": "uint64",
            "index_location": "end",
        },
        _BLOBS,
    ),
    _chain("zarrs.optional", {"mask_codecs": ["packbits"], "data_codecs": [_INDEX]}, _optional()),
    _chain("numcodecs.json2", {"encoding": "utf-8"}, _TEXTS),
    _chain("numcodecs.msgpack2", {}, _TEXTS),
    _chain("numcodecs.categorize", {"labels": ["a", "bc", "é", "x" * 40], "astype": "|u1"}, _TEXTS, LITTLE),
    _chain("bitround", {"keepbits": 3}, _FLOATS, LITTLE, exact=False),
    _chain("bitround", {"keepbits": 2}, np.arange(-6, 6, dtype="<i2"), LITTLE, exact=False),
    _chain("scale_offset", {"scale": 4, "offset": 1}, _FLOATS, LITTLE),
    _chain(
        "cast_value", {"data_type": "uint8", "rounding": "nearest-even"}, np.arange(12, dtype="<f8"), LITTLE
    ),
    _chain("reshape", {"shape": [[0, 1]]}, _FLOATS, LITTLE),
    _chain("reshape", {"shape": [2, -1]}, _FLOATS, LITTLE),
    _chain("squeeze", {}, _FLOATS[:, None], LITTLE),
    _chain("zfp", {"mode": "fixed_rate", "rate": 12}, _FLOATS, exact=False),
    _chain("zfp", {"mode": "fixed_precision", "precision": 12}, _FLOATS.astype("<f8"), exact=False),
    _chain("zfp", {"mode": "fixed_accuracy", "tolerance": 0.01}, _FLOATS, exact=False),
    _chain(
        "zfp",
        {"mode": "expert", "minbits": 1, "maxbits": 16658, "maxprec": 64, "minexp": -1074},
        _FLOATS,
        exact=False,
    ),
    _chain(
        "zfp",
        {"mode": "expert", "minbits": 3, "maxbits": 900, "maxprec": 20, "minexp": -20},
        _FLOATS,
        exact=False,
    ),
    _chain(
        "packbits",
        {"padding_encoding": "last_byte", "first_bit": 1, "last_bit": 4},
        np.arange(12, dtype="<i4"),
        exact=False,
    ),
    *(
        Chain(
            case.before,
            NamedConfiguration(case.name, case.configuration),
            case.after,
            case.array(),
            case.exact,
        )
        for case in CASES
        if case.name.startswith(IMAGECODECS)
    ),
    *(
        Chain((LITTLE,), NamedConfiguration(f"imagecodecs_{name}"), (), _FLOATS, exact=True)
        for name in ("lzw", "packbits")
    ),
    Chain((LITTLE,), NamedConfiguration("imagecodecs_szip", _SZIP), (), _FLOATS, exact=True),
    *(
        _chain(f"imagecodecs_{name}", {}, _PIXELS, exact=False)
        for name in ("jpeg", "jpeg2k", "jpegls", "jpegxl", "jpegxr", "lerc", "png", "webp")
    ),
    *(
        Chain((LITTLE,), NamedConfiguration(name, told), (), _FLOATS, exact=True)
        for name, told in (
            ("imagecodecs_lzf", {}),
            ("imagecodecs_lzf", {"header": False}),
            ("imagecodecs_lz4h5", {"blocksize": 40}),
            ("imagecodecs_blosc2", {"level": 2, "typesize": 4}),
            ("numcodecs.imagecodecs_bitshuffle", {"itemsize": 4}),
            ("numcodecs.imagecodecs_b2nd", {}),
        )
    ),
    _chain("imagecodecs_bitshuffle", {"blocksize": 16}, _FLOATS),
    _chain("imagecodecs_b2nd", {}, _FLOATS),
]
"""All of them; new ones come last, so that kept inputs keep their meaning."""

ON_BYTES = [chain for chain in CHAINS if chain.is_on_bytes]
ON_ARRAYS = [chain for chain in CHAINS if not chain.is_on_bytes]


def assert_same(found: AnyArray, expected: AnyArray) -> None:
    """Compare elements, bit for bit if they have a fixed size."""
    if expected.dtype.kind in "TO":
        assert found.tolist() == expected.tolist()
    else:
        assert found.tobytes() == np.ascontiguousarray(expected).tobytes(), (
            f"{found!r} instead of {expected!r}"
        )
