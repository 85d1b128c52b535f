"""The Thumbnails tab: plates, wells and series in a real window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky, Gate
from tests.browser.gallery.plates import image, plate, plate_in_runs, write_series
from tests.browser.panes.gallery.galleries import show, wait_for_all
from zarrbrowser.panes.gallery import thumbnail_loader
from zarrbrowser.panes.gallery.gallery_pane import GalleryPane
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.main_window import MainWindow


def node_path(pane: GalleryPane) -> str:
    node = pane.session.node
    return "" if node is None else node.path


def test_a_plate_shows_its_wells_and_says_which_are_missing(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, plate(left_out=("B/2",)))
    wait_for_all(pane, qtbot)
    qtbot.waitUntil(lambda: pane.title.text == "6 wells on 2 × 3 positions, 1 of them missing")
    assert pane.model.headerData(1, Qt.Orientation.Vertical) == "B"
    index = pane.model.index_of("/B/2")
    assert (index.row(), index.column()) == (1, 1)
    tip = pane.model.data(index, Qt.ItemDataRole.ToolTipRole)
    assert tip == "B2\nB/2\nThe metadata name /B/2, but it does not exist."
    pane.view.go("/B/2")
    qtbot.keyClick(pane.view, Qt.Key.Key_Return)
    assert node_path(pane) == "/", "a missing well cannot be opened"


def test_a_click_opens_a_well_and_then_a_field(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(plate())
    pane = show_in(window, qtbot)
    where = pane.view.visualRect(pane.model.index_of("/B/3")).center()
    qtbot.mouseClick(pane.view.viewport(), Qt.MouseButton.LeftButton, pos=where)
    qtbot.waitUntil(lambda: node_path(pane) == "/B/3")
    qtbot.waitUntil(lambda: pane.title.text == "2 fields")
    assert not pane.view.horizontalHeader().isVisible()
    pane.view.setFocus()
    qtbot.keyClick(pane.view, Qt.Key.Key_Right)
    assert pane.view.current_path() == "/B/3/1"
    qtbot.keyClick(pane.view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: node_path(pane) == "/B/3/1")
    qtbot.waitUntil(lambda: isinstance(window.node_pane.current_pane, ImagePane))
    window.navigator.back()
    qtbot.waitUntil(lambda: node_path(pane) == "/B/3" and pane.view.current_path() == "/B/3/1")
    window.navigator.back()
    qtbot.waitUntil(lambda: node_path(pane) == "/" and pane.view.current_path() == "/B/3")


def show_in(window: MainWindow, qtbot: QtBot) -> GalleryPane:
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Thumbnails")
    pane = window.node_pane.pane("Thumbnails")
    assert isinstance(pane, GalleryPane)
    qtbot.waitUntil(lambda: pane.model.gallery is not None)
    wait_for_all(pane, qtbot)
    return pane


def test_arrow_keys_move_over_positions_without_a_well(open_window: OpenWindow, qtbot: QtBot) -> None:
    group = plate()
    del group.attributes["plate"]["wells"][1]
    pane = show(open_window, qtbot, group)
    pane.view.go("/A/1")
    qtbot.keyClick(pane.view, Qt.Key.Key_Right)
    assert pane.view.current_path() == ""
    qtbot.keyClick(pane.view, Qt.Key.Key_Return)
    qtbot.keyClick(pane.view, Qt.Key.Key_Down)
    assert pane.view.current_path() == "/B/2"
    assert node_path(pane) == "/"


def test_the_pointer_text_names_the_current_well(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, plate(left_out=("A/2",)))
    wait_for_all(pane, qtbot)
    told: list[str] = []
    pane.pointed.connect(told.append)
    pane.view.go("/A/2")
    assert told == ["A2,  A/2,  The metadata name /A/2, but it does not exist."]


def test_a_large_plate_reads_only_what_is_in_view(open_window: OpenWindow, qtbot: QtBot) -> None:
    names = [chr(65 + number // 26) + chr(65 + number % 26) for number in range(32)]
    pane = show(open_window, qtbot, large_plate(names, 48))
    assert pane.model.rowCount() * pane.model.columnCount() == 1536
    pane.view.set_side(100)
    qtbot.waitUntil(lambda: 0 < len(pane.view.cells_in_view()) < 120)
    wait_for_all(pane, qtbot)
    assert {cell.path for cell in pane.view.cells_in_view()} >= {"/AA/1", "/AB/2"}
    assert pane.loader.thumbnail("/BF/48") is None
    pane.fit()
    qtbot.waitUntil(lambda: len(pane.view.cells_in_view()) > 500)


def large_plate(names: list[str], width: int) -> FakeGroup:
    """All wells are the same one."""
    shared = image(side=8)
    fields = {"well": {"images": [{"path": "0"}]}}
    rows = {
        name: FakeGroup({str(c + 1): FakeGroup({"0": shared}, fields) for c in range(width)})
        for name in names
    }
    wells = [
        {"path": f"{name}/{c + 1}", "rowIndex": r, "columnIndex": c}
        for r, name in enumerate(names)
        for c in range(width)
    ]
    columns = [{"name": str(c + 1)} for c in range(width)]
    return FakeGroup(
        rows, {"plate": {"rows": [{"name": n} for n in names], "columns": columns, "wells": wells}}
    )


def test_cells_that_leave_the_view_are_not_read(open_window: OpenWindow, qtbot: QtBot) -> None:
    gate = Gate()
    group = plate("ABCDEFGHIJ", 3)
    for row in "ABCDEFGHIJ":
        group.find(f"/{row}/1/0/0").before_read = gate.wait
        group.find(f"/{row}/2/0/0").before_read = gate.wait
    pane = show(open_window, qtbot, group)
    pane.view.set_side(300)
    first = {cell.path for cell in pane.view.cells_in_view()}
    qtbot.waitUntil(lambda: pane.loader.busy)
    with qtbot.waitSignal(pane.view.looked_elsewhere):
        pane.view.scrollToBottom()
    assert not first & {cell.path for cell in pane.view.cells_in_view()}
    gate.open()
    wait_for_all(pane, qtbot)
    assert not any(pane.loader.thumbnail(path) for path in ("/B/1", "/B/2", "/C/1"))
    assert pane.loader.thumbnail("/J/1") is not None


def test_reading_asks_above_the_limit(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thumbnail_loader, "ASK_ABOVE_BYTES", 1000)
    monkeypatch.setattr(thumbnail_loader, "IN_FLIGHT", 1)
    pane = show(open_window, qtbot, plate(), "/")
    qtbot.waitUntil(lambda: bool(pane.stack.notice.text))
    assert (
        pane.stack.notice.text == "The thumbnails so far decoded 1.00 KiB; 4 thumbnails in view are not read."
    )
    pane.stack.notice.button.click()
    qtbot.waitUntil(lambda: "2.00 KiB; 2 thumbnails" in pane.stack.notice.text)
    pane.stack.notice.button.click()
    wait_for_all(pane, qtbot)
    qtbot.waitUntil(lambda: not pane.stack.notice.text)


def test_escape_stops_and_the_notice_resumes(open_window: OpenWindow, qtbot: QtBot) -> None:
    gate = Gate()
    group = plate()
    for path in ("A/1", "A/2", "A/3", "B/1", "B/2", "B/3"):
        group.find(f"/{path}/0/0").before_read = gate.wait
    pane = show(open_window, qtbot, group)
    qtbot.waitUntil(lambda: pane.loader.busy)
    pane.workers.stop()
    qtbot.waitUntil(
        lambda: pane.stack.notice.text == "You stopped the reading; 6 thumbnails in view are not read."
    )
    gate.open()
    pane.stack.notice.button.click()
    wait_for_all(pane, qtbot)


def test_wells_that_cannot_be_read_say_why_and_the_others_are_shown(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    group = plate()
    group.find("/A/2/0/0").before_read = Flaky()
    group.find("/A/3/0").attributes["multiscales"] = [{"datasets": [{"path": "7"}]}]
    group.find("/B/1/0").attributes["multiscales"] = [
        {"datasets": [{"path": "0", "coordinateTransformations": "?"}]}
    ]
    group.find("/B/2").attributes["well"] = {"images": "none"}
    pane = show(open_window, qtbot, group)
    wait_for_all(pane, qtbot)
    tips = {path: str(pane.loader.problem(path)) for path in ("/A/2", "/A/3", "/B/2")}
    assert "does not answer" in tips["/A/2"]
    assert "/A/3/0/7" in tips["/A/3"]
    assert tips["/B/2"] == "/B/2 names no image."
    assert pane.loader.thumbnail("/A/1") is not None
    assert pane.loader.thumbnail("/B/1") is not None
    grabbed = pane.view.grab()
    assert not grabbed.isNull()


@pytest.mark.parametrize("told", [{"wells": 7}, {"wells": [], "rows": "A", "columns": 3}, {"name": 3}])
def test_a_plate_without_wells_says_so(open_window: OpenWindow, qtbot: QtBot, told: dict[str, Any]) -> None:
    window = open_window(FakeGroup({}, {"plate": told}))
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Thumbnails")
    pane = window.node_pane.pane("Thumbnails")
    assert isinstance(pane, GalleryPane)
    qtbot.waitUntil(lambda: pane.stack.sentence.text == "The metadata name no wells.")


def test_the_contrast_is_shared_on_request(open_window: OpenWindow, qtbot: QtBot) -> None:
    group = plate("A", 2)
    group.find("/A/2/0/0").values[...] += 5000
    pane = show(open_window, qtbot, group)
    wait_for_all(pane, qtbot)

    def brightest(path: str) -> int:
        cell = pane.model.cell(pane.model.index_of(path))
        assert cell is not None
        pixmap = pane.view.pixmap(cell)
        if pixmap is None:
            return -1
        picture = pixmap.toImage()
        return max(picture.pixelColor(x, y).red() for x in range(16) for y in range(16))

    qtbot.waitUntil(lambda: brightest("/A/2") == 255)
    qtbot.waitUntil(lambda: brightest("/A/1") < 20)
    pane.same.click()
    qtbot.waitUntil(lambda: brightest("/A/1") == brightest("/A/2") == 255)
    assert pane.view_state()["same_contrast"] is False


def test_keys_and_the_slider_change_the_size(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, plate())
    before = pane.view.side
    qtbot.keyClick(pane.view, Qt.Key.Key_Minus)
    assert pane.view.side < before
    pane.size_slider.setValue(240)
    assert pane.view.side == 240
    assert pane.view.samples == 256
    pane.fit()
    assert pane.view.side == before
    pane.restore({"side": 50, "cell": "/B/1", "same_contrast": False})
    assert (pane.view.side, pane.view.current_path(), pane.same.isChecked()) == (50, "/B/1", False)
    pane.restore({"side": "big", "cell": 7})
    assert pane.view.side == 50


def test_larger_cells_are_read_anew(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.arange(512 * 512, dtype=np.float32).reshape(512, 512)
    entry = {"axes": ["y", "x"], "datasets": [{"path": str(n)} for n in range(3)]}
    arrays = {str(n): FakeArray(values[:: 1 << n, :: 1 << n], ("y", "x")) for n in range(3)}
    group = FakeGroup(
        {"0": FakeGroup(arrays, {"multiscales": [entry]})}, {"well": {"images": [{"path": "0"}]}}
    )
    pane = show(open_window, qtbot, group)
    pane.view.set_side(60)
    qtbot.waitUntil(lambda: pane.loader.thumbnail("/0") is not None)
    pane.view.set_side(384)
    qtbot.waitUntil(lambda: getattr(pane.loader.thumbnail("/0"), "side", 0) == 512)


def test_a_series_is_listed_by_its_names(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    write_series(tmp_path / "a.zarr")
    window.open(SourceRequest(str(tmp_path / "a.zarr")))
    pane = show_in(window, qtbot)
    assert [cell.name for cell in pane.view.cells_in_view()] == ["left eye", "right eye", "2"]
    assert not pane.same.isChecked()
    with qtbot.waitSignal(pane.path_chosen) as asked:
        pane.view.go("/1")
        qtbot.keyClick(pane.view, Qt.Key.Key_Enter)
    assert asked.args == ["/1"]


def test_another_theme_and_another_tab(open_window: OpenWindow, qtbot: QtBot) -> None:
    from zarrbrowser.theme import Appearance

    window = open_window(plate())
    pane = show_in(window, qtbot)
    window.node_pane.show_tab("Overview")
    assert not pane.loader.busy
    window.view.appearance.choose(Appearance.DARK)
    window.node_pane.show_tab("Thumbnails")
    wait_for_all(pane, qtbot)
    window.view.appearance.choose(Appearance.LIGHT)
    pane.forget_tiles()
    assert pane.loader.thumbnail("/A/1") is None


def path_of(pane: GalleryPane, cell: str) -> str:
    found = pane.loader.thumbnail(cell)
    return "" if found is None else found.image.path


def test_the_field_and_the_acquisition_are_chosen(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, plate_in_runs())
    wait_for_all(pane, qtbot)
    assert path_of(pane, "/A/1") == "/A/1/0"
    qtbot.waitUntil(lambda: pane.fields.field.count() == 3, timeout=20_000)
    assert pane.fields.field.isVisible(), "thumbnails tell how many fields there are"
    pane.view.go("/A/2")
    pane.fields.field.setCurrentIndex(1)
    pane.fields.field.activated.emit(1)
    qtbot.waitUntil(lambda: path_of(pane, "/A/1") == "/A/1/1")
    qtbot.waitUntil(lambda: pane.loader.problem("/A/2") is not None)
    assert str(pane.loader.problem("/A/2")) == "This well has only 1 field."
    assert pane.view.current_path() == "/A/2"
    pane.fields.acquisition.setCurrentIndex(1)
    pane.fields.acquisition.activated.emit(1)
    qtbot.waitUntil(lambda: path_of(pane, "/A/1") == "/A/1/2")
    document = pane.view_state()
    pane.restore({**document, "field": 0, "acquisition": None})
    qtbot.waitUntil(lambda: path_of(pane, "/A/1") == "/A/1/0")
    pane.restore(document)
    qtbot.waitUntil(lambda: path_of(pane, "/A/1") == "/A/1/2")


def test_a_well_shows_the_fields_of_one_acquisition(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, plate_in_runs(), "/A/1")
    wait_for_all(pane, qtbot)
    assert not pane.fields.field.isVisible()
    pane.fields.acquisition.setCurrentIndex(2)
    pane.fields.acquisition.activated.emit(2)
    wait_for_all(pane, qtbot)
    assert [cell.path for cell in pane.view.cells_in_view()] == ["/A/1/1"]
    assert pane.view.current_path() == "/A/1/1"
    assert pane.title.text == "1 field"


def test_a_plate_with_one_field_offers_no_choice(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, plate(acquisitions=[{"id": 0}], field_count=1))
    assert not pane.fields.acquisition.isVisible()
