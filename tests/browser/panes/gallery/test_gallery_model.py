"""The cells of a gallery as a table."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication

from tests.browser.gallery.plates import plate
from zarrbrowser.gallery.cells import Cell, Gallery, gallery_of
from zarrbrowser.panes.gallery.gallery_model import GalleryModel

LIST = Gallery("image", tuple(Cell(str(number), f"/{number}") for number in range(7)))


@pytest.fixture
def model(application: QApplication) -> GalleryModel:
    made = GalleryModel()
    QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal, made)
    return made


def test_nothing_is_shown_at_first(model: GalleryModel) -> None:
    assert model.rowCount() == model.columnCount() == 0
    assert model.headerData(0, Qt.Orientation.Horizontal) is None
    assert not model.index_of("/A/1").isValid()


def test_a_plate_has_names_and_gaps(model: GalleryModel) -> None:
    group = plate()
    del group.attributes["plate"]["wells"][4]
    model.show(gallery_of(group, group.find))
    model.fit_columns(2)
    assert (model.rowCount(), model.columnCount()) == (2, 3)
    assert model.headerData(2, Qt.Orientation.Horizontal) == "3"
    assert model.headerData(5, Qt.Orientation.Horizontal) is None
    assert model.cell(model.index(1, 1)) is None
    assert model.data(model.index(1, 1)) is None
    assert model.data(model.index(0, 1)) == "A2"
    assert model.cell(QModelIndex()) is None


@pytest.mark.parametrize(("columns", "shape"), [(3, (3, 3)), (7, (1, 7)), (20, (1, 7)), (0, (7, 1))])
def test_a_list_fills_rows(model: GalleryModel, columns: int, shape: tuple[int, int]) -> None:
    model.show(LIST)
    model.fit_columns(columns)
    assert (model.rowCount(), model.columnCount()) == shape
    index = model.index_of("/6")
    assert index.row() * model.columnCount() + index.column() == 6


def test_tool_tips_tell_problems_and_no_markup(model: GalleryModel) -> None:
    model.show(Gallery("image", (Cell("<b>x</b>", "/0", "the first"),)))
    model.set_problem("/0", "It is broken.")
    tip = model.data(model.index(0, 0), Qt.ItemDataRole.ToolTipRole)
    assert "&lt;b&gt;x&lt;/b&gt;\nthe first\nIt is broken." in tip
