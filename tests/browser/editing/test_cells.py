"""Cells of tables as elements to change."""

from __future__ import annotations

import numpy as np
import pytest

from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.editing.cells import editable_text, is_still, target_of, why_not_changed
from zarrbrowser.editing.element_text import ElementTextError
from zarrbrowser.image.axes import Axes
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.table.columns import table_of
from zarrbrowser.table.grid import grid_of
from zarrbrowser.table.row_order import OrderedGrid, RowOrder

SOURCE = Source(SourceRequest("x"), None, None, may_change=True)  # type: ignore[arg-type]


def test_a_cell_is_one_element_of_the_plane() -> None:
    array = FakeArray(np.arange(60).reshape(3, 4, 5))
    grid = grid_of(array, Axes.initial(array).with_rows(2).with_columns(1))
    target = target_of(SOURCE, grid, slice(4, 5), slice(2, 3), "")
    assert target.selection == (1, slice(2, 3), slice(4, 5))
    assert target.element("7") == 7
    shown = grid.read(slice(4, 5), slice(2, 3))[0][0]
    assert is_still(grid, 4, 2, shown)
    array.values = array.values + 1
    assert not is_still(grid, 4, 2, shown)


def test_a_column_of_a_structure_is_a_field() -> None:
    array = FakeArray(np.zeros(3, [("a", "i4"), ("b", "f4")]))
    grid = grid_of(array)
    target = target_of(SOURCE, grid, slice(0, 2), slice(1, 2), "")
    assert target.field == "b"
    assert target.dtype == np.float32
    assert why_not_changed(grid, 0) == ""


def test_rows_in_another_order_are_never_changed() -> None:
    grid = grid_of(FakeArray(np.array([3, 1, 2])))
    ordered = OrderedGrid(grid, RowOrder(), np.array([1, 2, 0]))
    assert "sorted or filtered" in why_not_changed(ordered, 0)


def test_cells_that_cannot_be_changed_say_why() -> None:
    table = table_of(FakeGroup({"a": FakeArray(np.arange(3))}))
    assert "change /a in its own Table tab" in why_not_changed(table, 0)
    nested = grid_of(FakeArray(np.zeros((2, 2), [("a", "i4")])))
    assert "structured elements" in why_not_changed(nested, 0)
    raw = grid_of(FakeArray(np.array([b"a", b"b"], object)))
    assert "cannot be typed" in why_not_changed(raw, 0)


def test_texts_keep_their_spaces() -> None:
    assert editable_text("a  b\t") == "a  b\t"
    assert editable_text(np.bytes_("ä\t b".encode())) == "ä\t b"
    with pytest.raises(ElementTextError, match="not UTF-8"):
        editable_text(np.bytes_(b"\xff"))
    assert editable_text(np.float32(0.1)) == "0.1"
    assert editable_text(np.datetime64("2026-11-26")) == "2026-11-26"
