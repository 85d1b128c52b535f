"""Frames of a GIF animation, one after the other."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageSequence

from zarrbrowser.export.movies.gif import END, frame_blocks, header


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 256), st.integers(1, 4))
def test_frames_of_few_colours_are_exact(width: int, height: int, colours: int, number: int) -> None:
    random = np.random.default_rng(width * 7 + height)
    table = random.integers(0, 256, (colours, 3), np.uint8)
    frames = [table[random.integers(0, colours, (height, width))] for _ in range(number)]
    document = header((width, height), loops=False) + b"".join(frame_blocks(one, 10) for one in frames) + END
    with Image.open(io.BytesIO(document)) as found:
        read = [np.asarray(one.convert("RGB")) for one in ImageSequence.Iterator(found)]
    assert len(read) == number
    for one, pixels in zip(frames, read, strict=True):
        assert np.abs(one.astype(int) - pixels).max() <= (0 if colours <= 128 else 40)


@pytest.mark.parametrize(("rate", "milliseconds"), [(10, 100), (0.5, 2000), (1000, 10)])
def test_the_rate_is_in_hundredths_of_a_second(rate: float, milliseconds: int) -> None:
    document = header((2, 2), loops=True) + frame_blocks(np.zeros((2, 2, 3), np.uint8), rate) + END
    with Image.open(io.BytesIO(document)) as found:
        assert found.info["duration"] == milliseconds
