"""Headers of LERC."""

from __future__ import annotations

import imagecodecs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.codecs.image_headers.lerc import lerc_header

IMAGE = np.zeros((20, 30), "u1")


@pytest.mark.parametrize("version", [2, 3, 4, 5, 6])
def test_the_header_tells_the_size(version: int) -> None:
    assert lerc_header(bytes(imagecodecs.lerc_encode(IMAGE, version=version))) == (30, 20, 1, 0)


@pytest.mark.parametrize("version", [4, 6])
def test_bands_and_values_of_an_element_are_channels(version: int) -> None:
    image = np.arange(4200, dtype="u2").reshape(7, 20, 30)
    assert lerc_header(bytes(imagecodecs.lerc_encode(image, version=version, planar=True))) == (30, 20, 7, 0)
    deep = np.ascontiguousarray(image.transpose(1, 2, 0))
    assert lerc_header(bytes(imagecodecs.lerc_encode(deep, version=version, planar=False))) == (30, 20, 7, 0)


@given(st.binary())
def test_anything_else_has_no_header_or_numbers(rest: bytes) -> None:
    found = lerc_header(b"Lerc2 " + rest)
    assert found is None or min(found) >= 0
