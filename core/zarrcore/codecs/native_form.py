"""What the engine needs to know to decode chunks: only plain elements, and codecs that it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from zarrcore.codecs.array_to_array.transpose import TransposeCodec
from zarrcore.codecs.array_to_bytes.bytes import BytesCodec
from zarrcore.codecs.interface import (
    ArraySpec,
    ArrayToArrayCodec,
    ArrayToBytesCodec,
    BytesToBytesCodec,
    NativeCodecs,
)
from zarrcore.metadata.data_type.small_numbers import has_unused_bits
from zarrcore.native import CODEC_KINDS, MAX_CODECS, MAX_NDIM, NativeCodec


@dataclass(frozen=True, slots=True)
class NativeForm:
    """A chain of codecs, as the engine executes it."""

    codecs: tuple[NativeCodec, ...]
    """In the order of encoding."""
    names: frozenset[str]
    """The engine's names of these codecs."""
    swap_nbytes: int
    """The size of numbers that are stored in the other byte order; 0 if none are."""
    strides: tuple[int, ...]
    """Per dimension, the bytes between two elements in the bytes that the codecs of bytes return."""
    can_write: bool
    """Whether it also encodes as the pipeline does."""


def native_form(
    spec: ArraySpec,
    array_to_array: Sequence[tuple[ArrayToArrayCodec, ArraySpec]],
    array_to_bytes: ArrayToBytesCodec,
    encoded: ArraySpec,
    bytes_to_bytes: Sequence[tuple[BytesToBytesCodec, int, bool]],
) -> NativeForm | None:
    """The form of a pipeline's parts; None if the engine cannot decode it.

    Args:
        spec: the decoded chunk.
        array_to_array: the codecs of arrays, and what each encodes.
        array_to_bytes: the codec of elements.
        encoded: what it encodes.
        bytes_to_bytes: the codecs of bytes, with the largest size of what each encodes, and whether that is the exact size.
    """
    if not 1 <= len(spec.shape) <= MAX_NDIM or not spec.nbytes:
        return None
    chain = array_to_bytes.native_chain(encoded)
    first: NativeCodecs = ()
    if chain is not None:
        array_to_bytes, first = chain
    swap_nbytes = _swap_nbytes(spec, array_to_bytes, encoded)
    strides = _strides(encoded)
    for array_codec, decoded in reversed(array_to_array):
        if type(array_codec) is not TransposeCodec:
            return None
        order = array_codec.permutation(len(decoded.shape))
        strides = tuple(strides[order.index(axis)] for axis in range(len(order)))
    names = [
        vars(type(codec)).get("native", "") for codec, _, _ in bytes_to_bytes
    ]  # what a subclass does is unknown
    if swap_nbytes is None or not all(names) or len(names) + len(first) > MAX_CODECS:
        return None
    codecs = [_codec(name, encoded.nbytes, parameters) for name, parameters in first]
    for name, (codec, nbytes, is_exact) in zip(names, bytes_to_bytes, strict=True):
        parameters = codec.native_parameters()
        if (not is_exact and not codec.is_checksum) or (
            name == "shuffle" and nbytes % int(parameters["width"])
        ):
            return None
        codecs.append(_codec(name, nbytes if is_exact else -1, parameters))
    all_names = frozenset([*names, *(name for name, _ in first)])
    return NativeForm(tuple(codecs), all_names, swap_nbytes, strides, chain is None)


def _codec(name: str, decoded_nbytes: int, parameters: Mapping[str, int | bytes]) -> NativeCodec:
    return NativeCodec(kind=CODEC_KINDS[name], decoded_nbytes=decoded_nbytes, **parameters)


def _swap_nbytes(spec: ArraySpec, array_to_bytes: ArrayToBytesCodec, encoded: ArraySpec) -> int | None:
    """The size of numbers whose bytes must be reversed; None if more than that must be done."""
    dtype = spec.dtype
    if type(array_to_bytes) is not BytesCodec or dtype.subdtype is not None or has_unused_bits(dtype):
        return None
    if array_to_bytes.is_plain(encoded) and encoded.dtype == dtype:
        return 0
    stored = array_to_bytes.stored_dtype(encoded)
    if (
        dtype.kind not in "iufcmM"
        or (dtype.isbuiltin != 1 and dtype.kind not in "mM")
        or stored != dtype.newbyteorder(">")
    ):
        return None
    return dtype.itemsize // (2 if dtype.kind == "c" else 1)


def _strides(spec: ArraySpec) -> tuple[int, ...]:
    strides = [spec.dtype.itemsize]
    for length in spec.shape[:0:-1]:
        strides.insert(0, strides[0] * length)
    return tuple(strides)
