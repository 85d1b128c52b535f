"""Headers of PNG."""

from __future__ import annotations

import imagecodecs
import numpy as np
import pytest

from zarrcore.codecs.image_headers.png import png_header


@pytest.mark.parametrize(("channels", "dtype"), [(1, "u1"), (2, "u1"), (3, "u2"), (4, "u2")])
def test_the_header_tells_size_and_samples(channels: int, dtype: str) -> None:
    image = np.zeros((20, 30, channels) if channels > 1 else (20, 30), dtype)
    data = bytes(imagecodecs.png_encode(image))
    assert png_header(data) == (30, 20, channels, 8 * np.dtype(dtype).itemsize)
    assert png_header(data[:20]) is None
    assert png_header(data[1:]) is None
