"""Frames of a GIF animation, one after the other."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageSequence

from zarrbrowser.export.movies.gif import END, common_palette, frame_blocks, header


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


def test_frames_of_one_palette_give_equal_numbers_equal_colours() -> None:
    ramp = np.stack([np.arange(256), 255 - np.arange(256), np.full(256, 40)], axis=1).astype(np.uint8)
    first = np.full((40, 60, 3), ramp[3])
    second = first.copy()
    second[5:10, :] = ramp[np.linspace(0, 255, 60).astype(int)]
    palette = common_palette(first, ramp)
    document = header((60, 40), loops=False)
    document += b"".join(frame_blocks(one, 10, palette) for one in (first, second)) + END
    with Image.open(io.BytesIO(document)) as found:
        read = [np.asarray(one.convert("RGB")).astype(int) for one in ImageSequence.Iterator(found)]
    assert np.array_equal(read[0][0, 0], read[1][30, 30]), "what does not change keeps its colour"
    for pixels, one in zip(read, (first, second), strict=True):
        assert np.abs(pixels - one).max() <= 3, "also colours that the first frame does not have"
