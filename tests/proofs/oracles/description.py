"""Random arrays of any format, in the vocabulary of Zarr v3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.hierarchies import values
from zarrcore.typing import AnyArray


@dataclass(frozen=True)
class Knowledge:
    """What an implementation reads and writes of a format.

    Args:
        dtypes: NumPy's codes of data types, without byte order.
        compressors: bytes → bytes codecs as in the metadata of Zarr v3.
        endians: byte orders of stored elements.
        separators: of chunk keys.
        shards: whether chunks may be together in shards.
        orders: whether elements may be transposed; in Zarr v2, whether ``order`` may be "F".
        fill_values: whether a fill value may be other than zero.
        max_compressors: how many of the compressors may follow one another.
        min_ndim: the least number of dimensions.
        min_length: the least length of a dimension.
        fits: whether a chunk must not be longer than the array.
        whole_edges: whether it must write whole chunks where one of them extends beyond the array.
        apart: pairs of names of compressors; the second must not directly follow the first.
    """

    dtypes: tuple[str, ...]
    compressors: tuple[Mapping[str, Any], ...]
    endians: tuple[str, ...] = ("little", "big")
    separators: tuple[str, ...] = ("/", ".")
    shards: bool = False
    orders: bool = False
    fill_values: bool = True
    max_compressors: int = 1
    min_ndim: int = 0
    min_length: int = 0
    fits: bool = False
    whole_edges: bool = False
    apart: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True)
class Description:
    """An array.

    Args:
        format: "v2", "v3" or "n5".
        shape: length of each dimension.
        dtype: data type of the elements, in the native byte order.
        chunk_shape: shape of chunks.
        shard_shape: shape of the shards that hold the chunks.
        endian: byte order of stored elements.
        order: as in the codec ``transpose``.
        compressors: bytes → bytes codecs as in the metadata of Zarr v3.
        separator: of chunk keys.
        fill_value: element of what is not stored.
    """

    format: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    chunk_shape: tuple[int, ...]
    shard_shape: tuple[int, ...] | None
    endian: str
    order: tuple[int, ...] | None
    compressors: tuple[Mapping[str, Any], ...]
    separator: str
    fill_value: Any

    @property
    def stored_dtype(self) -> np.dtype[Any]:
        """The data type in the byte order of stored elements."""
        return self.dtype.newbyteorder("<" if self.endian == "little" else ">")

    def v3_codecs(self) -> tuple[list[dict[str, Any]], dict[str, Any], list[dict[str, Any]]]:
        """The array → array codecs, the array → bytes codec and the bytes → bytes codecs of the chunks."""
        to_bytes: dict[str, Any] = {"name": "bytes"}
        if self.dtype.itemsize > 1:
            to_bytes["configuration"] = {"endian": self.endian}
        transpose = {"name": "transpose", "configuration": {"order": list(self.order or ())}}
        return [transpose] if self.order else [], to_bytes, [dict(codec) for codec in self.compressors]


@dataclass(frozen=True)
class Write:
    """Elements to write: ``region`` gets the values of a seed."""

    region: tuple[slice, ...]
    seed: int

    def values(self, description: Description) -> AnyArray:
        """The elements."""
        return values(description.dtype, [part.stop - part.start for part in self.region], self.seed)


@st.composite
def descriptions(draw: st.DrawFn, knowledge: Mapping[str, Knowledge]) -> Description:
    """Any array that an implementation knows, by what it knows of each format."""
    name = draw(st.sampled_from(sorted(knowledge)))
    known = knowledge[name]
    dtype = np.dtype(draw(st.sampled_from(known.dtypes)))
    shape = tuple(draw(st.lists(st.integers(known.min_length, 9), min_size=known.min_ndim, max_size=4)))
    chunk_shape = tuple(draw(st.integers(1, min(5, length) if known.fits else 5)) for length in shape)
    shards = known.shards and bool(shape) and draw(st.booleans())
    order = draw(st.permutations(range(len(shape)))) if known.orders and len(shape) > 1 else ()
    if name == "v2":
        order = sorted(order, reverse=draw(st.booleans()))
    compressors = draw(
        st.lists(st.sampled_from(known.compressors), max_size=known.max_compressors).filter(
            lambda codecs: known.apart.isdisjoint(pairwise(codec["name"] for codec in codecs))
        )
    )
    bits = values(dtype, (), draw(st.integers(0, 50)))
    return Description(
        format=name,
        shape=shape,
        dtype=dtype,
        chunk_shape=chunk_shape,
        shard_shape=tuple(length * draw(st.integers(1, 3)) for length in chunk_shape) if shards else None,
        endian=draw(st.sampled_from(known.endians)),
        order=None if list(order) == sorted(order) else tuple(order),
        compressors=tuple(_for_elements(codec, dtype) for codec in compressors),
        separator=draw(st.sampled_from(known.separators)),
        fill_value=bits[()] if known.fill_values and draw(st.booleans()) else np.zeros((), dtype)[()],
    )


def _for_elements(codec: Mapping[str, Any], dtype: np.dtype[Any]) -> Mapping[str, Any]:
    """The codec; Blosc's type size is that of the elements, which other formats than Zarr v3 do not tell."""
    if codec["name"] != "blosc":
        return codec
    return {**codec, "configuration": {**codec["configuration"], "typesize": dtype.itemsize}}


@st.composite
def writes(draw: st.DrawFn, description: Description, whole_edges: bool = False) -> Write:
    """Any region, also an empty one; or whole chunks, if one of them extends beyond the array and ``whole_edges``."""
    bounds = [
        sorted((draw(st.integers(0, length)), draw(st.integers(0, length)))) for length in description.shape
    ]
    axes = list(zip(bounds, description.shape, description.chunk_shape, strict=True))
    if whole_edges and any(stop > length - length % chunk for (_, stop), length, chunk in axes):
        bounds = [
            [start - start % chunk, min(stop + -stop % chunk, length)]
            for (start, stop), length, chunk in axes
        ]
    return Write(tuple(slice(*pair) for pair in bounds), draw(st.integers(0, 50)))
