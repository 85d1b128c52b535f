"""What the contract of codecs is tried on: a line per codec and way of configuring it. A new codec adds its lines here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
from hypothesis import strategies as st

from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.fill_value import zero
from zarrcore.typing import AnyArray

Array = AnyArray
LITTLE = NamedConfiguration("bytes", {"endian": "little"})

NUMBERS = ("|u1", "<i2", "<u4", "<i8", "<f2", "<f4", "<f8", "<c16")
ANY = (*NUMBERS, "|b1", "|S5", "<U3", "|V3", "<M8[ns]", "S300")
STRUCT = [("a", "<i2"), ("b", "<f8"), ("c", "|S3")]
SHAPES = ((), (1,), (12,), (4, 6), (2, 3, 4))


@dataclass(frozen=True)
class Case:
    """A codec under test, in a chain that makes it useful."""

    name: str
    configuration: Mapping[str, Any] = field(default_factory=dict)
    dtypes: tuple[Any, ...] = ANY
    shapes: tuple[tuple[int, ...], ...] = SHAPES
    before: tuple[NamedConfiguration, ...] = ()
    after: tuple[NamedConfiguration, ...] = ()
    exact: bool = True
    """Whether decoding gives the very bits that were encoded; else encoding what was decoded changes nothing more."""
    finite: bool = False
    """Whether the codec refuses, or may lose, values that are not small numbers."""
    unwritten: bool = False
    """Whether the name is of ours, or of an older text, and is never written."""

    def __str__(self) -> str:
        parameters = ",".join(f"{name}={value}" for name, value in self.configuration.items())
        return f"{self.name}({parameters})"[:90]

    @property
    def codecs(self) -> tuple[NamedConfiguration, ...]:
        return self.chain(self.configuration)

    def chain(self, configuration: Mapping[str, Any]) -> tuple[NamedConfiguration, ...]:
        return (*self.before, NamedConfiguration(self.name, configuration), *self.after)

    @cached_property  # Hypothesis checks each new strategy, which takes longer than to draw from it
    def arrays(self) -> st.SearchStrategy[Array]:
        """Arrays of any bits, of the types and shapes that the codec takes."""
        return st.tuples(st.sampled_from(self.dtypes), st.sampled_from(self.shapes)).flatmap(
            lambda pair: elements(np.dtype(pair[0]), pair[1], self.finite)
        )

    def array(self) -> Array:
        """One array that is worth compressing, the same each time."""
        dtype, shape = np.dtype(self.dtypes[-1]), self.shapes[-1]
        if self.finite:
            return (np.arange(np.prod(shape)) % 7).astype(dtype).reshape(shape)
        raw = np.arange(int(np.prod(shape)) * dtype.itemsize, dtype="u1") // 3 % 2
        return raw.view(dtype).reshape(shape)


@cache
def elements(dtype: np.dtype[Any], shape: tuple[int, ...], finite: bool) -> st.SearchStrategy[Array]:
    """Arrays of one type and shape: bits of any kind, runs of them too."""
    size = int(np.prod(shape))
    if finite:
        values = st.lists(st.integers(0, 100), min_size=size, max_size=size)
        return values.map(lambda numbers: np.array(numbers, dtype).reshape(shape))
    nbytes = size * dtype.itemsize
    raw = st.binary(min_size=nbytes, max_size=nbytes) | st.binary(max_size=8).map(
        lambda part: (part * nbytes)[:nbytes].ljust(nbytes, b"\0")
    )
    if dtype.kind == "b":
        raw = raw.map(lambda data: bytes(byte & 1 for byte in data))
    if dtype.kind == "U":
        raw = raw.map(lambda data: np.frombuffer(data, "<u4").__mod__(0xD800).astype("<u4").tobytes())
    return raw.map(lambda data: np.frombuffer(data, dtype).reshape(shape))


def spec_of(array: Array, fill: Array | None = None) -> ArraySpec:
    """What a pipeline is made for, to hold this array."""
    return ArraySpec(array.shape, array.dtype, zero(array.dtype) if fill is None else fill)


def _block(ndim: int, *compressors: Any, endian: str | None = "big") -> dict[str, Any]:
    transpose = {"name": "transpose", "configuration": {"order": list(range(ndim))[::-1]}}
    configuration = {} if endian is None else {"configuration": {"endian": endian}}
    return {"codecs": [transpose, {"name": "bytes", **configuration}, *compressors]}


def _shard(chunk_shape: list[int], *codecs: Any, **parameters: Any) -> dict[str, Any]:
    index = [{"name": "bytes", "configuration": {"endian": "little"}}, "crc32c"]
    return {"chunk_shape": chunk_shape, "codecs": list(codecs), "index_codecs": index, **parameters}


_ON_BYTES = [
    *(Case("gzip", {"level": level}, before=(LITTLE,)) for level in (0, 1, 5, 9)),
    Case("numcodecs.gzip", {"level": -1}, before=(LITTLE,)),
    *(Case("numcodecs.zlib", {"level": level}, before=(LITTLE,)) for level in (-1, 0, 6)),
    Case("zstd", {"level": 0}, before=(LITTLE,)),
    Case("zstd", {"level": 19, "checksum": True}, before=(LITTLE,)),
    Case("zstd", {"level": -131072, "checksum": False}, before=(LITTLE,)),
    Case("numcodecs.zstd", {"level": 3}, before=(LITTLE,)),
    *(
        Case(
            "blosc",
            {"cname": cname, "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0},
            before=(LITTLE,),
        )
        for cname in ("lz4", "lz4hc", "blosclz", "zlib", "zstd")
    ),
    Case("blosc", {"cname": "lz4", "clevel": 0, "shuffle": "noshuffle", "blocksize": 0}, before=(LITTLE,)),
    Case("blosc", {"cname": "lz4", "clevel": 9, "shuffle": "bitshuffle", "blocksize": 64}, before=(LITTLE,)),
    Case("numcodecs.blosc", {"cname": "zstd", "clevel": 1, "shuffle": -1}, before=(LITTLE,)),
    Case("blosc", {}, before=(LITTLE,)),
    Case("crc32c", before=(LITTLE,)),
    Case("numcodecs.base64", {}, before=(LITTLE,)),
    Case("numcodecs.bz2", {"level": 9}, before=(LITTLE,)),
    Case("n5_lz4", {"blockSize": 64}, before=(LITTLE,), unwritten=True),
    Case("n5_lz4", {"blockSize": 1 << 16}, before=(LITTLE,), unwritten=True),
    Case("numcodecs.lzma", {"format": 1, "check": -1, "preset": 1, "filters": None}, before=(LITTLE,)),
    Case("numcodecs.lzma", {"format": 3, "filters": [{"id": 33, "preset": 1}]}, before=(LITTLE,)),
    *(Case("numcodecs.lz4", {"acceleration": number}, before=(LITTLE,)) for number in (-1, 1, 1000)),
    Case("numcodecs.shuffle", {"elementsize": 4}, ("<f4", "<i8", "<c16"), before=(LITTLE,)),
    Case("numcodecs.shuffle", {"elementsize": 0}, before=(LITTLE,)),
    Case("numcodecs.crc32", before=(LITTLE,)),
    Case("numcodecs.crc32", {"location": "end"}, before=(LITTLE,)),
    Case("numcodecs.crc32c", {"location": "start"}, before=(LITTLE,)),
    Case("numcodecs.adler32", before=(LITTLE,)),
    Case("numcodecs.fletcher32", before=(LITTLE,)),
    Case("numcodecs.jenkins_lookup3", {"initval": 7}, before=(LITTLE,)),
    Case("conditional", {"codecs": ["zstd", "crc32c"], "header_bits": 16}, before=(LITTLE,)),
]
_TO_BYTES = [
    Case("numcodecs.pcodec", {}, ("<u2", "<i8", "<f2", "<f4", "<f8", "<c16", "<M8[ns]", "<m8")),
    Case(
        "numcodecs.pcodec", {"level": 2, "delta_spec": "try_consecutive", "delta_encoding_order": 1}, ("<i4",)
    ),
    Case("numcodecs.pcodec", {"mode_spec": "classic", "equal_pages_up_to": 5}, ("<u4",)),
    Case("zfp", {"mode": "reversible"}, ("<i2", "<i4", "<i8", "<M8[ns]")),
    Case("numcodecs.zfpy", {"mode": 5}, ("|u1", "<i4", "<i8", "<m8[s]")),
    Case("packbits", {"padding_encoding": "first_byte"}, ("|b1", "<i2", "<f4", "<c8", "<M8[ns]", "<m8")),
    Case("bytes", {"endian": "little"}),
    Case("bytes", {"endian": "big"}),
    Case("bytes", {}, ("|u1", "|b1", "|S5", "|V3")),
    Case("endian", {"endian": "big"}, NUMBERS),
    Case("v2_struct_bytes", {"dtype": [("a", "<i2"), ("b", ">f8"), ("c", "|S3")]}, (STRUCT,), unwritten=True),
    Case("n5_default", _block(1, endian=None), ("|u1", "|i1"), shapes=((1,), (12,))),
    Case("n5_default", _block(2, "gzip"), NUMBERS, shapes=((4, 6), (1, 3))),
    Case("n5_default", _block(3, {"name": "blosc", "configuration": {}}), NUMBERS, shapes=((2, 3, 4),)),
    Case("sharding_indexed", _shard([2, 3], "bytes"), shapes=((4, 6), (2, 3))),
    Case("sharding_indexed", _shard([], "bytes", "zstd"), shapes=((),)),
    Case("sharding_indexed", _shard([2, 3], "bytes", "zstd", index_location="start"), shapes=((4, 6),)),
    Case(
        "sharding_indexed",
        _shard([2, 3], {"name": "transpose", "configuration": {"order": [1, 0]}}, "bytes", "gzip"),
        shapes=((4, 6),),
    ),
    Case(
        "sharding_indexed",
        _shard(
            [4, 3],
            {"name": "sharding_indexed", "configuration": _shard([2, 1], "bytes", index_location="start")},
        ),
        shapes=((4, 6), (8, 3)),
    ),
    Case("sharding_indexed", _shard([3], "bytes"), shapes=((12,),), after=(NamedConfiguration("gzip"),)),
]
_ON_ARRAYS = [
    Case("transpose", {"order": [1, 0]}, shapes=((4, 6), (1, 5)), after=(LITTLE,)),
    Case("transpose", {"order": [2, 0, 1]}, shapes=((2, 3, 4),), after=(LITTLE,)),
    Case("transpose", {"order": "F"}, after=(LITTLE,)),
    Case("v2_view", {"dtype": "<f4", "viewed_dtype": ">i2"}, ("<f4",), after=(LITTLE,), unwritten=True),
    Case("numcodecs.delta", {"dtype": "<i2"}, ("<i2",), after=(LITTLE,)),
    Case("numcodecs.delta", {"dtype": ">u4", "astype": "<u4"}, ("<u4",), after=(LITTLE,)),
    Case("numcodecs.delta", {"dtype": "<i8", "astype": "<i2"}, ("<i8",), finite=True, after=(LITTLE,)),
    Case(
        "numcodecs.fixedscaleoffset",
        {"offset": 50, "scale": 4, "dtype": "<f8", "astype": "<i2"},
        ("<f8",),
        finite=True,
        after=(LITTLE,),
    ),
    Case(
        "numcodecs.fixedscaleoffset",
        {"offset": -5, "scale": 0.5, "dtype": "<i4", "astype": "|u1"},
        ("<i4",),
        exact=False,
        finite=True,
        after=(LITTLE,),
    ),
    Case(
        "numcodecs.quantize",
        {"digits": 2, "dtype": "<f8", "astype": "<f4"},
        ("<f8",),
        exact=False,
        finite=True,
        after=(LITTLE,),
    ),
    Case(
        "numcodecs.astype",
        {"encode_dtype": ">i2", "decode_dtype": "<f8"},
        ("<f8",),
        finite=True,
        after=(LITTLE,),
    ),
    Case(
        "numcodecs.bitround",
        {"keepbits": 3},
        ("<f2", "<f4", "<f8"),
        exact=False,
        finite=True,
        after=(LITTLE,),
    ),
    Case("numcodecs.packbits", {}, ("|b1",), after=(LITTLE,)),
]
_OF_IMAGECODECS = [
    Case(
        "imagecodecs_delta",
        {"axis": -1},
        ("|u1", "<i2", "<u4", "<i8", "<f4"),
        ((12,), (2, 3, 4)),
        after=(LITTLE,),
    ),
    Case("imagecodecs_delta", {"axis": -2, "dist": 1}, ("|i1", "<f8"), ((4, 6), (2, 3, 4)), after=(LITTLE,)),
    Case("imagecodecs_floatpred", {"axis": -1, "dist": 1}, ("<f2", "<f4", "<f8"), ((12,), (2, 3, 4))),
    Case("imagecodecs_floatpred", {"axis": -2, "dist": 1}, ("<f4",), ((4, 6), (2, 3, 4))),
    Case("imagecodecs_bz2", {"level": None}, before=(LITTLE,)),
    Case("imagecodecs_lzma", {"level": 1, "check": "CRC32"}, before=(LITTLE,)),
    Case("imagecodecs_zlib", {"level": 6}, before=(LITTLE,)),
    Case("imagecodecs_zlibng", before=(LITTLE,)),
    Case("imagecodecs_zstd", {"level": 3}, before=(LITTLE,)),
]
CASES = [*_ON_ARRAYS, *_TO_BYTES, *_ON_BYTES, *_OF_IMAGECODECS]

BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("bytes", {"endian": None}),
    ("bytes", {"endian": 1}),
    ("transpose", {}),
    ("transpose", {"order": [0, 2]}),
    ("transpose", {"order": "A"}),
    ("gzip", {"level": 10}),
    ("gzip", {"level": -2}),
    ("gzip", {"level": "5"}),
    ("gzip", {"level": True}),
    ("numcodecs.zlib", {"level": 12}),
    ("zstd", {"level": 1.5}),
    ("zstd", {"level": 1, "checksum": 1}),
    ("blosc", {"cname": "zip"}),
    ("blosc", {"clevel": 10}),
    ("blosc", {"clevel": -1}),
    ("blosc", {"shuffle": "both"}),
    ("blosc", {"shuffle": 3}),
    ("blosc", {"shuffle": True}),
    ("blosc", {"typesize": 0}),
    ("blosc", {"blocksize": -1}),
    ("blosc", {"blocksize": 2**31}),
    ("numcodecs.bz2", {"level": 0}),
    ("numcodecs.lzma", {"format": "xz"}),
    ("numcodecs.lzma", {"preset": -1}),
    ("numcodecs.lzma", {"format": 3, "filters": [{"id": 12345}]}),
    ("imagecodecs_delta", {"axis": "x"}),
    ("imagecodecs_delta", {"axis": 0, "shape": [-1]}),
    ("imagecodecs_delta", {"dtype": "O"}),
    ("imagecodecs_floatpred", {"dist": 0}),
    ("imagecodecs_jpeg", {"tables": "?"}),
    ("imagecodecs_jpeg", {"header": 5}),
    ("imagecodecs_lzma", {"level": 10}),
    ("imagecodecs_lzma", {"check": "MD5"}),
    ("imagecodecs_lzw", {"level": 1}),
    ("imagecodecs_szip", {"options_mask": 141}),
    ("imagecodecs_webp", {"hasalpha": 1}),
    ("imagecodecs_zlib", {"level": "5"}),
    ("imagecodecs_zstd", {"level": 23}),
    ("numcodecs.lz4", {"acceleration": "fast"}),
    ("numcodecs.lz4", {"acceleration": 2**40}),
    ("numcodecs.shuffle", {"elementsize": -1}),
    ("numcodecs.shuffle", {"elementsize": None}),
    ("numcodecs.crc32", {"location": "middle"}),
    ("numcodecs.jenkins_lookup3", {"initval": 2**32}),
    ("numcodecs.delta", {}),
    ("numcodecs.delta", {"dtype": "O"}),
    ("numcodecs.delta", {"dtype": "i4", "astype": "nothing"}),
    ("numcodecs.fixedscaleoffset", {"offset": 0, "scale": 0, "dtype": "f4"}),
    ("numcodecs.fixedscaleoffset", {"offset": "0", "scale": 1, "dtype": "f4"}),
    ("numcodecs.fixedscaleoffset", {"offset": 10**400, "scale": float("nan"), "dtype": "f4"}),
    ("numcodecs.quantize", {"digits": 1.5, "dtype": "f4"}),
    ("numcodecs.quantize", {"digits": 10**6, "dtype": "f4"}),
    ("numcodecs.astype", {"encode_dtype": "i2"}),
    ("numcodecs.bitround", {"keepbits": -1}),
    ("numcodecs.bitround", {}),
    ("zfp", {"mode": "fixed_rate", "rate": -1}),
    ("numcodecs.zfpy", {"mode": 6}),
    ("numcodecs.pcodec", {"level": 13}),
    ("numcodecs.pcodec", {"delta_spec": "none", "delta_encoding_order": 1}),
    ("numcodecs.pcodec", {"delta_spec": "try_consecutive"}),
    ("numcodecs.pcodec", {"mode_spec": "modern"}),
    ("numcodecs.pcodec", {"equal_pages_up_to": 0}),
    ("n5_default", {}),
    ("n5_default", {"codecs": "bytes"}),
    ("n5_default", {"codecs": ["bytes"]}),
    ("n5_default", _block(1, "crc32c", "gzip")),
    ("n5_lz4", {"blockSize": 0}),
    ("sharding_indexed", {}),
    ("sharding_indexed", {"chunk_shape": [0]}),
    ("sharding_indexed", {"chunk_shape": 4}),
    ("sharding_indexed", {"chunk_shape": [4], "codecs": "bytes"}),
    ("sharding_indexed", {"chunk_shape": [4], "index_location": None}),
]
"""Configurations that no document may hold, by codec."""


def encoded(pipeline: Pipeline, array: Array) -> bytes:
    """The encoded array, after checking what the pipeline said of its size."""
    data = bytes(pipeline.encode(array))
    assert len(data) <= pipeline.max_encoded_nbytes
    assert pipeline.encoded_nbytes in (None, len(data))
    return data
