"""The floating-point predictor of TIFF files, compared with what imagecodecs registers with numcodecs."""

from __future__ import annotations

import imagecodecs.numcodecs
import numpy as np
import pytest

from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata import NamedConfiguration


def _pipeline(dtype_: str, shape_: tuple[int, ...] = (5, 8, 4), **told: object) -> Pipeline:
    spec = ArraySpec(shape_, np.dtype(dtype_), np.zeros((), dtype_))
    return Pipeline([NamedConfiguration("imagecodecs_floatpred", told)], spec)


@pytest.mark.parametrize("dist", [1, 2, 4])
@pytest.mark.parametrize("axis", [-1, -2])
@pytest.mark.parametrize("dtype", ["<f2", ">f4", "<f4", ">f8"])
def test_chunks_of_numcodecs_are_read(dtype: str, axis: int, dist: int) -> None:
    values = np.random.default_rng(0).standard_normal((5, 8, 4)).astype(dtype)
    values[0, 0] = [np.nan, -0.0, np.inf, -np.inf]
    told = {"axis": axis, "dist": dist, "shape": [5, 8, 4], "dtype": dtype}
    encoded = imagecodecs.numcodecs.Floatpred.from_config(told).encode(values)
    pipeline = _pipeline(dtype.replace(">", "<"), **told)
    assert pipeline.decode(encoded).tobytes() == values.astype(dtype.replace(">", "<")).tobytes()
    assert bytes(pipeline.encode(values)) == encoded
    with pytest.raises(CodecError, match=r"expected (320|640|1,280) bytes"):
        pipeline.decode(encoded[1:])


@pytest.mark.parametrize(
    ("dtype", "told"), [("<i4", {}), ("<c8", {}), ("<f4", {"axis": 0}), ("<f4", {"axis": -4})]
)
def test_what_it_cannot_hold_is_refused(dtype: str, told: dict[str, object]) -> None:
    with pytest.raises(MetadataError):
        _pipeline(dtype, **told)


def test_a_row_that_cannot_be_divided_is_broken() -> None:
    with pytest.raises(CodecError, match="floatpred"):
        _pipeline("<f4", (5, 3), dist=2).decode(bytes(60))


def test_a_chunk_without_elements_stays_so() -> None:
    assert _pipeline("<f4", (0, 3)).decode(b"").shape == (0, 3)
