"""Dimensions in another order."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from zarrcore.codecs import ArraySpec
from zarrcore.codecs.array_to_array.transpose import TransposeCodec
from zarrcore.errors import MetadataError
from zarrcore.metadata.fill_value import zero

VALUES = np.arange(24).reshape(2, 3, 4)
SPEC = ArraySpec(VALUES.shape, VALUES.dtype, zero(VALUES.dtype))


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_a_dimension_of_the_encoded_array_is_that_of_the_order(order: tuple[int, ...]) -> None:
    codec = TransposeCodec.from_configuration({"order": list(order)})
    encoded = codec.encode(VALUES, SPEC)
    assert encoded.shape == codec.encoded_spec(SPEC).shape == tuple(VALUES.shape[axis] for axis in order)
    index = (1, 2, 3)
    assert encoded[tuple(index[axis] for axis in order)] == VALUES[index]
    decoded = codec.decode(encoded, SPEC)
    assert np.array_equal(decoded, VALUES)
    assert np.shares_memory(decoded, VALUES)  # no element is copied


@pytest.mark.parametrize(("letter", "order"), [("C", [0, 1, 2]), ("F", [2, 1, 0])])
def test_letters_of_older_drafts_are_written_as_permutations(letter: str, order: list[int]) -> None:
    codec = TransposeCodec.from_configuration({"order": letter})
    assert codec.configuration(SPEC) == {"order": order}
    assert codec.encode(VALUES, SPEC).shape == tuple(VALUES.shape[axis] for axis in order)


def test_an_array_without_dimensions_stays_as_it_is() -> None:
    kind = np.dtype("<i4")
    spec = ArraySpec((), kind, zero(kind))
    for order in ([], "C", "F"):
        codec = TransposeCodec.from_configuration({"order": order})
        assert codec.encoded_spec(spec).shape == ()
        assert codec.decode(codec.encode(np.array(7, kind), spec), spec).item() == 7


def test_the_fill_value_stays() -> None:
    fill = np.array(5, "<i4")
    spec = ArraySpec((2, 3), fill.dtype, fill)
    assert TransposeCodec.from_configuration({"order": [1, 0]}).encoded_spec(spec).fill_value is fill


@pytest.mark.parametrize("order", [None, "A", "c", [0, 0], [1, 2], [-1, 0], [0.5, 1], [True, 0], 1, {"0": 1}])
def test_what_is_not_a_permutation_is_refused(order: Any) -> None:
    with pytest.raises(MetadataError) as caught:
        TransposeCodec.from_configuration({"order": order})
    assert str(caught.value.member).startswith("order")


def test_a_permutation_of_other_dimensions_is_refused() -> None:
    codec = TransposeCodec.from_configuration({"order": [1, 0]})
    with pytest.raises(MetadataError, match="expected a permutation of 3 dimensions, found 2"):
        codec.encoded_spec(SPEC)
