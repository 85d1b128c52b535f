"""Headers of WebP."""

from __future__ import annotations

from typing import Any

import imagecodecs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.codecs.image_headers.webp import webp_header


@pytest.mark.parametrize("options", [{"lossless": True}, {"lossless": False, "level": 50}])
@pytest.mark.parametrize("channels", [3, 4])
def test_the_header_tells_the_size(options: dict[str, Any], channels: int) -> None:
    image = np.random.default_rng(0).integers(0, 255, (20, 300, channels)).astype("u1")
    data = bytes(imagecodecs.webp_encode(image, **options))
    assert webp_header(data) == (300, 20, 4, 8)
    assert webp_header(data[:29]) is None
    assert webp_header(b"RIFX" + data[4:]) is None


def test_animations_are_not_recognized() -> None:
    head = b"RIFF    WEBPVP8X\x0a\0\0\0"
    size = b"\4\0\0\6\0\0"
    assert webp_header(head + b"\0\0\0\0" + size) == (5, 7, 4, 8)
    assert webp_header(head + b"\2\0\0\0" + size) is None


@given(st.sampled_from([b"VP8X", b"VP8L", b"VP8 ", b""]), st.binary())
def test_anything_else_has_no_header_or_numbers(start: bytes, rest: bytes) -> None:
    found = webp_header(b"RIFF    WEBP" + start + rest)
    assert found is None or min(found) >= 0
