"""HDF5's bitshuffle; real files are in the tests of the store."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.codecs.bytes_to_bytes.hdf5_bitshuffle import Hdf5BitshuffleCodec, unshuffled
from zarrcore.errors import CodecError


def shuffled(data: bytes, item: int) -> bytes:
    """The bits of the elements, those of the same significance together."""
    bits = np.unpackbits(np.frombuffer(data, "u1").reshape(-1, item), axis=1, bitorder="little")
    return np.packbits(np.ascontiguousarray(bits.T), axis=1, bitorder="little").tobytes()


@given(st.integers(1, 9), st.integers(0, 5), st.data())
def test_bits_return_to_their_elements(item: int, count: int, data: st.DataObject) -> None:
    plain = data.draw(st.binary(min_size=8 * item * count, max_size=8 * item * count))
    assert unshuffled(shuffled(plain, item), item) == plain


def test_elements_at_the_end_are_as_they_are() -> None:
    codec = Hdf5BitshuffleCodec.from_configuration({"elementsize": 2, "blocksize": 8})
    plain = bytes(range(42))
    encoded = shuffled(plain[:16], 2) + shuffled(plain[16:32], 2) + plain[32:]
    assert bytes(codec.decode(encoded, 42)) == plain


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
@given(encoded=st.binary(max_size=60))
def test_any_bytes_decode_or_are_refused(compression: str, encoded: bytes) -> None:
    codec = Hdf5BitshuffleCodec.from_configuration({"elementsize": 2, "compression": compression})
    with contextlib.suppress(CodecError):
        assert len(codec.decode(encoded, 40)) <= 40
