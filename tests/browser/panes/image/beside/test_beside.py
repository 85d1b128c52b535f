"""Showing, removing and restoring the second image."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.beside.pictures import area_of, open_beside, open_source, source_of, write_v3
from tests.browser.panes.image.pictures import VOLUME, pane_of
from zarrbrowser.models.row_mime import mime_of
from zarrbrowser.panes.image.beside.beside_area import BesideArea
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.main_window import MainWindow
from zarrcore.errors import StoreError

KEYS, BUTTONS = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
COPY = Qt.DropAction.CopyAction


@pytest.fixture
def beside(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> tuple[ImagePane, BesideArea]:
    write_v3(tmp_path / "a.zarr")
    write_v3(tmp_path / "b.zarr")
    return open_beside(window, qtbot, f"{tmp_path}/a.zarr#/stack", f"{tmp_path}/b.zarr#/fine")


def test_closing_the_source_removes_the_image(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, beside: tuple[ImagePane, BesideArea]
) -> None:
    pane, _area = beside
    window.model.close(window.model.row_of(source_of(window, f"{tmp_path}/b.zarr")))
    assert pane.beside.area is None
    assert pane.view.is_complete
    # Opened anew, the source does not bring its image back.
    open_source(window, qtbot, f"{tmp_path}/b.zarr")
    assert pane.beside.area is None


def test_reloading_the_source_shows_the_image_again(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, beside: tuple[ImagePane, BesideArea]
) -> None:
    pane, area = beside
    area.turn(zooms=False, moves=False)
    before = source_of(window, f"{tmp_path}/b.zarr")
    window.model.reload(window.model.row_of(before))
    qtbot.waitUntil(lambda: pane.beside.area is not None and pane.beside.area.source not in (None, before))
    again = area_of(pane)
    qtbot.waitUntil(lambda: again.pane.view.is_complete)
    assert again.path == "/fine"
    assert (again.bar.zoom.isChecked(), again.link.zooms, again.link.moves) == (False, False, False)


def test_the_view_is_kept_and_restored(
    window: MainWindow, qtbot: QtBot, beside: tuple[ImagePane, BesideArea]
) -> None:
    pane, area = beside
    area.pane.model.set(colour_map="viridis")
    area.turn(zooms=True, moves=False)
    document = json.loads(json.dumps(pane.view_state()))
    assert document["beside"]["path"] == "/fine"
    pane.beside.close()
    assert pane.view_state()["beside"] is None
    pane.restore(document)
    again = area_of(pane)
    qtbot.waitUntil(lambda: again.pane.view.is_complete)
    state = again.pane.model.state
    assert state is not None
    assert state.settings.colour_map == "viridis"
    assert not again.link.moves
    pane.restore(document)
    assert area_of(pane) is again  # it is shown already
    again.pane.model.set(colour_map="plasma", flip_columns=True)
    again.turn(zooms=False, moves=True)
    pane.restore(document)
    assert area_of(pane) is again
    assert again.pane.model.state.settings == state.settings
    assert (again.link.zooms, again.link.moves) == (True, False)
    pane.restore({**document, "beside": None})
    assert pane.beside.area is None
    pane.restore({**document, "beside": {"address": 3}})
    assert pane.beside.area is None


def test_a_second_image_has_none_beside_itself(qtbot: QtBot, beside: tuple[ImagePane, BesideArea]) -> None:
    pane, _area = beside
    document = json.loads(json.dumps(pane.view_state()))
    document["beside"]["view"]["beside"] = document["beside"] | {"view": {}}  # a link may be made by hand
    pane.beside.close()
    pane.restore(document)
    again = area_of(pane)
    qtbot.waitUntil(lambda: again.pane.view.is_complete)
    assert again.pane.beside.area is None


def test_a_view_whose_second_source_is_not_open_opens_it(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, beside: tuple[ImagePane, BesideArea]
) -> None:
    pane, area = beside
    area.turn(zooms=True, moves=False)
    document = pane.view_state()
    window.model.close(window.model.row_of(source_of(window, f"{tmp_path}/b.zarr")))
    pane.restore(document)
    assert pane.view_state()["beside"] == document["beside"]  # also until it is open
    qtbot.waitUntil(lambda: area_of(pane).source is not None)
    again = area_of(pane)
    qtbot.waitUntil(lambda: again.pane.view.is_complete)
    assert (again.path, again.link.zooms, again.link.moves) == ("/fine", True, False)
    assert window.session.node is not None
    assert window.session.node.path == "/stack"  # the user is still there


def test_a_source_that_the_view_must_not_open_is_awaited(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, beside: tuple[ImagePane, BesideArea]
) -> None:
    pane, _area = beside
    document = pane.view_state()
    document["beside"]["refused"] = "Links cannot open this."
    window.model.close(window.model.row_of(source_of(window, f"{tmp_path}/b.zarr")))
    pane.restore(document)
    assert (
        area_of(pane).pane.body.stack.sentence.text
        == f"{tmp_path}/b.zarr is not open. Links cannot open this."
    )
    assert not area_of(pane).pane.body.stack.sentence.button.isVisible()
    assert window.model.rowCount() == 1
    write_v3(tmp_path / "c.zarr")
    window.model.open(SourceRequest(f"{tmp_path}/c.zarr"))
    qtbot.waitUntil(lambda: len(window.session.sources) == 2)
    assert pane.view_state()["beside"]["refused"]
    window.model.open(SourceRequest(f"{tmp_path}/b.zarr"))
    qtbot.waitUntil(lambda: area_of(pane).path == "/fine")
    qtbot.waitUntil(lambda: area_of(pane).pane.view.is_complete)


def test_a_second_source_that_fails_to_open_says_why_in_its_area(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, beside: tuple[ImagePane, BesideArea]
) -> None:
    pane, _area = beside
    document = pane.view_state()
    window.model.close(window.model.row_of(source_of(window, f"{tmp_path}/b.zarr")))
    (tmp_path / "b.zarr").rename(tmp_path / "moved.zarr")
    pane.restore(document)
    notice = area_of(pane).pane.body.stack.sentence
    qtbot.waitUntil(lambda: "b.zarr" in notice.text and notice.button.isVisible())
    assert window.session.node is not None
    pane.body.sliders.spins[0].setValue(2)
    qtbot.waitUntil(lambda: pane.view.is_complete and int(pane.view.mosaics[0].values[0, 0]) == 2)
    (tmp_path / "moved.zarr").rename(tmp_path / "b.zarr")
    notice.button.click()
    qtbot.waitUntil(lambda: area_of(pane).source is not None and area_of(pane).pane.view.is_complete)
    assert area_of(pane).path == "/fine"


def test_an_image_whose_row_is_closed_while_it_is_awaited_is_removed(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, beside: tuple[ImagePane, BesideArea]
) -> None:
    pane, _area = beside
    document = pane.view_state()
    document["beside"]["address"] = f"{tmp_path}/none.zarr"
    pane.restore(document)
    notice = area_of(pane).pane.body.stack.sentence
    qtbot.waitUntil(lambda: "none.zarr" in notice.text and notice.button.isVisible())
    row = window.model.find(SourceRequest(f"{tmp_path}/none.zarr"))
    window.model.close(row)
    assert pane.beside.area is None


def test_a_row_dropped_on_the_picture_is_shown(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, beside: tuple[ImagePane, BesideArea]
) -> None:
    pane, _area = beside
    index = window.model.row_of(source_of(window, f"{tmp_path}/a.zarr"))
    qtbot.waitUntil(lambda: window.model.rowCount(index) == 4)
    rows = [window.model.index(row, 0, index) for row in range(4)]
    half = next(row for row in rows if window.model.path_of(row) == "/half")
    assert window.model.flags(half) & Qt.ItemFlag.ItemIsDragEnabled
    data = window.model.mimeData([half])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # no other constructor is in all versions of Qt
        entered = QDragEnterEvent(QPoint(90, 90), COPY, data, BUTTONS, KEYS)
    QApplication.sendEvent(pane, entered)
    assert entered.isAccepted()
    mark = pane.beside.drop_mark
    assert (mark.isVisible(), mark.geometry()) == (True, pane.rect())
    QApplication.sendEvent(pane, QDragLeaveEvent())
    assert mark.isHidden()
    QApplication.sendEvent(pane, entered)
    dropped = QDropEvent(QPoint(90, 90).toPointF(), COPY, data, BUTTONS, KEYS)
    QApplication.sendEvent(pane, dropped)
    assert mark.isHidden()
    again = area_of(pane)
    qtbot.waitUntil(lambda: again.pane.view.is_complete)
    assert again.path == "/half"
    text = QMimeData()
    text.setText("/somewhere")
    for data in (text, mime_of("s3://closed/a.zarr", "/fine")):
        dropped = QDropEvent(QPoint(90, 90).toPointF(), COPY, data, BUTTONS, KEYS)
        QApplication.sendEvent(pane, dropped)
        assert area_of(pane) is again


def test_a_narrow_window_shows_the_images_one_above_the_other(
    window: MainWindow, qtbot: QtBot, beside: tuple[ImagePane, BesideArea]
) -> None:
    pane, area = beside
    assert pane.beside.splitter.orientation() is Qt.Orientation.Horizontal
    window.resize(900, 600)
    qtbot.waitUntil(lambda: not area.pane.body.controls.isVisible())
    qtbot.waitUntil(lambda: pane.beside.splitter.orientation() is Qt.Orientation.Vertical)
    window.resize(1900, 1000)
    qtbot.waitUntil(lambda: pane.beside.splitter.orientation() is Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: area.pane.body.controls.isVisible())
    area.bar.controls.click()
    assert not area.pane.body.controls.isVisible()


def test_a_hidden_second_image_reads_nothing(
    window: MainWindow, qtbot: QtBot, beside: tuple[ImagePane, BesideArea]
) -> None:
    _pane, area = beside
    window.node_pane.show_tab("Metadata")
    source = area.source
    assert source is not None
    qtbot.waitUntil(lambda: not window.workers.active)
    before = source.traffic()
    area.pane.canvas.show_range((0, 10), (0, 10))
    area.pane.forget_tiles()
    area.pane.view.refresh()
    qtbot.wait(100)
    assert source.traffic() == before


def test_the_keys_of_the_focused_image_are_for_it(
    window: MainWindow, qtbot: QtBot, beside: tuple[ImagePane, BesideArea]
) -> None:
    pane, area = beside
    area.turn(zooms=False, moves=False)
    area.pane.canvas.show_range((0, 10), (0, 10))
    assert pane.beside.focused is None
    area.pane.canvas.setFocus()
    qtbot.waitUntil(lambda: pane.beside.focused is area.pane)
    window.node_pane.current_pane.fit()
    assert area.pane.canvas.is_fitted
    window.node_pane.current_pane.actual_size()
    assert not area.pane.canvas.is_fitted
    assert pane.canvas.is_fitted
    area.bar.close_button.click()
    assert pane.beside.area is None
    before = pane.body.sliders.spins[0].value()
    window.node_pane.step(1)
    assert pane.body.sliders.spins[0].value() == before + 1


def test_the_same_array_beside_itself_keeps_another_position(
    window: MainWindow, qtbot: QtBot, beside: tuple[ImagePane, BesideArea]
) -> None:
    pane, _area = beside
    window.beside.show_current()
    again = area_of(pane)
    qtbot.waitUntil(lambda: again.pane.view.is_complete)
    assert not again.link.moves
    before = again.pane.body.sliders.spins[0].value()
    pane.body.sliders.spins[0].setValue(0)
    again.pane.body.sliders.spins[0].setValue(2)
    assert pane.body.sliders.spins[0].value() == 0
    assert before == 1


def test_changed_elements_are_read_again(open_window: OpenWindow, qtbot: QtBot) -> None:
    other = FakeArray(VOLUME[0], ("y", "x"))
    window = open_window(FakeGroup({"array": FakeArray(VOLUME[1], ("y", "x")), "other": other}), "/array")
    pane = pane_of(window, qtbot)
    window.beside.show(window.session.sources[0], "/other")
    area = area_of(pane)
    qtbot.waitUntil(lambda: area.pane.view.is_complete)
    other.values = VOLUME[2]
    window.node_pane.reread()
    qtbot.waitUntil(
        lambda: area.pane.view.is_complete and np.array_equal(area.pane.view.mosaics[0].values, VOLUME[2])
    )


def test_an_unreadable_second_image_leaves_the_first_one_alone(open_window: OpenWindow, qtbot: QtBot) -> None:
    other = FakeArray(VOLUME[0], ("y", "x"))
    window = open_window(FakeGroup({"array": FakeArray(VOLUME, ("z", "y", "x")), "other": other}), "/array")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)

    def fail(_selection: object) -> None:
        raise StoreError("the server is gone")

    other.before_read = fail
    window.beside.show(window.session.sources[0], "/other")
    area = area_of(pane)
    qtbot.waitUntil(lambda: "server is gone" in area.pane.body.stack.sentence.text)
    pane.body.sliders.spins[0].setValue(2)
    qtbot.waitUntil(lambda: pane.view.is_complete and np.array_equal(pane.view.mosaics[0].values, VOLUME[2]))
    other.before_read = lambda _selection: None
    area.pane.body.stack.sentence.button.click()
    qtbot.waitUntil(lambda: area.pane.view.is_complete and area.pane.body.stack.shows_data)
    window.beside.show(window.session.sources[0], "/missing")
    area = area_of(pane)
    qtbot.waitUntil(lambda: "No node /missing" in area.pane.body.stack.sentence.text)
    assert pane.body.stack.shows_data
    root = window.session.sources[0].hierarchy.node("/")
    root.add("missing", FakeArray(VOLUME[3], ("y", "x")))
    area.pane.body.stack.sentence.button.click()
    qtbot.waitUntil(lambda: area.pane.view.is_complete and area.pane.body.stack.shows_data)
