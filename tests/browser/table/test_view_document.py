"""The slice and the place of a table survive as JSON; what does not fit is ignored."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.image.axes import Axes
from zarrbrowser.table.view_document import cell_of, slice_of, table_document

AXES = Axes((3, 1000, 200), ("z", "y", "x"), 1, 2, None, (1, 0, 0))


@given(st.permutations([0, 1, 2]), st.integers(0, 2), st.integers(0, 999), st.integers(0, 199))
def test_a_slice_survives(order: list[int], z: int, row: int, column: int) -> None:
    axes = Axes(AXES.shape, AXES.names, order[0], order[1], None, (z, row, column))
    document = json.loads(json.dumps(table_document(axes, slice(row, row + 2), slice(column, column + 4))))
    assert slice_of(document, AXES) == axes
    assert cell_of(document) == ((row + 1, column + 2) if row or column else None)


@pytest.mark.parametrize(
    "change",
    [{"rows": 3}, {"rows": 2}, {"index": [1]}, {"index": None}, {"columns": "x"}, {"index": [1e400, 0, 0]}],
)
def test_another_slice_changes_nothing(change: dict[str, Any]) -> None:
    document = {**table_document(AXES, slice(0, 2), slice(0, 2)), "index": [2, 0, 0], **change}
    assert slice_of(document, AXES) is AXES
    assert slice_of({}, AXES) is AXES


@pytest.mark.parametrize("cell", [None, [], [1], ["a", 2], [1e400, 0], 5])
def test_a_malformed_cell_is_none(cell: Any) -> None:
    assert cell_of({"cell": cell}) is None


def test_a_position_beyond_the_end_is_the_last_one() -> None:
    document = {**table_document(AXES, slice(0, 2), slice(0, 2)), "index": [9, 0, 0]}
    assert slice_of(document, AXES).index == (2, 0, 0)
    assert table_document(None, slice(0, 9), slice(0, 9)) == {"cell": None}
