"""What all codecs share: descriptions of arrays, bounds, batches, and codecs that only decode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pytest

from zarrcore.codecs.interface import ArraySpec, Buffer, BytesToBytesCodec
from zarrcore.errors import UnsupportedError
from zarrcore.metadata.fill_value import zero


class Doubled(BytesToBytesCodec):
    """A codec of another package, which only decodes: each byte is stored twice."""

    names = ("doubled", "twice")

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        return cls()

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        return bytes(encoded)[::2]


class InPlace(Doubled):
    """Decodes into the given buffer, and encodes."""

    def decode(self, encoded: Buffer, max_nbytes: int, out: memoryview | None = None) -> Buffer:
        assert out is not None
        out[: len(encoded) // 2] = bytes(encoded)[::2]
        return out[: len(encoded) // 2] if len(encoded) != 2 * len(out) else out

    def encode(self, decoded: Buffer) -> Buffer:
        return b"".join(bytes([byte, byte]) for byte in decoded)

    def encoded_nbytes(self, decoded_nbytes: int) -> int:
        return 2 * decoded_nbytes


@pytest.mark.parametrize(("shape", "size"), [((), 1), ((3, 4), 12), ((3, 0), 0), ((2**40, 2**40), 2**80)])
def test_an_array_has_as_many_elements_as_its_shape_says(shape: tuple[int, ...], size: int) -> None:
    kind = np.dtype("<u2")
    spec = ArraySpec(shape, kind, zero(kind))
    assert (spec.size, spec.nbytes) == (size, 2 * size)


def test_fill_values_do_not_distinguish_arrays() -> None:
    kind = np.dtype("<u2")
    spec = ArraySpec((2,), kind, np.array(7, kind))
    assert spec == ArraySpec((2,), kind, zero(kind))
    other = spec.with_dtype(np.dtype("<f4"))
    assert (other.shape, other.dtype, float(other.fill_value)) == ((2,), np.dtype("<f4"), 0.0)
    assert other != spec


def test_a_codec_that_only_decodes_says_so() -> None:
    assert InPlace().can_encode
    assert not Doubled().can_encode
    with pytest.raises(UnsupportedError, match="'doubled' can be read but not written"):
        Doubled().encode(b"1")
    kind = np.dtype("<u2")
    assert Doubled().configuration(ArraySpec((2,), kind, zero(kind))) is None


def test_encoded_bytes_are_bounded_exactly_or_with_room_for_any_compressor() -> None:
    assert InPlace().max_encoded_nbytes(10) == 20
    for nbytes in (0, 1, 1 << 30):
        assert nbytes < Doubled().max_encoded_nbytes(nbytes) <= nbytes * 1.2 + 5000
