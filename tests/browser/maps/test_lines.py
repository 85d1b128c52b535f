"""Only the parts of lines that may be in view are drawn."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from zarrbrowser.maps.lines import PlaneLines, joined


@given(arrays(np.float64, (12, 2), elements=st.floats(-9, 9)), arrays(bool, 12))
def test_the_parts_in_view_are_those_whose_boxes_overlap_it(
    points: np.ndarray, connected: np.ndarray
) -> None:
    connected[-1] = False
    found = PlaneLines(points[:, 0], points[:, 1], connected).within(-3, -2, 4, 5)
    parts = {
        (*points[at], *points[at + 1])
        for at in np.flatnonzero(connected)
        if max(points[at : at + 2, 0]) >= -3
        and min(points[at : at + 2, 0]) <= 4
        and max(points[at : at + 2, 1]) >= -2
        and min(points[at : at + 2, 1]) <= 5
    }
    kept = np.stack([found.rows, found.columns], axis=1)
    assert {(*kept[at], *kept[at + 1]) for at in np.flatnonzero(found.connected)} == parts


def test_points_without_a_place_are_left_out() -> None:
    rows = np.array([0.0, 1.0, np.nan, 2.0])
    lines = PlaneLines(rows, rows, np.array([True, False, False, False]))
    assert lines.within(-9, -9, 9, 9).rows.tolist() == [0.0, 1.0]
    assert joined(()).within(0, 0, 1, 1).rows.size == 0
    assert joined((lines, lines)).rows.size == 8
