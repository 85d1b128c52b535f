"""Headers of JPEG, lossless JPEG and JPEG-LS."""

from __future__ import annotations

import imagecodecs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.codecs.image_headers.jpeg import jpeg_header

IMAGE = np.zeros((20, 30), "u1")


@pytest.mark.parametrize("name", ["jpeg8", "ljpeg", "jpegls"])
@pytest.mark.parametrize("inserted", [b"", b"\xff\xff", b"\xff\xd0", b"\x01"])
def test_the_header_is_where_decoders_find_it(name: str, inserted: bytes) -> None:
    data = bytes(getattr(imagecodecs, f"{name}_encode")(IMAGE))
    assert jpeg_header(data[:2] + inserted + data[2:]) == (30, 20, 1, 8)


def test_samples_of_colours_are_channels() -> None:
    assert jpeg_header(bytes(imagecodecs.jpeg8_encode(np.dstack([IMAGE] * 3)))) == (30, 20, 3, 8)


def test_a_scan_before_the_header_means_that_there_is_none() -> None:
    data = bytes(imagecodecs.jpeg8_encode(IMAGE))
    assert jpeg_header(data[:2] + b"\xff\xda\0\x02" + data[2:]) is None


@given(st.binary())
def test_anything_else_has_no_header_or_numbers(rest: bytes) -> None:
    found = jpeg_header(b"\xff\xd8" + rest)
    assert found is None or min(found) >= 0
    assert jpeg_header(rest[2:]) is None or rest[2:4] == b"\xff\xd8"
