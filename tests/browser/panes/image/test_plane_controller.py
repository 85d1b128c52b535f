"""The controls above and below the picture and the state follow each other."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, FakeGroup
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.image.state import ImageState, PlaneLayout
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.image_controls import ImageControls
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.plane_controller import PlaneController
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.widgets.axis_sliders import AxisSliders
from zarrbrowser.workers import Workers


@pytest.fixture
def parts(workers: Workers, qtbot: QtBot) -> Iterator[Any]:
    """The controls of an image pane around a model, without its picture."""
    root = QWidget()
    qtbot.addWidget(root)
    found = SimpleNamespace(
        model=ImageModel(root),
        controls=ImageControls(root),
        sliders=AxisSliders(root),
        canvas=Canvas(root),
        labels=CoordinateLabels(workers, root),
    )
    controller = PlaneController(found.model, found.controls, found.sliders, found.canvas, found.labels, root)
    yield found
    controller.deleteLater()


def show(parts: Any, values: Any, names: tuple[str, ...] | None = None) -> ImageState:
    image = image_of_array(FakeArray(values, names))
    state = ImageState(image, initial_settings(image), FakeGroup().find)
    parts.model.show(state)
    return state


def test_an_image_is_offered_with_its_axes_positions_and_fields(parts: Any) -> None:
    values = np.zeros((4, 5, 6), [("height", "f4"), ("count", "i2")])
    show(parts, values, ("z", "y", "x"))
    assert [parts.controls.field.itemText(row) for row in range(2)] == ["height", "count"]
    assert (parts.controls.axes.rows.currentText(), parts.controls.axes.columns.currentText()) == ("y", "x")
    assert parts.sliders.spins[0].value() == 2
    show(parts, np.zeros((5, 6)))
    assert parts.controls.field.count() == 0
    assert parts.sliders.spins == {}
    assert not parts.controls.layouts["orthogonal"].isEnabled()


def test_a_slider_moves_the_plane_and_the_plane_the_slider(parts: Any) -> None:
    show(parts, np.zeros((4, 5, 6)))
    parts.sliders.sliders[0].setValue(3)
    axes = parts.model.state.settings.axes
    assert axes.index[0] == 3
    parts.model.set(axes=axes.at(0, 1))
    assert parts.sliders.sliders[0].value() == 1


def test_other_axes_keep_the_present_positions(parts: Any) -> None:
    show(parts, np.zeros((4, 5, 6)), ("z", "y", "x"))
    before = parts.model.state.settings.axes
    parts.sliders.spins[0].setValue(3)
    parts.controls.axes.chosen.emit(before.with_rows(2))  # made when the plane was another one
    axes = parts.model.state.settings.axes
    assert (axes.rows, axes.columns, axes.index[0]) == (2, 1, 3)
    parts.controls.axes.rows.setCurrentIndex(0)
    parts.controls.axes.rows.activated.emit(0)
    assert list(parts.sliders.spins) == [2]


def test_flips_are_chosen_and_restored(parts: Any) -> None:
    state = show(parts, np.zeros((4, 5, 6)))
    parts.controls.flip_columns.click()
    assert (parts.model.state.settings.flip_rows, parts.model.state.settings.flip_columns) == (False, True)
    parts.model.show(state)
    assert not parts.controls.flip_columns.isChecked()


def test_the_layout_that_is_shown_is_pressed(parts: Any) -> None:
    show(parts, np.zeros((4, 5, 6)))
    parts.controls.layouts["orthogonal"].click()
    assert parts.model.state.layout is PlaneLayout.ORTHOGONAL
    parts.model.arrange(PlaneLayout.PAIR)
    assert parts.controls.layouts["pair"].isChecked()
    assert not parts.controls.layouts["orthogonal"].isChecked()


def test_a_slender_plane_is_stretched_until_the_user_wants_squares(parts: Any, qtbot: QtBot) -> None:
    show(parts, np.zeros((3, 900)))
    parts.canvas.resize(600, 400)
    parts.canvas.window().show()
    parts.canvas.show_plane(3, 900)
    assert not parts.controls.square.isChecked()
    parts.controls.square.click()
    assert parts.controls.square.isChecked()
    width, height = parts.canvas.view.viewPixelSize()
    assert width == pytest.approx(height)


def test_nothing_changes_without_an_image(parts: Any, qtbot: QtBot) -> None:
    axes = show(parts, np.zeros((4, 5, 6))).settings.axes
    parts.model.clear()
    with qtbot.assertNotEmitted(parts.model.changed):
        parts.controls.axes.chosen.emit(axes.with_rows(2))
        parts.controls.flip_rows.click()
        parts.sliders.moved.emit(0, 1)
    assert parts.model.state is None
