"""The table of regions."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from zarrbrowser.image.regions.shapes import Region, Shape
from zarrbrowser.image.regions.statistics import ChannelStatistics, RegionStatistics
from zarrbrowser.models.region_model import RegionModel

ONE = Region("one", Shape.RECTANGLE, ((0.0, 0.0), (1.0, 1.0)))
TWO = Region("<b>two</b>", Shape.ELLIPSE, ((0.0, 0.0), (1.0, 1.0)))
FOUND = RegionStatistics(
    1200,
    50.7,
    "micrometer",
    (ChannelStatistics("DAPI", 1200, 1.5, 0.25, 1.0, 2.0), ChannelStatistics("GFP", 0, *[math.nan] * 4)),
)


@pytest.fixture
def model(application: QApplication) -> RegionModel:
    made = RegionModel()
    QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal, made)
    return made


def row(model: RegionModel, number: int) -> list[object]:
    return [model.index(number, column).data() for column in range(model.columnCount())]


def test_each_channel_has_a_row(model: RegionModel) -> None:
    model.show([(ONE, FOUND), (TWO, None)])
    assert row(model, 0) == ["one", "DAPI", "1,200", "50.7", "1,200", "1.5", "0.25", "1", "2"]
    assert row(model, 1) == ["one", "GFP", "1,200", "50.7", "0", "", "", "", ""]
    assert row(model, 2)[:3] == ["<b>two</b>", "", "…"]
    assert [model.region_at(number) for number in range(-1, 4)] == [None, 0, 0, 1, None]
    assert [model.row_of(number) for number in range(3)] == [0, 2, -1]
    assert model.headerData(3, Qt.Orientation.Horizontal) == "area (µm²)"
    assert model.headerData(0, Qt.Orientation.Vertical) is None
    assert "&lt;b&gt;" in model.data(model.index(2, 0), Qt.ItemDataRole.ToolTipRole)
    assert model.text().splitlines()[1] == "one\tDAPI\t1200\t50.7\t1200\t1.5\t0.25\t1.0\t2.0"


def test_without_a_unit_the_area_is_in_elements(model: RegionModel) -> None:
    model.show([(ONE, RegionStatistics(7, 7.0, "", FOUND.channels[:1]))])
    assert model.headerData(3, Qt.Orientation.Horizontal) == "area (elements)"
    assert row(model, 0)[3] == "7"


def test_names_can_be_edited(model: RegionModel, qtbot: QtBot) -> None:
    model.show([(ONE, FOUND), (TWO, None)])
    assert model.flags(model.index(2, 0)) & Qt.ItemFlag.ItemIsEditable
    assert not model.flags(model.index(2, 1)) & Qt.ItemFlag.ItemIsEditable
    with qtbot.waitSignal(model.renamed) as heard:
        assert model.setData(model.index(2, 0), " nucleus ")
    assert heard.args == [1, "nucleus"]
    assert not model.setData(model.index(2, 0), " ")
    assert model.data(model.index(0, 0), Qt.ItemDataRole.EditRole) == "one"
