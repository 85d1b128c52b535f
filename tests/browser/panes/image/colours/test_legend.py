"""The legend of missing values."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from zarrbrowser.image.colours.contrast import Statistics, statistics
from zarrbrowser.panes.image.colours.legend import MissingLegend
from zarrbrowser.widgets.label import ElidedLabel


@pytest.fixture
def legend(application: QApplication, qtbot: QtBot) -> MissingLegend:
    made = MissingLegend()
    qtbot.addWidget(made)
    return made


def found(nan: int, fill: int, size: int = 1000) -> Statistics:
    """Statistics with so many NaN and fill values."""
    values = np.zeros(size)
    values[:nan] = np.nan
    is_fill = np.zeros(size, bool)
    is_fill[size - fill :] = True
    return statistics(values, is_fill)


def test_a_picture_without_missing_values_has_no_legend(legend: MissingLegend) -> None:
    legend.show_statistics(found(3, 0))
    assert not legend.isHidden()
    for complete in (found(0, 0), None):
        legend.show_statistics(complete)
        assert (legend.isHidden(), legend.text) == (True, "")


def test_each_kind_of_missing_value_is_counted(legend: MissingLegend) -> None:
    legend.show_statistics(found(1, 0))
    assert legend.text == "1 of 1,000 elements without a value (NaN)"
    legend.show_statistics(found(0, 999))
    assert legend.text == "999 of 1,000 elements with the fill value"
    legend.show_statistics(found(20, 30))
    assert (
        legend.text == "20 of 1,000 elements without a value (NaN); 30 of 1,000 elements with the fill value"
    )


def test_it_does_not_widen_the_picture(legend: MissingLegend) -> None:
    legend.show_statistics(found(20, 30))
    assert legend.minimumSizeHint().width() <= 340, "the least width of each of two pictures"
    assert legend.findChildren(ElidedLabel)[0].toolTip() == "20 of 1,000 elements without a value (NaN)"


@pytest.mark.parametrize(
    ("nan", "text"), [(1, "0.1 %"), (25, "2.5 %"), (500, "50 %"), (996, "99.6 %"), (1000, "100 %")]
)
def test_a_sample_gives_a_share(nan: int, text: str, legend: MissingLegend) -> None:
    legend.show_statistics(found(nan, 0), is_exact=False)
    assert legend.text == f"about {text} without a value (NaN)"
