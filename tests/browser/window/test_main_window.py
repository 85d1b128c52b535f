"""The window as a whole: opening, errors, descriptions, appearance."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeBroken, FakeGroup, FakeHierarchy, Flaky, Gate
from zarrbrowser.panes.attributes_pane import AttributesPane
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.metadata_pane import MetadataPane
from zarrbrowser.panes.overview_pane import OverviewPane
from zarrbrowser.panes.problem_pane import ProblemPane
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.theme import DARK, Appearance, apply, current_colours
from zarrbrowser.window.main_window import MainWindow
from zarrcore.errors import HierarchyNotFoundError, MetadataError, StoreNotFoundError


def example() -> FakeGroup:
    group = FakeGroup({"inner": FakeArray(np.zeros((2, 3)))})
    return FakeGroup(
        {
            "image": FakeArray(np.zeros((4, 5))),
            "group": group,
            "bad": FakeBroken(MetadataError("expected a list")),
        },
        {"title": "an example"},
    )


def test_an_empty_window_shows_the_start_page(application: QApplication, qtbot: QtBot) -> None:
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.show()
    assert window.empty.isVisible()
    assert window.empty.open_button.isVisible()
    assert "URL" in window.top_bar.address.placeholderText()


def test_a_group_is_described(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example())
    pane = window.node_pane.pane("Overview")
    assert isinstance(pane, OverviewPane)
    qtbot.waitUntil(lambda: pane.children_label is not None and pane.children_label.text() == "3 children")
    assert pane.attributes.tree.model().index(0, 1).data() == "an example"
    assert window.top_bar.address.text() == "fake.zarr"


def test_an_array_is_described(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    window.node_pane.show_tab("Metadata")
    pane = window.node_pane.pane("Metadata")
    assert isinstance(pane, MetadataPane)
    qtbot.waitUntil(lambda: '"node_type": "array"' in pane.document.text)
    pane.form.setCurrentIndex(1)
    qtbot.waitUntil(lambda: '"zarr_format": 2' in pane.document.text)
    assert pane.document.heading.text == "image/.zarray"
    pane.document.copy()
    assert QGuiApplication.clipboard().text() == pane.document.text
    window.node_pane.show_tab("Attributes")
    attributes = window.node_pane.pane("Attributes")
    assert isinstance(attributes, AttributesPane)
    assert attributes.attributes.tree.model().index(0, 0).data() == "units"
    assert window.top_bar.address.text() == "fake.zarr#/image"


def test_a_broken_node_says_why_and_shows_its_document(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/bad")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Problem")
    pane = window.node_pane.pane("Problem")
    assert isinstance(pane, ProblemPane)
    assert pane.sentence.text() == "Expected a list."
    qtbot.waitUntil(lambda: '"data_type": "float99"' in pane.document.text)
    root = window.session.sources[0].hierarchy.node("/")
    root.add("bad", FakeArray(np.zeros((3, 4))))
    pane.retry_button.click()
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    assert window.tree.currentIndex().siblingAtColumn(1).data() == "3 × 4"


def test_a_path_is_shown_without_expanding_by_hand(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/group/inner")
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "inner")
    assert window.tree.currentIndex().parent().data() == "group"
    window.open_text("fake.zarr#/nowhere")
    qtbot.waitUntil(lambda: "no node /nowhere" in window.sentence.text.lower())
    assert window.windowTitle() == "zarrscope"
    assert window.exporter.ask() is None  # of the node that was shown before
    root = window.session.sources[0].hierarchy.node("/")
    root.add("nowhere", FakeGroup())
    window.sentence.button.click()
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "nowhere")
    assert window.node_pane.isVisible()


def test_the_chosen_tab_stays_selected(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    window.node_pane.tabs.tabBarClicked.emit(2)
    window.node_pane.show_tab("Metadata")
    window.open_text("fake.zarr#/group/inner")
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "inner")
    assert window.node_pane.current_tab() == "Metadata"


@pytest.mark.parametrize(
    "error",
    [
        StoreNotFoundError("there is no directory /nowhere"),
        HierarchyNotFoundError("/data", ("zarr.json", ".zgroup")),
        PermissionError(13, "Permission denied"),
        RuntimeError(),
    ],
)
def test_a_source_that_cannot_be_opened_shows_a_sentence(
    error: Exception, application: QApplication, qtbot: QtBot
) -> None:
    problem: list[Exception] = [error]

    def opener(request: SourceRequest) -> Source:
        if problem:
            raise problem[0]
        return Source(request, FakeHierarchy(example()), example())

    window = MainWindow(Settings(fresh=True), opener)
    qtbot.addWidget(window)
    window.show()
    window.open_text("/nowhere")
    qtbot.waitUntil(lambda: window.sentence.button.isVisible())
    assert window.sentence.text.endswith(".")
    problem.clear()
    window.sentence.button.click()
    qtbot.waitUntil(lambda: bool(window.session.sources))
    qtbot.waitUntil(lambda: window.node_pane.isVisible())


def test_a_source_that_hangs_can_be_cancelled_and_closed(application: QApplication, qtbot: QtBot) -> None:
    gate = Gate()

    def opener(request: SourceRequest) -> Source:
        gate.wait()
        return Source(request, FakeHierarchy(example()), example())

    window = MainWindow(Settings(fresh=True), opener)
    qtbot.addWidget(window)
    window.show()
    window.open_text("/slow")
    assert "Opening /slow" in window.sentence.text
    window.workers.stop()
    assert "cancelled" in window.sentence.text
    window.close_source()
    assert window.empty.isVisible()
    gate.open()


def test_closing_a_source_forgets_it(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    window.close_source()
    assert window.session.sources == []
    assert window.empty.isVisible()


def test_reload_shows_the_changed_source(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example())
    before = window.session.sources[0]
    window.reload()
    qtbot.waitUntil(lambda: bool(window.session.sources) and window.session.sources[0] is not before)
    assert len(window.session.sources) == 1
    qtbot.waitUntil(lambda: window.model.rowCount(window.model.index(0, 0)) == 3)
    assert window.node_pane.isVisible()


def test_keys_run_their_commands(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(FakeGroup({"volume": FakeArray(np.zeros((9, 14, 15)))}), "/volume")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    window.activateWindow()
    for keys, place in (("Ctrl+Right", 5), ("Ctrl+Right", 6), ("Ctrl+Left", 5)):
        QTest.keySequence(window, QKeySequence(keys))
        assert pane.sliders.sliders[0].value() == place
    view = pane.canvas.view
    window.tree.setFocus()
    view.sigRangeChangedManually.emit([True, True])
    view.setRange(xRange=(5, 8), yRange=(5, 8))
    seen = view.viewRect()
    for keys in ("PgDown", "Space"):  # these are the tree's own
        QTest.keySequence(window, QKeySequence(keys))
    assert (view.viewRect(), pane.sliders.sliders[0].value()) == (seen, 5)
    pane.canvas.setFocus()
    QTest.keySequence(window, QKeySequence("PgDown"))
    assert pane.sliders.sliders[0].value() == 6
    QTest.keySequence(window, QKeySequence("F"))
    assert view.viewRect().contains(QRectF(0, 0, 14, 13))
    QTest.keySequence(window, QKeySequence("1"))
    assert view.viewPixelSize()[0] * pane.canvas.devicePixelRatioF() == pytest.approx(1, abs=0.003)


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
    window.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, left, nothing))
    qtbot.waitUntil(lambda: bool(window.session.sources))
    assert asked == [SourceRequest("/data/a b.zarr")]


def test_appearance_changes_while_running(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example(), "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    window.set_appearance(Appearance.DARK)
    assert current_colours() is DARK
    assert window.grab().toImage().pixelColor(2, 2).name() == DARK.window
    window.set_appearance(Appearance.LIGHT)


def test_the_system_s_colours_are_followed_while_running(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(example())
    monkeypatch.setattr(apply, "_colours_for", lambda _application, _appearance: DARK)
    window.follow_system()
    assert current_colours() is DARK
    monkeypatch.undo()
    monkeypatch.setattr(window.settings, "appearance", lambda: Appearance.DARK)
    window.follow_system()
    assert current_colours() is DARK, "the user's own are kept"
    window.set_appearance(Appearance.LIGHT)


def test_a_pane_hidden_while_the_appearance_changes_shows_the_current_node(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(example(), "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    window.node_pane.show_tab("Metadata")
    pane = window.node_pane.pane("Metadata")
    assert isinstance(pane, MetadataPane)
    qtbot.waitUntil(lambda: "shape" in pane.document.text)
    window.node_pane.show_tab("Image")
    window.open_text("fake.zarr#/group/inner")
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "inner")
    assert pane.document.text == ""
    window.set_appearance(Appearance.LIGHT)
    window.node_pane.show_tab("Metadata")
    qtbot.waitUntil(lambda: "2,\n" in pane.document.text or "[2, 3]" in pane.document.text)


def test_a_pane_that_fails_shows_a_sentence(open_window: OpenWindow, qtbot: QtBot) -> None:
    root = example()
    root.find("/group/inner").codecs = 5
    window = open_window(root, "/image")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    window.node_pane.tabs.tabBarClicked.emit(2)
    window.open_text("fake.zarr#/group/inner")
    qtbot.waitUntil(lambda: window.node_pane.sentence.isVisible())
    assert window.node_pane.sentence.text == "'int' object is not iterable."
    root.find("/group/inner").codecs = ()
    window.node_pane.sentence.button.click()
    assert window.node_pane.pane("Metadata").isVisible()


@pytest.mark.parametrize("values", [np.float32(7), np.zeros((0, 3)), np.zeros((2, 2), "S3"), np.zeros(0)])
def test_a_node_without_a_picture_settles_too(values: Any, open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(FakeGroup({"array": FakeArray(values)}))
    with qtbot.waitSignal(window.settled):
        window.open_text("fake.zarr#/array")


def test_a_source_is_opened_once(application: QApplication, qtbot: QtBot) -> None:
    opened: list[str] = []
    problems = [StoreNotFoundError("there is no directory /data/a.zarr")]

    def opener(request: SourceRequest) -> Source:
        opened.append(request.address)
        if problems:
            raise problems.pop()
        root = example()
        return Source(request, FakeHierarchy(root), root)

    window = MainWindow(Settings(fresh=True), opener)
    qtbot.addWidget(window)
    window.show()
    window.open_text("  ")
    assert window.model.rowCount() == 0
    window.open_text("/data/a.zarr")
    qtbot.waitUntil(lambda: window.sentence.button.isVisible())
    window.open_text("/data/b/../a.zarr/#/image")  # it failed: it is tried again, and shown
    window.open_text("/data/a.zarr#/group")  # is being opened
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "group")
    window.open_text("file:///data/a.zarr")
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "fake.zarr")
    assert (len(opened), window.model.rowCount()) == (2, 1)


def test_an_error_disappears_when_the_source_is_opened_again(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example())
    window.open_text("fake.zarr#/nowhere")
    qtbot.waitUntil(window.sentence.isVisible)
    window.open_text("fake.zarr")
    qtbot.waitUntil(window.node_pane.isVisible)


def test_a_long_name_fits_a_small_window(open_window: OpenWindow, qtbot: QtBot) -> None:
    name = "n" * 400
    window = open_window(FakeGroup({name: FakeArray(np.zeros((3, 4)))}), f"/{name}")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    for tab in range(window.node_pane.tabs.count()):
        window.node_pane.tabs.setCurrentIndex(tab)
        window.resize(900, 600)
        qtbot.wait(10)
        assert (window.width(), window.height()) == (900, 600)


def test_a_failed_listing_shows_a_sentence_when_chosen(open_window: OpenWindow, qtbot: QtBot) -> None:
    root, flaky = example(), Flaky()
    root.find("/group").before_listing = flaky
    window = open_window(root, "/group")
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "group")
    window.tree.expand(window.tree.currentIndex())
    group = window.tree.currentIndex()
    qtbot.waitUntil(lambda: "does not answer" in str(window.model.index(0, 0, group).data()))
    assert window.tree.isFirstColumnSpanned(0, group)
    window.tree.setCurrentIndex(window.model.index(0, 0, group))
    assert window.sentence.isVisible()
    flaky.mended = True
    window.sentence.button.click()
    qtbot.waitUntil(lambda: window.model.index(0, 0, group).data() == "inner")
    qtbot.waitUntil(window.node_pane.isVisible)
    assert not window.tree.isFirstColumnSpanned(0, group)


def test_a_late_lookup_keeps_the_chosen_row(open_window: OpenWindow, qtbot: QtBot) -> None:
    window, gate = open_window(example(), "/image"), Gate()
    qtbot.waitUntil(lambda: window.tree.currentIndex().data() == "image")
    hierarchy = window.session.sources[0].hierarchy
    find = hierarchy.node
    hierarchy.node = lambda path: (gate.wait(), find(path))[1]  # type: ignore[method-assign]
    window.open_text("fake.zarr#/group/inner")
    assert gate.waiting.acquire(timeout=5)
    window.tree.setCurrentIndex(window.model.index(0, 0))
    gate.open()
    qtbot.waitUntil(lambda: not window.workers.active)
    assert window.workers.shut_down(5)
    application = QApplication.instance()
    assert application is not None
    application.processEvents()
    assert window.tree.currentIndex().data() == "fake.zarr"


def test_settings_are_saved_but_not_when_fresh(
    application: QApplication, qtbot: QtBot, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PySide6.QtCore import QSettings

    QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, str(tmp_path))
    first = Settings()
    first.keep("recent", ["one"])
    first.keep("appearance", "dark")
    first.flush()
    again = Settings()
    assert again.texts("recent") == ["one"]
    assert again.appearance() is Appearance.DARK
    assert Settings(fresh=True).texts("recent") == []


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
    window.side.box.setText("i")
    qtbot.waitUntil(lambda: window.side.hits.found > 0)
    for dialog in (window.choose_location(), window.show_keys()):
        dialog.reject()
    qtbot.waitUntil(lambda: not window.workers.active)
    window.close()
    assert window.workers.shut_down(5)
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
