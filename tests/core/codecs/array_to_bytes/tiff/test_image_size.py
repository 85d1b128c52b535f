"""Sizes in headers of images."""

from __future__ import annotations

import imagecodecs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.codecs.array_to_bytes.tiff.image_size import image_size

IMAGE = np.zeros((20, 30), "u1")


@pytest.mark.parametrize("name", ["jpeg8", "png", "jpeg2k", "lerc"])
def test_the_header_tells_the_size(name: str) -> None:
    data = bytes(getattr(imagecodecs, f"{name}_encode")(IMAGE))
    assert image_size(data) == (30, 20)
    if name == "jpeg8":
        assert image_size(data[:2] + b"\xff\xff" + data[2:]) == (30, 20)


def test_a_codestream_of_jpeg_2000_needs_no_file_around_it() -> None:
    data = bytes(imagecodecs.jpeg2k_encode(IMAGE, codecformat="j2k"))
    assert image_size(data) == (30, 20)


@given(
    st.sampled_from([b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"Lerc2 ", b"\xff\x4f\xff\x51"]), st.binary()
)
def test_anything_else_has_no_size_or_numbers(start: bytes, rest: bytes) -> None:
    found = image_size(start + rest)
    assert found is None or min(found) >= 0
