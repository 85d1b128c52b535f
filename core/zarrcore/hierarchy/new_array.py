"""The metadata of a new array: the caller's choices, and good defaults for the rest.

Accepted specification, "Array metadata". One request fetches a chunk and one core decodes it. Chunks of 2 to 4 MiB are worth
the round trip to a bucket, and dozens of them fit in memory.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, cast

import numpy as np

from zarrcore.arguments import check_types
from zarrcore.codecs import (
    ArraySpec,
    ArrayToArrayCodec,
    ArrayToBytesCodec,
    BytesToBytesCodec,
    completed,
    is_fill,
)
from zarrcore.codecs.registry import codec_class, codec_names
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats import Format
from zarrcore.formats.attributes import json_attributes
from zarrcore.formats.chunk_terms import plain_array_to_bytes
from zarrcore.formats.v2.parse import parse_codec
from zarrcore.metadata import (
    ArrayMetadata,
    ChunkKeyEncoding,
    DataType,
    Element,
    NamedConfiguration,
    RegularChunkGrid,
)
from zarrcore.metadata.data_type import data_type_of, parse_data_type
from zarrcore.metadata.data_type.registry import data_type_names
from zarrcore.metadata.fill_value import parse_fill_value, zero
from zarrcore.metadata.named_configuration import parse_named_configuration
from zarrcore.printable import did_you_mean


class CodecObject(Protocol):
    """A codec of zarr-python."""

    def to_dict(self) -> Any: ...


class NumcodecsObject(Protocol):
    """A codec of numcodecs."""

    def get_config(self) -> Any: ...


CodecLike = str | Mapping[str, Any] | NamedConfiguration | CodecObject | NumcodecsObject
"""A codec: its name, its object in a document of Zarr v3 or v2, a `NamedConfiguration`, or that of zarr-python or numcodecs."""

CodecsLike = CodecLike | Sequence[CodecLike]
"""One codec, or several in order."""

Lengths = int | Sequence[int]
"""The length of each dimension; an integer is that of all."""

CHUNK_NBYTES = 4 << 20
"""The most bytes of a chunk of default shape. It has more than half of that if the array has."""

_ZSTD_LEVEL = 3
_INDEX_CODECS = ({"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"})


def new_array_metadata(
    format: Format,  # noqa: A002 - the specification's word
    *,
    shape: Lengths,
    dtype: Any,
    chunks: Lengths | Literal["auto"] | None = None,
    shards: Lengths | None = None,
    codecs: CodecsLike | None = None,
    compressors: CodecsLike | None = None,
    filters: CodecsLike | None = None,
    fill_value: Any = None,
    chunk_key_encoding: ChunkKeyEncoding | None = None,
    dimension_names: Sequence[str | None] | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> ArrayMetadata:
    """The metadata of an array in a hierarchy of ``format``; `ChangingMembers.create_array` explains the arguments.

    Raises:
        MetadataError: arguments that contradict one another.
        TypeError: an argument of another type.
        UnsupportedError: a type or codec that is unknown, or that the format cannot hold.
    """
    _check_types(chunk_key_encoding, dimension_names)
    check_types("Mapping[str, Any] | None", attributes=attributes)
    shape = as_lengths(shape, "shape", minimum=0)
    kind = as_data_type(dtype)
    inner, outer = _chunk_shapes(shape, kind.dtype.itemsize, chunks, shards)
    element = as_fill_value(fill_value, kind)
    # Only Zarr v3 has a parameter for the checksum that every reader supports.
    compression = {"name": "zstd", "configuration": {"level": _ZSTD_LEVEL, "checksum": format is Format.V3}}
    before = _of_kind(filters or (), "filters", ArrayToArrayCodec)
    is_default = codecs is None and compressors is None
    if codecs is None:
        after = [compression] if compressors is None else compressors
        codecs = [*before, *_of_kind(after, "compressors", BytesToBytesCodec)]
    elif compressors is not None or filters is not None:
        raise MetadataError("give all codecs, or compressors and filters, not both", member="codecs")
    chain = _chain(codecs, kind)
    if shards is not None:
        chain = [_sharding(inner, chain)]
    metadata = ArrayMetadata(
        shape=shape,
        data_type=kind,
        chunk_grid=RegularChunkGrid(outer),
        chunk_key_encoding=chunk_key_encoding or format.default_chunk_key_encoding(),
        fill_value=element,
        codecs=completed(chain, ArraySpec(outer, kind.dtype, element)),
        attributes=dict(attributes or {}),
        dimension_names=None if dimension_names is None else tuple(dimension_names),
    )
    if metadata.dimension_names is not None and len(metadata.dimension_names) != len(shape):
        found = len(metadata.dimension_names)
        raise MetadataError(f"expected {len(shape)} names, found {found}", member="dimension_names")
    wanted = {*_names(before if is_default else metadata.codecs)}
    return _adapted(format, metadata, wanted)


def _check_types(chunk_key_encoding: object, dimension_names: object) -> None:
    if chunk_key_encoding is not None and not isinstance(chunk_key_encoding, ChunkKeyEncoding):
        raise TypeError(
            f"chunk_key_encoding: expected a ChunkKeyEncoding or None, found {chunk_key_encoding!r}"
        )
    if isinstance(dimension_names, str) or not isinstance(dimension_names, Iterable | None):
        raise TypeError(f"dimension_names: expected a name or None per dimension, found {dimension_names!r}")


def _chunk_shapes(
    shape: tuple[int, ...], itemsize: int, chunks: Lengths | str | None, shards: Lengths | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape of the chunks, and that of the shards, or of the chunks again if there are none."""
    if isinstance(chunks, str) and chunks != "auto":
        raise MetadataError(
            f"expected 'auto', or integers, one per dimension, found {chunks!r}", member="chunks"
        )
    outer = None if shards is None else as_lengths(shards, "shards", minimum=1, ndim=len(shape))
    if chunks is not None and not isinstance(chunks, str):
        inner = as_lengths(chunks, "chunks", minimum=1, ndim=len(shape))
    elif outer is not None:
        inner = _dividing_shape(outer, itemsize)
    else:
        inner = default_chunk_shape(shape, itemsize)
    outer = outer or inner
    for member, lengths in (("chunks", inner), ("shards", outer)):
        if len(lengths) != len(shape):
            raise MetadataError(f"expected {len(shape)} lengths, found {len(lengths)}", member=member)
    return inner, outer


def _adapted(
    format: Format,  # noqa: A002 - as above
    metadata: ArrayMetadata,
    wanted: set[str],
) -> ArrayMetadata:
    """The array in the terms of the format, which must support its fill value, its shards and the ``wanted`` codecs."""
    adapted = format.adapted(metadata)
    if not isinstance(adapted, ArrayMetadata):
        return metadata
    if not is_fill(metadata.fill_value, adapted.fill_value):
        raise UnsupportedError(
            "fill value", str(metadata.fill_value), f"cannot be expressed in {format.title}"
        )
    if adapted.chunk_grid != metadata.chunk_grid:
        raise UnsupportedError("codec", "sharding_indexed", f"cannot be expressed in {format.title}")
    told = set(map(_plain, _names(adapted.codecs)))
    for name in sorted(wanted):
        if _plain(name) not in told:
            raise UnsupportedError("codec", name, f"cannot be expressed in {format.title}")
    return adapted


def _plain(name: str) -> str:
    """A codec's name without its prefix."""
    return name.removeprefix("numcodecs.").removeprefix("n5_")


def _names(codecs: Sequence[NamedConfiguration]) -> Iterator[str]:
    """The names of codecs, and of codecs inside them."""
    for codec in codecs:
        yield codec.name
        inner = codec.configuration.get("codecs", ())
        yield from _names([_named(one, "codecs") for one in inner])


def default_chunk_shape(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """The array's shape, with its longest dimension halved until a chunk is not larger than `CHUNK_NBYTES`.

    >>> default_chunk_shape((2000, 2000, 2000), 4)
    (63, 125, 125)
    """
    lengths = [max(1, length) for length in shape]
    while math.prod(lengths) * itemsize > CHUNK_NBYTES and max(lengths, default=1) > 1:
        # Halve the first of equally long dimensions: neighbours along the last one are most often read together.
        longest = max(range(len(lengths)), key=lengths.__getitem__)
        lengths[longest] = -(-lengths[longest] // 2)
    return tuple(lengths)


def _dividing_shape(shard_shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """The shape of a shard's inner chunks: the shard's shape, its longest dimension divided until they have at most 1 MiB."""
    lengths = list(shard_shape)
    while math.prod(lengths) * itemsize > CHUNK_NBYTES // 4 and max(lengths, default=1) > 1:
        longest = max(range(len(lengths)), key=lengths.__getitem__)
        lengths[longest] //= _smallest_factor(lengths[longest])
    return tuple(lengths)


def _smallest_factor(number: int) -> int:
    return next((factor for factor in range(2, math.isqrt(number) + 1) if number % factor == 0), number)


def as_lengths(value: Any, member: str, minimum: int, ndim: int = 1) -> tuple[int, ...]:
    """Lengths of dimensions, each at least ``minimum``; one integer is the length of ``ndim`` dimensions.

    Raises:
        MetadataError: they are not integers, or too small.
    """
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        value = (value,) * ndim
    try:
        lengths = tuple(int(length) for length in value)
        whole = all(length == given for length, given in zip(lengths, value, strict=True))
    except (TypeError, ValueError, OverflowError) as error:
        raise MetadataError(
            f"expected integers, one per dimension, found {value!r}", member=member
        ) from error
    if not whole or any(length < minimum for length in lengths):
        raise MetadataError(f"expected integers of at least {minimum}, found {value!r}", member=member)
    return lengths


def as_data_type(value: Any) -> DataType:
    """The data type of a name, an object of a document, or anything that NumPy accepts as a dtype.

    Raises:
        MetadataError: it is not a data type.
        UnsupportedError: a type without a Zarr v3 data type.

    >>> as_data_type("float32").name, as_data_type(">i2").name, as_data_type(str).name
    ('float32', 'int16', 'string')
    """
    if isinstance(value, DataType):
        return value
    # Compared, so that NumPy's dtypes of these types count, too. For NumPy itself they have no characters.
    for name, spellings in (("string", (str, "str")), ("variable_length_bytes", (bytes,))):
        if value in spellings:
            return parse_data_type(name)
    if isinstance(value, str | dict):
        try:
            return parse_data_type(value)
        except UnsupportedError as error:
            unknown = error
            if isinstance(value, dict):
                raise
    try:
        dtype = np.dtype(value)
    except (TypeError, ValueError, SyntaxError) as error:
        if isinstance(value, str):
            if unknown.name == value:
                hint = did_you_mean(value, data_type_names())
                unknown = UnsupportedError("data type", value, f"is not supported{hint}")
            raise unknown from error
        raise MetadataError(f"expected a data type, found {value!r}", member="dtype") from error
    return data_type_of(dtype)


def as_fill_value(value: Any, data_type: DataType) -> Element:
    """The element of a fill value: a JSON spelling, or anything that NumPy can convert.

    Raises:
        MetadataError: it cannot be an element of this type.
    """
    if value is None:
        return zero(data_type.dtype)
    if isinstance(value, bool | int | float | str | list | dict):
        return parse_fill_value(value, data_type)
    try:
        element = np.array(value, data_type.dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise MetadataError(
            f"expected an element of {data_type.name}, found {value!r}", member="fill_value"
        ) from error
    if element.ndim:
        raise MetadataError(f"expected one element, found {element.size}", member="fill_value")
    element.flags.writeable = False
    return element


def _chain(codecs: CodecsLike, data_type: DataType) -> list[NamedConfiguration]:
    """The codecs in order, including one array → bytes codec."""
    chain = as_codecs(codecs, "codecs")
    kinds = [_class_of(codec.name) for codec in chain]
    if not any(issubclass(kind, ArrayToBytesCodec) for kind in kinds):
        first = next((i for i, kind in enumerate(kinds) if issubclass(kind, BytesToBytesCodec)), len(kinds))
        chain.insert(first, plain_array_to_bytes(data_type.dtype))
    return chain


def _of_kind(codecs: CodecsLike, member: str, kind: type[Any]) -> list[NamedConfiguration]:
    """The codecs, all of which must be of one kind."""
    chain = as_codecs(codecs, member)
    for codec in chain:
        if not issubclass(_class_of(codec.name), kind):
            arrow = "array → array" if kind is ArrayToArrayCodec else "bytes → bytes"
            raise MetadataError(f"expected {arrow} codecs, found {codec.name!r}", member=member)
    return chain


def _class_of(name: str) -> type[Any]:
    try:
        return codec_class(name)
    except UnsupportedError as error:
        known, full = codec_names(), f"numcodecs.{name}"
        hint = f": did you mean {full!r}?" if full in known else did_you_mean(name, known)
        if not hint or not str(error).endswith("is not supported"):
            raise
        raise UnsupportedError("codec", name, f"is not supported{hint}") from None


def as_codecs(codecs: CodecsLike, member: str) -> list[NamedConfiguration]:
    """One codec, or several, as a list."""
    is_one = isinstance(codecs, str | Mapping | NamedConfiguration)
    if is_one or hasattr(codecs, "to_dict") or hasattr(codecs, "get_config"):
        return [_named(cast("CodecLike", codecs), member)]
    if not isinstance(codecs, Iterable):
        raise MetadataError(f"expected a codec, or several in order, found {codecs!r}", member=member)
    return [_named(codec, f"{member}[{position}]") for position, codec in enumerate(codecs)]


def _named(codec: CodecLike, member: str) -> NamedConfiguration:
    if isinstance(codec, NamedConfiguration):
        return codec
    if hasattr(codec, "to_dict"):
        codec = json.loads(json.dumps(codec.to_dict()))  # it has tuples
    elif hasattr(codec, "get_config"):
        codec = codec.get_config()
    if isinstance(codec, Mapping):
        codec = json_attributes(codec, member)  # NumPy's numbers and tuples as JSON's
        if "id" in codec and "name" not in codec:
            return parse_codec(codec, member)
    return parse_named_configuration(codec, member)


def _sharding(inner: tuple[int, ...], codecs: Sequence[NamedConfiguration]) -> NamedConfiguration:
    return NamedConfiguration(
        "sharding_indexed",
        {
            "chunk_shape": list(inner),
            "codecs": [codec.document() for codec in codecs],
            "index_codecs": list(_INDEX_CODECS),
            "index_location": "end",
        },
    )
