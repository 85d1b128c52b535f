"""The window as a whole: opening, errors, descriptions, appearance."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest
import tifffile
import xarray
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QFileDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

import zarrcore
from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, FakeHierarchy, Gate
from tests.browser.window.examples import example
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.theme import DARK, Appearance, current_colours
from zarrbrowser.window.main_window import MainWindow


def test_a_source_that_hangs_can_be_cancelled_and_closed(application: QApplication, qtbot: QtBot) -> None:
    gate = Gate()

    def opener(request: SourceRequest) -> Source:
        gate.wait()
        return Source(request, FakeHierarchy(example()), example())

    window = MainWindow(Settings(fresh=True), opener)
    qtbot.addWidget(window)
    window.show()
    window.open_text("/slow")
    assert "Opening /slow" in window.view.sentence.text
    window.workers.stop()
    assert window.model.rowCount() == 0, "what was cancelled is not in the way"
    assert window.view.empty.isVisible()
    gate.open()


def test_a_source_that_cannot_be_opened_is_closed_by_a_button(
    application: QApplication, qtbot: QtBot
) -> None:
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.show()
    window.open_text("/no/such/file.h5")
    qtbot.waitUntil(lambda: "no" in window.view.sentence.text and not window.workers.active)
    buttons = {one.text(): one for one in window.view.sentence.findChildren(QPushButton) if one.isVisible()}
    assert "Connection…" not in buttons, "a path has none"
    buttons["Close"].click()
    assert window.model.rowCount() == 0
    assert window.view.empty.isVisible()


def test_the_first_start_offers_an_example(application: QApplication, qtbot: QtBot) -> None:
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.show()
    with qtbot.waitSignal(window.settled):
        window.view.empty.example_button.click()
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/functional")
    assert window.node_pane.current_tab() == "Image"


def test_a_file_is_opened_by_key_from_the_address_line(application: QApplication, qtbot: QtBot) -> None:
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    address = window.view.top_bar.address
    address.setFocus()
    qtbot.waitUntil(address.hasFocus)
    QTest.keySequence(address, QKeySequence("Ctrl+Shift+Z"))
    (dialog,) = window.findChildren(QFileDialog)
    assert dialog.isVisible()
    dialog.reject()
    qtbot.waitUntil(lambda: not window.findChildren(QFileDialog))


def test_the_badge_says_what_the_file_is(application: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    xarray.Dataset({"t": ("x", [1.0, 2.0])}).to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
    tifffile.imwrite(
        tmp_path / "b.ome.tif", np.zeros((3, 8, 8), np.uint8), metadata={"axes": "ZYX"}, ome=True
    )
    zarrcore.create(tmp_path / "c.n5", format="n5")
    zarrcore.create(tmp_path / "d.zarr")
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.show()
    for name, badge in (
        ("a.nc", "NetCDF-4"),
        ("b.ome.tif", "OME-TIFF"),
        ("c.n5", "N5"),
        ("d.zarr", "Zarr v3"),
    ):
        window.open_text(str(tmp_path / name))
        qtbot.waitUntil(lambda badge=badge: window.node_pane.header.format_chip.text() == badge)  # type: ignore[misc]


def test_keys_run_their_commands(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(FakeGroup({"volume": FakeArray(np.zeros((9, 14, 15)))}), "/volume")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    window.activateWindow()
    for keys, place in (("Ctrl+Right", 5), ("Ctrl+Right", 6), ("Ctrl+Left", 5)):
        QTest.keySequence(window, QKeySequence(keys))
        assert pane.body.sliders.sliders[0].value() == place
    view = pane.canvas.view
    window.tree.setFocus()
    view.sigRangeChangedManually.emit([True, True])
    view.setRange(xRange=(5, 8), yRange=(5, 8))
    seen = view.viewRect()
    for keys in ("PgDown", "Space"):  # these are the tree's own
        QTest.keySequence(window, QKeySequence(keys))
    assert (view.viewRect(), pane.body.sliders.sliders[0].value()) == (seen, 5)
    pane.canvas.setFocus()
    QTest.keySequence(window, QKeySequence("PgDown"))
    assert pane.body.sliders.sliders[0].value() == 6
    QTest.keySequence(window, QKeySequence("F"))
    assert view.viewRect().contains(QRectF(0, 0, 14, 13))
    QTest.keySequence(window, QKeySequence("1"))
    assert view.viewPixelSize()[0] * pane.canvas.devicePixelRatioF() == pytest.approx(1, abs=0.003)


BOTH = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction


def drag_of(data: QMimeData, actions: Qt.DropAction = BOTH) -> QDragEnterEvent:
    """A drag whose source offers these actions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # no other constructor is in all versions of Qt
        return QDragEnterEvent(
            QPoint(5, 5),
            actions,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )


def test_folders_can_be_dropped(application: QApplication, qtbot: QtBot) -> None:
    asked: list[SourceRequest] = []

    def opener(request: SourceRequest) -> Source:
        asked.append(request)
        return Source(request, FakeHierarchy(example()), example())

    window = MainWindow(Settings(fresh=True), opener)
    qtbot.addWidget(window)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/data/a b.zarr")])
    nothing, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    window.show()
    entered = drag_of(data)
    window.dragEnterEvent(entered)
    assert (entered.isAccepted(), entered.dropAction()) == (True, Qt.DropAction.CopyAction)
    (mark,) = [one for one in window.findChildren(QLabel) if one.text() == "Drop to open"]
    assert mark.isVisible()
    window.dragLeaveEvent(QDragLeaveEvent())
    assert not mark.isVisible()
    window.dragEnterEvent(entered)
    dropped = QDropEvent(QPointF(5, 5), BOTH, data, left, nothing)
    window.dropEvent(dropped)
    assert dropped.dropAction() is Qt.DropAction.CopyAction, (
        "after a move, the source would delete the folder"
    )
    assert not mark.isVisible()
    qtbot.waitUntil(lambda: bool(window.session.sources))
    assert asked == [SourceRequest("/data/a b.zarr")]


def test_an_empty_drop_is_refused(open_window: OpenWindow) -> None:
    window, data = open_window(example()), QMimeData()
    data.setText(" \n ")
    entered = drag_of(data)
    entered.setAccepted(False)
    window.dragEnterEvent(entered)
    assert not entered.isAccepted()
    data.setText("/data/a.zarr")
    moved = drag_of(data, Qt.DropAction.MoveAction)
    window.dragEnterEvent(moved)
    assert not moved.isAccepted(), "its source can only move it"


def test_a_key_leads_from_the_tree_to_the_data_and_back(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    window.activateWindow()
    window.tree.setFocus()
    QTest.keySequence(window, "F6")
    assert window.focusWidget() is pane.canvas
    QTest.keySequence(window, "F6")
    assert window.focusWidget() is window.tree
    window.node_pane.show_tab("Table")
    QTest.keySequence(window, "F6")
    assert isinstance(window.focusWidget(), QTableView)
    window.node_pane.show_tab("Metadata")
    window.tree.setFocus()
    QTest.keySequence(window, "F6")
    assert window.node_pane.pane("Metadata").isAncestorOf(window.focusWidget())


def test_the_focus_of_the_picture_and_of_the_tree_is_visible(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    for widget, other in ((pane.canvas, window.tree), (window.tree, pane.canvas)):
        window.activateWindow()
        other.setFocus()
        without = widget.grab().toImage().pixelColor(widget.width() // 2, 0)
        widget.setFocus()
        assert widget.grab().toImage().pixelColor(widget.width() // 2, 0).name() == current_colours().accent
        assert without.name() != current_colours().accent


def test_the_menu_has_the_guide_and_what_the_program_is(open_window: OpenWindow) -> None:
    window = open_window(example())
    menus = {one.text(): one.menu() for one in window.view.top_bar.menu.actions()}
    entries = [one.text().partition("\t")[0] for one in menus["Help"].actions()]  # type: ignore[attr-defined]
    assert {"Guide", "About zarrscope"} <= set(entries)
    guide = window.help.show_guide()
    assert "Find a node" in guide.text.toPlainText()
    assert window.help.show_guide() is guide
    guide.reject()
    another = window.help.show_guide()
    assert another is not guide
    another.reject()
    about = window.help.show_about()
    about.copy()
    assert "PySide6-Essentials 6." in QApplication.clipboard().text()
    about.reject()


def test_appearance_changes_while_running(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    window.view.appearance.choose(Appearance.DARK)
    assert current_colours() is DARK
    assert window.grab().toImage().pixelColor(2, 2).name() == DARK.window
    window.view.appearance.choose(Appearance.LIGHT)


def test_a_long_name_fits_a_small_window(open_window: OpenWindow, qtbot: QtBot) -> None:
    name = "n" * 400
    window = open_window(FakeGroup({name: FakeArray(np.zeros((3, 4)))}), f"/{name}")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    for tab in range(window.node_pane.tabs.count()):
        window.node_pane.tabs.setCurrentIndex(tab)
        window.resize(900, 600)
        qtbot.wait(10)
        assert (window.width(), window.height()) == (900, 600)


def name_of(widget: QWidget) -> str:
    text = getattr(widget, "text", None)
    return widget.accessibleName() or (str(text()) if callable(text) else "")


def is_part_of_another(widget: QWidget) -> bool:
    """Whether Qt created the widget as part of one that has a name."""
    return isinstance(widget, QHeaderView) or isinstance(widget.parent(), QLineEdit | QTableView)


def test_every_focusable_widget_has_an_accessible_name(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    for tab in ("Image", "Table", "Metadata", "Attributes", "Storage"):
        assert window.node_pane.show_tab(tab)
        nameless = [
            widget
            for widget in window.findChildren(QWidget)
            if widget.isVisible()
            and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            and not name_of(widget)
            and type(widget).__module__.startswith("zarrbrowser")
        ]
        assert not nameless, tab
        nameless = [
            widget
            for kind in (QAbstractButton, QLineEdit, QComboBox, QAbstractItemView)
            for widget in window.findChildren(kind)
            if widget.isVisible() and not name_of(widget) and not is_part_of_another(widget)
        ]
        assert not nameless, tab


def window_that_was_closed(qtbot: QtBot) -> weakref.ref[MainWindow]:
    root = example()
    window = MainWindow(Settings(fresh=True), lambda request: Source(request, FakeHierarchy(root), root))
    window.show()
    window.open(SourceRequest("fake.zarr", "/image"))
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    for name in ("Table", "Metadata", "Attributes", "Storage", "Image"):
        assert window.node_pane.show_tab(name)
        qtbot.waitUntil(lambda: not window.workers.active)
    window.view.side.box.setText("i")
    qtbot.waitUntil(lambda: window.view.side.hits.found > 0)
    for dialog in (window.choose_location(), window.help.show_keys()):
        dialog.reject()
    qtbot.waitUntil(lambda: not window.workers.active)
    window.close()
    assert window.workers.shut_down(30)
    with qtbot.waitSignal(window.destroyed):
        window.deleteLater()
    return weakref.ref(window)


def test_a_closed_window_is_freed(application: QApplication, qtbot: QtBot) -> None:
    widgets_before, threads_before = len(QApplication.topLevelWidgets()), threading.active_count()
    reference = window_that_was_closed(qtbot)
    for _ in range(3):
        application.processEvents()
        gc.collect()
    assert reference() is None
    assert len(QApplication.topLevelWidgets()) <= widgets_before
    assert threading.active_count() <= threads_before
