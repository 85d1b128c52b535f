"""The bar above a volume tells what levels cost, and offers what the mode needs."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.browser.volume.volumes import image, image_of
from zarrbrowser.panes.volume.volume_controls import VolumeControls, title_of
from zarrbrowser.volume.camera import Side
from zarrbrowser.volume.grid import VolumeGrid
from zarrbrowser.volume.look import Look, Mode


def test_levels_tell_their_samples_and_cost() -> None:
    one = image(chunks=(1, 1, 16, 12, 16))
    fine, coarse = (VolumeGrid(level, number, (2, 3, 4)) for number, level in enumerate(one.levels))
    assert title_of(one, fine, 3) == "0: 16 × 24 × 32, 72.0 KiB"
    assert title_of(one, coarse, 1) == "1: 16 × 12 × 16, 6.00 KiB"
    import numpy as np

    single = image_of(np.zeros((8, 8, 8), "u1"))
    grid = VolumeGrid(single.levels[0], 0, (0, 1, 2), (1, 2, 2))
    assert title_of(single, grid, 1) == "8 × 4 × 4, every 1 × 2 × 2, 512 bytes"


def test_the_slider_belongs_to_the_mode(application: QApplication, qtbot: QtBot) -> None:
    controls = VolumeControls()
    qtbot.addWidget(controls)
    controls.resize(1000, 40)
    controls.show()
    look = Look(opacity=0.3, threshold=0.7)
    controls.show_look(look)
    assert not controls.strength.isVisible()
    controls.show_look(replace(look, mode=Mode.TRANSLUCENT))
    assert controls.strength.isVisible()
    assert (controls.strength_label.text(), controls.strength.value()) == ("Opacity", 30)
    controls.show_look(replace(look, mode=Mode.SURFACE))
    assert (controls.strength_label.text(), controls.strength.value()) == ("Threshold", 70)


def test_choices_are_told(application: QApplication, qtbot: QtBot) -> None:
    controls = VolumeControls()
    qtbot.addWidget(controls)
    one = image()
    grids = [VolumeGrid(level, number, (2, 3, 4)) for number, level in enumerate(one.levels)]
    controls.show_grids(one, grids, grids[1], 1)
    assert controls.level.currentIndex() == 1
    told: list[object] = []
    for signal in (
        controls.mode_chosen,
        controls.strength_chosen,
        controls.grid_chosen,
        controls.side_chosen,
    ):
        signal.connect(told.append)
    controls.mode.activated.emit(2)
    controls.strength.setValue(99)
    controls.level.activated.emit(0)
    controls.sides[Side.TOP].click()
    assert told == [Mode.SURFACE, 0.99, grids[0], Side.TOP]


def test_the_slider_has_room_in_a_narrow_window(application: QApplication, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    controls = VolumeControls(window)
    controls.show_look(Look(mode=Mode.MAXIMUM))
    controls.resize(2000, 44)
    window.show()
    controls.resize(controls.row.minimumSize().width(), 44)
    assert not controls.save.isHidden()
    controls.show_look(Look(mode=Mode.SURFACE))
    assert controls.row.minimumSize().width() <= controls.width()
    assert controls.save.isHidden()
    controls.show_look(Look(mode=Mode.MAXIMUM))
    assert not controls.save.isHidden()
