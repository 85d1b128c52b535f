"""Chunks of nothing but the fill value: bit for bit, of whatever type."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.codecs.cases import ANY, elements
from zarrcore.codecs import is_fill
from zarrcore.metadata.fill_value import zero
from zarrcore.typing import AnyArray

NANS = np.array([0x7FC00000, 0x7FC00001, 0xFFC00000, 0x7F800001, 0x80000000, 0], "<u4").view("<f4")
SHAPES = [(), (0,), (1,), (7,), (3, 4), (70_000,), (300, 300), (2, 300, 300)]


@pytest.mark.sampled(40)
@pytest.mark.parametrize("dtype", [*ANY, "V16", [("a", "<i2"), ("b", ">f8")], "S4099"])
@pytest.mark.parametrize("shape", SHAPES)
def test_chunks_full_of_the_fill_value_are_found(dtype: Any, shape: tuple[int, ...]) -> None:
    dtype = np.dtype(dtype)
    if dtype.itemsize > 100:
        shape = tuple(min(length, 9) for length in shape)
    fill = np.arange(1, dtype.itemsize + 1).astype("u1").view(dtype)[0] if dtype.kind != "b" else np.True_
    fill = np.array(fill, dtype)
    chunk = np.empty(shape, dtype)
    chunk[...] = fill
    assert is_fill(chunk, fill)
    assert is_fill(chunk.T, fill)
    assert is_fill(np.stack([chunk, chunk], -1)[..., 0], fill)
    assert is_fill(chunk.astype(dtype.newbyteorder(">")), fill)
    if chunk.size:
        chunk[(-1,) * chunk.ndim] = np.zeros((), dtype)
        assert not is_fill(chunk, fill)
        assert not is_fill(chunk.T, fill)
        assert not is_fill(np.stack([chunk, chunk], -1)[..., 0], fill)


@pytest.mark.parametrize("fill", NANS.reshape(-1, 1), ids=lambda fill: fill.tobytes().hex())
def test_nans_by_their_payload_and_zeros_by_their_sign(fill: AnyArray) -> None:
    for other in NANS.reshape(-1, 1):
        assert is_fill(np.repeat(other, 5), fill.reshape(())) == (other.tobytes() == fill.tobytes())


@given(data=st.data(), dtype=st.sampled_from(ANY), shape=st.sampled_from([(), (3,), (2, 2)]))
def test_is_fill_agrees_with_comparing_bytes(data: st.DataObject, dtype: str, shape: tuple[int, ...]) -> None:
    chunk = data.draw(elements(np.dtype(dtype), shape, finite=False))
    fill = data.draw(elements(np.dtype(dtype), (), finite=False) | st.just(zero(np.dtype(dtype))))
    expected = chunk.tobytes() == fill.tobytes() * chunk.size
    assert is_fill(chunk, fill) == expected


def test_texts_and_objects_by_value() -> None:
    words = np.dtypes.StringDType()
    fill = np.array("a long enough text that lies elsewhere", words)
    assert is_fill(np.array([fill.item()] * 3, words), fill)
    assert not is_fill(np.array([fill.item(), ""], words), fill)
    none = np.array(b"", object)
    assert is_fill(np.array([b"", b""], object), none)
    assert not is_fill(np.array([b"", b"x"], object), none)
    assert not is_fill(np.array([b"", ""], object), none)
