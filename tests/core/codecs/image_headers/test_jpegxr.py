"""Headers of JPEG XR."""

from __future__ import annotations

import imagecodecs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.codecs.image_headers.jpegxr import jpegxr_header


@pytest.mark.parametrize("shape", [(20, 30), (20, 30, 3), (70000, 20)])
def test_the_header_tells_the_size(shape: tuple[int, ...]) -> None:
    data = bytes(imagecodecs.jpegxr_encode(np.zeros(shape, "u1")))
    header = jpegxr_header(data)
    assert header is not None
    assert header[:2] == (shape[1], shape[0])
    assert header.channels >= len(shape)
    assert jpegxr_header(data[:100]) is None


@given(st.binary())
def test_anything_else_has_no_header_or_numbers(rest: bytes) -> None:
    found = jpegxr_header(b"II\xbc\1" + rest)
    assert found is None or min(found) >= 0
