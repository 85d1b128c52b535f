"""The model of an image pane announces exactly the changed parts."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from tests.browser.image.test_state import state_of
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.image.state import EVERYTHING, Change, PlaneLayout
from zarrbrowser.panes.image.image_model import ImageModel


@pytest.fixture
def announced(application: QApplication) -> tuple[ImageModel, list[Change]]:
    model, heard = ImageModel(), list[Change]()
    model.changed.connect(heard.append)
    return model, heard


def test_a_change_is_announced_once(announced: tuple[ImageModel, list[Change]]) -> None:
    model, heard = announced
    model.set(norm=Norm.LOG)  # no state without an image
    assert heard == []
    model.show(state_of())
    model.set(norm=Norm.LOG)
    model.set(norm=Norm.LOG)
    assert heard == [EVERYTHING, Change.COLOURS]
    model.clear()
    model.clear()
    assert heard[2:] == [EVERYTHING]


def test_the_contrast_can_be_computed_again(announced: tuple[ImageModel, list[Change]]) -> None:
    model, heard = announced
    model.show(state_of())
    model.set(and_measure=True)
    assert heard[1:] == [Change.MEASURE]


def test_the_same_layout_again_is_announced(announced: tuple[ImageModel, list[Change]]) -> None:
    model, heard = announced
    model.show(state_of())
    model.arrange(PlaneLayout.PAIR)
    model.arrange(PlaneLayout.PAIR)
    assert heard[1:] == [Change.LAYOUT] * 2
    model.clear()
    assert model.layout is PlaneLayout.PAIR


def test_slots_may_change_the_state_again(announced: tuple[ImageModel, list[Change]]) -> None:
    model, heard = announced
    model.changed.connect(lambda change: model.set(flip_rows=True) if change == Change.COLOURS else None)
    model.show(state_of())
    model.set(norm=Norm.LOG)
    assert model.state is not None
    assert model.state.settings.flip_rows
    assert Change.ORIENTATION in heard
