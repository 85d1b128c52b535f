"""The predictor of TIFF files, compared with what imagecodecs registers with numcodecs."""

from __future__ import annotations

from typing import Any

import imagecodecs.numcodecs
import numpy as np
import pytest

from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.codecs.array_to_array.imagecodecs_delta import ImagecodecsDeltaCodec
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration


def _spec(dtype: str, shape: tuple[int, ...] = (5, 4, 3)) -> ArraySpec:
    return ArraySpec(shape, np.dtype(dtype), np.zeros((), dtype))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("axis", [-1, -2, 0])
@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "i8", "f4", "f8"])
def test_chunks_of_numcodecs_are_read(dtype: str, axis: int, order: str) -> None:
    values = np.random.default_rng(0).integers(0, 100, (5, 4, 3)).astype(dtype)
    stored = np.dtype(dtype).newbyteorder("<" if order == "little" else ">")
    told: dict[str, Any] = {"axis": axis, "dist": 1, "shape": [5, 4, 3], "dtype": stored.str}
    encoded = imagecodecs.numcodecs.Delta.from_config(told).encode(values.astype(stored))
    codecs = [NamedConfiguration("imagecodecs_delta", told), NamedConfiguration("bytes", {"endian": order})]
    pipeline = Pipeline(codecs, _spec(dtype))
    assert np.array_equal(pipeline.decode(encoded), values)
    assert bytes(pipeline.encode(values)) == encoded


def test_another_shape_of_the_same_elements_is_that_of_the_differences() -> None:
    values = np.arange(24, dtype="u2").reshape(4, 6) ** 2
    told = {"shape": [24], "dtype": "<u2"}
    encoded = imagecodecs.numcodecs.Delta(shape=(24,), dtype="<u2").encode(values.reshape(-1))
    codecs = [
        NamedConfiguration("imagecodecs_delta", told),
        NamedConfiguration("bytes", {"endian": "little"}),
    ]
    assert np.array_equal(Pipeline(codecs, _spec("u2", (4, 6))).decode(encoded), values)


@pytest.mark.parametrize("dtype", ["c8", "?", "S3", "M8[s]"])
def test_other_elements_than_numbers_are_refused(dtype: str) -> None:
    with pytest.raises(MetadataError, match="expected numbers"):
        ImagecodecsDeltaCodec.from_configuration({}).encoded_spec(_spec(dtype))


def test_another_distance_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="the distance 2 is not decoded"):
        ImagecodecsDeltaCodec.from_configuration({"dist": 2})


def test_a_chunk_without_elements_stays_so() -> None:
    spec = _spec("u2", (0, 3))
    assert ImagecodecsDeltaCodec.from_configuration({}).decode(np.empty((0, 3), "u2"), spec).shape == (0, 3)
