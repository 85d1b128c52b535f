"""The letters of the dimensions of microscopy images."""

from __future__ import annotations

import numpy as np
import pytest

from zarrcore.errors import UnsupportedError
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


def test_a_colour_is_a_sample_unless_its_dimension_is_an_axis() -> None:
    shape, colour = (9, 8, 3), np.dtype("u1")
    assert axis_letters(shape, colour, (None, None, None)) == "YXS"
    assert axis_letters(shape, colour, (None, None, "Channel")) == "YXS"
    assert axis_letters(shape, colour, ("z", "y", "x")) == "ZYX"
    assert axis_letters((5, 9, 8, 4), np.dtype("u2"), (None,) * 4) == "ZYXS"
    assert axis_letters(shape, np.dtype("f4"), (None, None, None)) == "ZYX"


def test_the_last_of_dimensions_of_one_name_has_its_letter() -> None:
    assert axis_letters((7, 7, 7), np.dtype("f4"), ("x", "z", "x")) == "YZX"
    assert axis_letters((7, 7), np.dtype("f4"), ("y", "y")) == "XY"


def test_more_dimensions_than_letters_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="has more dimensions than OME-TIFF: select a part"):
        axis_letters((7,) * 6, np.dtype("f4"), (None,) * 6)
