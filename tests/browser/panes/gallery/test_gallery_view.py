"""The grid of thumbnails by itself: its sizes, its columns, its pictures."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeGroup
from tests.browser.gallery.plates import image, plate
from zarrbrowser.gallery.cells import Cell, Gallery, gallery_of
from zarrbrowser.panes.gallery import gallery_view as module
from zarrbrowser.panes.gallery.gallery_model import GalleryModel
from zarrbrowser.panes.gallery.gallery_view import LARGEST, SMALLEST, GalleryView
from zarrbrowser.panes.gallery.thumbnail_loader import ThumbnailLoader
from zarrbrowser.workers import Workers


@pytest.fixture
def view(workers: Workers, qtbot: QtBot) -> GalleryView:
    made = GalleryView(GalleryModel(), ThumbnailLoader(workers, workers))
    qtbot.addWidget(made)
    made.resize(700, 420)
    made.show()
    return made


def show(view: GalleryView, group: FakeGroup) -> None:
    view.loader.start(group.find)
    view.gallery_model.show(gallery_of(group, group.find))


def test_a_plate_fits_the_window(view: GalleryView) -> None:
    show(view, plate("ABCDEFGH", 12))
    assert len(view.cells_in_view()) == 96
    wide = view.side
    view.resize(400, 300)
    assert SMALLEST <= view.side < wide
    view.set_side(10_000)
    assert view.side == LARGEST
    view.zoom(0.0001)
    assert view.side == SMALLEST


def test_a_list_flows_with_the_window(view: GalleryView) -> None:
    view.gallery_model.show(Gallery("image", tuple(Cell(str(n), f"/{n}") for n in range(30))))
    wide = view.gallery_model.columnCount()
    assert wide == view.viewport().width() // view.side
    view.go("/17")
    view.resize(380, 420)
    assert view.gallery_model.columnCount() < wide
    assert view.current_path() == "/17", "the current cell stays"


def test_left_and_right_go_through_a_list(view: GalleryView, qtbot: QtBot) -> None:
    view.gallery_model.show(Gallery("image", tuple(Cell(str(n), f"/{n}") for n in range(5))))
    last = view.gallery_model.columnCount() - 1
    view.go(f"/{last}")
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.current_path() == f"/{last + 1}"
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert view.current_path() == f"/{last}"
    view.go("/4")
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.current_path() == "/4"
    qtbot.keyClick(view, Qt.Key.Key_3)
    assert view.current_path() == "/4", "typed text does not search"


def test_ctrl_and_the_wheel_zoom(view: GalleryView, application: QApplication) -> None:
    show(view, plate())
    before = view.side

    def turn(by: int, modifier: Qt.KeyboardModifier) -> None:
        middle = QPointF(view.viewport().rect().center())
        event = QWheelEvent(
            middle,
            view.viewport().mapToGlobal(middle),
            QPoint(),
            QPoint(0, by),
            Qt.MouseButton.NoButton,
            modifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        application.sendEvent(view.viewport(), event)

    turn(120, Qt.KeyboardModifier.ControlModifier)
    assert view.side > before
    turn(-120, Qt.KeyboardModifier.ControlModifier)
    turn(-120, Qt.KeyboardModifier.NoModifier)
    assert abs(view.side - before) <= 1


def test_a_drag_from_one_cell_to_another_opens_none(view: GalleryView, qtbot: QtBot) -> None:
    show(view, plate())
    chosen: list[str] = []
    view.chosen.connect(chosen.append)
    places = [view.visualRect(view.gallery_model.index_of(path)).center() for path in ("/A/1", "/A/2")]
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=places[0])
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=places[1])
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.RightButton, pos=places[1])
    assert chosen == []
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=places[1])
    assert chosen == ["/A/2"]


def test_thumbnails_missing_wells_and_gaps_are_drawn_differently(view: GalleryView, qtbot: QtBot) -> None:
    group = plate("A", 4, left_out=("A/2",))
    del group.attributes["plate"]["wells"][3]
    group.find("/A/3/0").attributes["multiscales"] = [{"datasets": []}]
    show(view, group)
    with qtbot.waitSignal(view.loader.idle):
        view.loader.want(view.cells_in_view(), view.samples)
    qtbot.waitUntil(lambda: view.pixmap(view.cells_in_view()[0]) is not None)
    grabbed = view.viewport().grab().toImage()
    found = []
    for column in range(4):
        rect = view.visualRect(view.gallery_model.index(0, column)).adjusted(6, 6, -6, -6)
        found.append(
            {
                grabbed.pixelColor(x, y).rgb()
                for x in range(rect.left(), rect.right(), 2)
                for y in range(rect.top(), rect.bottom(), 2)
            }
        )
    picture, missing, broken, gap = found
    assert len(picture) > 8
    assert len(gap) == 1
    assert min(len(missing), len(broken)) > 1
    assert missing != broken


def test_pictures_are_kept_until_the_contrast_changes(view: GalleryView, qtbot: QtBot) -> None:
    group = FakeGroup({"0": image(), "1": image(4000)}, {"well": {"images": [{"path": "0"}, {"path": "1"}]}})
    show(view, group)
    first, second = view.gallery_model.gallery.cells  # type: ignore[union-attr]
    assert view.pixmap(first) is None
    with qtbot.waitSignal(view.loader.idle):
        view.loader.want([first], 16)
    qtbot.waitUntil(lambda: view.pixmap(first) is not None)
    drawn = view.pixmap(first)
    view.viewport().repaint()
    assert drawn is view.pixmap(first)
    with qtbot.waitSignal(view.loader.idle):
        view.loader.want([first, second], 16)
    qtbot.waitUntil(lambda: view.pixmap(first) is not drawn)


def test_pictures_out_of_view_are_dropped(
    view: GalleryView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PIXMAP_BYTES", 3 * 16 * 16 * 4)
    show(view, plate("A", 6))
    cells = view.cells_in_view()
    with qtbot.waitSignal(view.loader.idle):
        view.loader.want(cells, 16)
    qtbot.waitUntil(lambda: view.pixmap(cells[-1]) is not None)
    qtbot.waitUntil(lambda: sum(view.pixmap(cell) is not None for cell in cells) == 3)
