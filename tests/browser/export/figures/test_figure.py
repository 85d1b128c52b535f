"""Figures as values: their parts, and the limits of their size."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.drawing.figures import figure, line
from zarrbrowser.export.figures.figure import Figure, FigureOptions


def test_a_figure_tells_which_parts_it_can_have() -> None:
    assert figure().has_scale
    assert not figure().has_labels
    assert not Figure(((0, 0, line()),)).has_scale


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"width_mm": 5}, "the width must be between 10 and 2000 mm"),
        ({"height_mm": float("nan")}, "the height must be"),
        ({"dpi": 3}, "the resolution must be between 36 and 2400 dpi"),
        ({"dpi": 2400, "width_mm": 400, "height_mm": 400}, "pixels are too many"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        FigureOptions(**options)


def test_pixels_follow_from_size_and_resolution() -> None:
    assert FigureOptions(25.4, 50.8, 100).pixels == (100, 200)
