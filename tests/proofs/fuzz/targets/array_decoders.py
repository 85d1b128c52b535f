"""Every array → bytes and array → array decoder: CodecError or UnsupportedError, or an array that can be written again."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import imagecodecs
import numpy as np

from tests.proofs.fuzz.chains import ON_ARRAYS, assert_same
from zarrcore.codecs import Pipeline
from zarrcore.errors import CodecError, UnsupportedError

_ONLY_READ = {
    f"imagecodecs_{name}": getattr(imagecodecs, f"{name}_encode")
    for name in ("b2nd", "jpeg", "jpeg2k", "jpegls", "jpegxl", "jpegxr", "lerc", "png", "webp")
    if hasattr(imagecodecs, f"{name}_encode")  # b2nd is not in the last version for Python 3.11
}
"""What encodes images and arrays of Blosc2, which are only decoded here."""


@cache
def _pipeline(number: int) -> Pipeline:
    return ON_ARRAYS[number].pipeline()


def check(data: bytes) -> None:
    """The first byte is the chain of codecs; the rest is what it decodes, and then encodes and decodes again."""
    if not data:
        return
    number, encoded = data[0] % len(ON_ARRAYS), data[1:]
    chain, pipeline = ON_ARRAYS[number], _pipeline(number)
    try:
        decoded = pipeline.decode(encoded)
    except (CodecError, UnsupportedError):
        return
    assert decoded.shape == chain.array.shape
    assert decoded.dtype == chain.array.dtype
    part = np.empty((*decoded.shape[:-1], decoded.shape[-1] // 2) if decoded.ndim else (), decoded.dtype)
    region = (..., slice(part.shape[-1])) if decoded.ndim else (...,)
    try:
        pipeline.decode_into(encoded, part, tuple(slice(length) for length in part.shape))
    except CodecError as error:
        raise AssertionError("a part cannot be decoded") from error
    assert_same(part, decoded[region])
    try:
        again = bytes(pipeline.encode(decoded))
    except (CodecError, UnsupportedError):
        return
    assert pipeline.encoded_nbytes in (None, len(again))
    assert len(again) <= pipeline.max_encoded_nbytes
    if chain.exact:
        assert_same(pipeline.decode(again), decoded)


def examples() -> Iterable[bytes]:
    """What each chain encodes, and chunks of those that only decode."""
    for number, chain in enumerate(ON_ARRAYS):
        encoded = chain.encoded()
        if chain.codec.name == "numcodecs.json2":
            encoded = b'[["a", null, 1.5], [[1], {"b": "c"}, "x"], "|O", [2, 3]]'
        elif chain.codec.name == "numcodecs.msgpack2":
            encoded = b"\x94\x93\xa1a\xa1b\xc0\x93\x01\x90\x80\xa2|O\x92\x02\x03"
        elif chain.codec.name in _ONLY_READ:
            encoded = _ONLY_READ[chain.codec.name](chain.array)
        yield bytes([number]) + encoded
