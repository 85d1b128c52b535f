"""The letters of the dimensions of microscopy images."""

from __future__ import annotations

import numpy as np
import pytest

from zarrcore.filetypes.tiff.axes import axis_letters


@pytest.mark.parametrize(
    ("names", "letters"),
    [
        ((None, None, None), "ZYX"),
        ((None,) * 5, "TCZYX"),
        (("time", "channel", "Y", "x"), "TCYX"),
        (("y", "x", "c"), "YXC"),
        (("lat", "lon", "time"), "YXT"),
        (("time", "level", "lat", "lon"), "TZYX"),
        (("x", "x"), "YX"),
        (("time", "channel"), "YX"),
        (("z", "y", "time"), "ZYX"),
        (("y",), "Y"),
        ((), ""),
    ],
)
def test_dimensions_have_letters(names: tuple[str | None, ...], letters: str) -> None:
    assert axis_letters((7,) * len(names), np.dtype("f4"), names) == letters
