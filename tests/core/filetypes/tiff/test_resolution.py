"""The size of pixels in a TIFF file, read with tifffile."""

from __future__ import annotations

import io

import pytest
import tifffile

import zarrcore
from zarrcore.filetypes import TiffFile


@pytest.mark.parametrize(
    ("resolution", "is_told"),
    [
        ((1e7, 2.5e6), True),
        ((1e4 / 0.325, 1e4 / 0.65), True),
        ((1.0, 1e-7), True),
        ((1e-30, 1.0), False),
        ((1.0, 1e30), False),
        (None, False),
    ],
)
def test_the_resolution_is_in_pixels_per_centimetre(
    resolution: tuple[float, float] | None, is_told: bool
) -> None:
    array = zarrcore.create("memory://").create_array("/a", shape=(3, 4, 5), dtype="uint8")
    stream = io.BytesIO()
    TiffFile(array, ..., resolution).write_to(stream)
    stream.seek(0)
    with tifffile.TiffFile(stream) as file:
        for page in file.pages:
            unit = tifffile.RESUNIT.CENTIMETER if is_told else tifffile.RESUNIT.NONE
            assert page.resolutionunit == unit
            expected = resolution if is_told and resolution is not None else (1, 1)
            assert page.resolution[::-1] == pytest.approx(expected, rel=1e-6)
