"""Headers of JPEG XL."""

from __future__ import annotations

from typing import Any

import imagecodecs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrcore.codecs.image_headers.jpegxl import jpegxl_header


@given(st.integers(1, 300), st.integers(1, 300))
@settings(max_examples=25)
def test_the_size_is_that_of_the_image(width: int, height: int) -> None:
    data = bytes(imagecodecs.jpegxl_encode(np.zeros((height, width), "u1"), level=100, effort=1))
    header = jpegxl_header(data)
    assert header is not None
    assert header[:2] == (width, height)


@pytest.mark.parametrize("shape", [(1, 5000), (8, 8), (120, 160), (256, 256), (9000, 9), (45, 60), (80, 45)])
@pytest.mark.parametrize("dtype", ["u1", "u2", "f2", "f4"])
def test_size_and_bits_of_all_forms_are_read(shape: tuple[int, int], dtype: str) -> None:
    data = bytes(imagecodecs.jpegxl_encode(np.zeros(shape, dtype), effort=1))
    assert jpegxl_header(data) == (shape[1], shape[0], 3, 8 * np.dtype(dtype).itemsize)


@pytest.mark.parametrize("count", [1, 2, 3, 20])
def test_further_channels_are_counted(count: int) -> None:
    image = np.zeros((1 + count, 20, 30), "u1")
    data = bytes(imagecodecs.jpegxl_encode(image, planar=True, effort=1))
    assert jpegxl_header(data) == (30, 20, 3 + count, 8)


def in_boxes(*parts: tuple[bytes, bytes]) -> bytes:
    """A file of boxes."""
    signature = b"\0\0\0\x0cJXL \r\n\x87\n"
    return signature + b"".join((8 + len(part)).to_bytes(4, "big") + kind + part for kind, part in parts)


def test_a_codestream_can_be_in_a_box_or_in_parts() -> None:
    data = bytes(imagecodecs.jpegxl_encode(np.zeros((20, 30), "u1")))
    whole = in_boxes((b"ftyp", b"jxl \0\0\0\0jxl "), (b"jxlc", data))
    parts = [(b"jxlp", bytes(4) + data[:3]), (b"jxlp", b"\x80\0\0\1" + data[3:])]
    for value in (whole, in_boxes((b"ftyp", b"jxl \0\0\0\0jxl "), *parts)):
        assert imagecodecs.jpegxl_decode(value).shape == (20, 30)
        assert jpegxl_header(value) == (30, 20, 3, 8)


def test_animations_are_not_recognized() -> None:
    frames: Any = np.zeros((5, 20, 30, 3), "u1")
    data = bytes(imagecodecs.jpegxl_encode(frames))
    assert imagecodecs.jpegxl_decode(data).shape == frames.shape
    assert jpegxl_header(data) is None


@given(st.sampled_from([b"\xff\x0a", in_boxes(), in_boxes((b"jxlc", b"\xff\x0a"))]), st.binary())
def test_anything_else_has_no_header_or_numbers(start: bytes, rest: bytes) -> None:
    found = jpegxl_header(start + rest)
    assert found is None or min(found) >= 0
