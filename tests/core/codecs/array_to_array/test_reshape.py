"""``reshape``: which shapes the registry allows, and that no element moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.errors import MetadataError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.fill_value import zero


def encoded_shape(shape: Any, decoded: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that reaches the next codec, which is asked to transpose it."""
    dtype = np.dtype("<u2")
    found = Pipeline(
        [NamedConfiguration("reshape", {"shape": shape}), _last], ArraySpec(decoded, dtype, zero(dtype))
    )
    values = np.arange(np.prod(decoded), dtype=dtype).reshape(decoded)
    for array in (values, np.array(values, order="F")):
        assert bytes(found.encode(array)) == values.tobytes()
    assert np.array_equal(found.decode(values.tobytes()), values)
    return found._encoded_spec.shape


_last = NamedConfiguration("bytes", {"endian": "little"})


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ([[0, 1], [2], 3], (5000 // 250, 8, 3)),
        ([[0], -1], (4, 120)),
        ([-1], (480,)),
        ([480], (480,)),
        ([[0], [1], [2], [3]], (4, 5, 8, 3)),
        ([2, 2, [1], -1], (2, 2, 5, 24)),
        ([[0, 1], 8, [3]], (20, 8, 3)),
        ([[], [0, 1, 2, 3]], (1, 480)),
    ],
)
def test_shapes(shape: list, expected: tuple[int, ...]) -> None:
    assert encoded_shape(shape, (4, 5, 8, 3)) == expected


def test_without_dimensions() -> None:
    assert encoded_shape([1, 1], ()) == (1, 1)
    assert encoded_shape([], ()) == ()


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ([-1, -1], "at most one"),
        ([7, -1], "no length of -1"),
        ([479], "480 elements"),
        ([[1], [0], -1], "increasing"),
        ([[1, 0], -1], "increasing"),
        ([[1], -1], "are not along"),
        ([[0, 2], -1], "are not along"),
        ([[4], -1], "dimensions below 4"),
        ([0, -1], "positive"),
        ([True], "positive"),
        ([1.5], "positive"),
        ("all", "array"),
        ([1] * 70, "at most 64"),
        (None, "array"),
    ],
)
def test_shapes_that_are_refused(shape: Any, words: str) -> None:
    with pytest.raises(MetadataError, match=words):
        encoded_shape(shape, (4, 5, 8, 3))
