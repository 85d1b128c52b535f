"""Metadata of any kind, and documents that are almost right."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from zarrcore.metadata import ArrayMetadata, ChunkKeyEncoding, NamedConfiguration, RegularChunkGrid
from zarrcore.metadata.data_type import DataType, has_byte_order, is_small_number, parse_data_type
from zarrcore.metadata.fill_value import zero

CORE_TYPES = [
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    *("float16", "float32", "float64", "complex64", "complex128"),
]
OTHER_TYPES: list[Any] = [
    "string",
    "bytes",
    "r24",
    "bfloat16",
    "int4",
    "float8_e4m3fn",
    {"name": "raw_bytes", "configuration": {"length_bytes": 3}},
    {"name": "null_terminated_bytes", "configuration": {"length_bytes": 5}},
    {"name": "fixed_length_utf32", "configuration": {"length_bytes": 12}},
    {"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 10}},
    {"name": "numpy.timedelta64", "configuration": {"unit": "s", "scale_factor": 1}},
    {
        "name": "struct",
        "configuration": {
            "fields": [{"name": "a", "data_type": "int16"}, {"name": "ß", "data_type": "float64"}]
        },
    },
]
N5_TYPES = [*(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "float32", "float64"]
COMPRESSORS = [
    NamedConfiguration("gzip", {"level": 3}),
    NamedConfiguration("zstd", {"level": -2, "checksum": True}),
    NamedConfiguration("zstd", {}),
    NamedConfiguration("blosc", {"cname": "zstd", "clevel": 9, "shuffle": "bitshuffle", "blocksize": 64}),
    NamedConfiguration("blosc", {"shuffle": "noshuffle"}),
    NamedConfiguration("crc32c"),
    NamedConfiguration("numcodecs.zlib", {"level": 1}),
    NamedConfiguration("numcodecs.bz2", {"level": 9}),
    NamedConfiguration("numcodecs.lz4", {"acceleration": 2}),
    NamedConfiguration("numcodecs.lzma", {"format": 1, "check": -1, "preset": 2, "filters": None}),
]

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
attributes = st.dictionaries(st.text(max_size=8), json_values, max_size=3)


@st.composite
def fill_values(draw: st.DrawFn, data_type: DataType) -> Any:
    """An element of the type: any bits that it can have."""
    dtype = data_type.dtype
    match dtype.kind:
        case "T":
            return np.array(draw(st.text(max_size=5)), dtype)
        case "O":
            element = np.empty((), object)
            element[()] = draw(st.binary(max_size=5))
            return element
        case "b":
            return np.array(draw(st.booleans()), dtype)
        case "U":
            return np.array(draw(st.text(max_size=dtype.itemsize // 4)).rstrip("\0"), dtype)
    if dtype.names is not None or is_small_number(dtype):
        return zero(dtype)
    raw = draw(st.binary(min_size=dtype.itemsize, max_size=dtype.itemsize))
    return np.frombuffer(raw, dtype).reshape(())


@cache  # Hypothesis checks each new strategy, which takes longer than to draw from it
def chains(data_type: DataType, ndim: int) -> st.SearchStrategy[tuple[NamedConfiguration, ...]]:
    """Codecs for chunks of the type."""
    match data_type.dtype.kind:
        case "T":
            to_bytes = [NamedConfiguration("vlen-utf8")]
        case "O":
            to_bytes = [NamedConfiguration("vlen-bytes")]
        case _ if has_byte_order(data_type.dtype):
            to_bytes = [NamedConfiguration("bytes", {"endian": endian}) for endian in ("little", "big")]
        case _:
            to_bytes = [NamedConfiguration("bytes")]
    orders = st.permutations(range(ndim)).map(
        lambda order: [NamedConfiguration("transpose", {"order": order})]
    )
    return st.builds(
        lambda before, codec, after: (*before, codec, *after),
        st.just([]) | orders,
        st.sampled_from(to_bytes),
        st.lists(st.sampled_from(COMPRESSORS), max_size=2),
    )


@st.composite
def arrays(draw: st.DrawFn, types: list[Any] = CORE_TYPES + OTHER_TYPES) -> ArrayMetadata:
    """Metadata of an array: any type, grid, chain of codecs, with shards or without."""
    data_type = parse_data_type(draw(st.sampled_from(types)))
    shape = tuple(draw(st.lists(st.integers(0, 9), max_size=3)))
    chunk_shape = tuple(draw(st.integers(1, 4)) for _ in shape)
    codecs = draw(chains(data_type, len(shape)))
    if draw(st.booleans()) and shape:
        inner = {
            "chunk_shape": list(chunk_shape),
            "codecs": [codec.document() for codec in codecs],
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
            "index_location": draw(st.sampled_from(["start", "end"])),
        }
        codecs = (NamedConfiguration("sharding_indexed", inner),)
        chunk_shape = tuple(length * draw(st.integers(1, 3)) for length in chunk_shape)
    names = st.tuples(*(st.none() | st.text(max_size=5) for _ in shape))
    return ArrayMetadata(
        shape=shape,
        data_type=data_type,
        chunk_grid=RegularChunkGrid(chunk_shape),
        chunk_key_encoding=draw(
            st.builds(ChunkKeyEncoding, st.sampled_from(["default", "v2"]), st.sampled_from("/."))
        ),
        fill_value=draw(fill_values(data_type)),
        codecs=codecs,
        attributes=draw(attributes),
        dimension_names=draw(st.none() | names),
    )


_ODD_VALUES = (json_values | st.sampled_from([-1, 2**64, 1e400, [], {}, "", "NaN", [[]]])).map(copy.deepcopy)
_NAMES = st.text(max_size=4)


@st.composite
def broken(draw: st.DrawFn, document: dict[str, Any]) -> dict[str, Any]:
    """The document with some values, anywhere in it, gone, replaced or added."""
    document = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(document))
        container, name = draw(st.sampled_from(places))
        if draw(st.booleans()):
            container[name] = draw(_ODD_VALUES)
        elif isinstance(container, dict):
            container[draw(_NAMES)] = container.pop(name)
        else:
            container.insert(name, draw(json_values))
    return document


def _places(value: Any) -> Any:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for name, item in list(pairs):
        yield value, name
        if isinstance(item, dict | list) and item:
            yield from _places(item)
    if not value:
        yield {"": None}, ""
