"""The tabs of a node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

import zarrcore
from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.window.examples import example
from tests.core.stores.hdf5.writer import left_open
from zarrbrowser.image.state import Change
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.overview_pane import OverviewPane
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.main_window import MainWindow


def test_the_focus_stays_at_the_node_when_its_control_is_gone(open_window: OpenWindow, qtbot: QtBot) -> None:
    root = FakeGroup({"a": FakeGroup({"b": FakeGroup()}), "array": FakeArray(np.zeros((20, 30)))})
    window = open_window(root, "/array")
    window.activateWindow()
    pane = window.node_pane.pane("Image")
    qtbot.waitUntil(lambda: isinstance(pane, ImagePane) and pane.view.is_complete)
    window.node_pane.swap_focus(window.tree)
    for path in ("/a/b", "/"):
        window.navigator.go_within(path)
        qtbot.waitUntil(
            lambda path=path: window.session.node is not None and window.session.node.path == path
        )
        qtbot.waitUntil(lambda: not window.workers.active)
        focus = window.focusWidget()
        assert focus is not None
        assert window.node_pane.isAncestorOf(focus), focus


def test_the_next_image_is_announced_in_place_of_the_one_before(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    numbers = np.arange(600).reshape(20, 30)
    arrays = {
        "a": FakeArray(numbers, ("y", "x")),
        "b": FakeArray(numbers[:8], ("y", "x")),
        "line": FakeArray(numbers[0]),
    }
    window = open_window(FakeGroup(arrays), "/a")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    pane.body.controls.tools["profile"].setChecked(True)
    states: list[object] = []
    pane.model.changed.connect(
        lambda change: states.append(pane.model.state) if Change.IMAGE in change else None
    )
    window.navigator.go_within("/b")
    qtbot.waitUntil(lambda: pane.model.state is not None and pane.model.state.image.path == "/b")
    assert len(states) == 1
    assert not pane.body.controls.tools["profile"].isChecked()
    assert pane.body.tools.measurements.line is None
    window.navigator.go_within("/line")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Plot")
    assert states[1:] == [None]


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


def test_a_pyramid_of_n5_without_attributes_gets_an_image_tab(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    made = zarrcore.create(tmp_path / "a.n5", format="n5")
    made.create_group("scan")
    made.create_group("other")
    for name, side in (("s0", 32), ("s1", 16)):
        array = made.create_array(f"scan/{name}", shape=(side, side), dtype="uint16", chunks=(16, 16))
        array[...] = np.arange(side * side, dtype=np.uint16).reshape(side, side)
    window.open(SourceRequest(str(tmp_path / "a.n5"), "/scan"))
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert len(pane.view.levels) == 2
    window.node_pane.show_tab("Overview")
    overview = window.node_pane.pane("Overview")
    assert isinstance(overview, OverviewPane)
    qtbot.waitUntil(lambda: overview.meaning.grid is not None)
    window.open_text(f"{tmp_path / 'a.n5'}#/other")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/other")
    qtbot.waitUntil(lambda: not window.workers.active)
    assert window.node_pane.tabs.tabText(0) == "Overview"


def test_the_image_tab_is_made_before_it_is_needed(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.node_pane.pictures.finished):
        window.node_pane.pictures.load()
    pane = window.node_pane.panes.get("Image")
    assert pane is not None
    assert not pane.isVisible()
    assert all(
        widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished) for widget in pane.findChildren(QWidget)
    )


def test_an_array_of_a_file_whose_writer_died_is_shown_with_a_warning(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    left_open(tmp_path / "a.h5")
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file["packed"] = [1.0, 2.0]
    warning = window.node_pane.warning
    for name, path, is_warned in (
        ("a.h5", "/packed", True),
        ("a.h5", "/", False),  # the Overview has it
        ("a.h5", "/g/grown", True),
        ("b.h5", "/packed", False),
    ):
        window.open_text(f"{tmp_path / name}#{path}")
        place = str(tmp_path / name), path
        qtbot.waitUntil(lambda place=place: _shown(window) == place)
        assert warning.isVisible() == is_warned
        assert ("was not closed by the program" in warning.text()) == is_warned


def _shown(window: MainWindow) -> tuple[str, str] | None:
    source, node = window.session.source, window.session.node
    return None if source is None or node is None else (source.shown_address, node.path)


def test_a_group_that_names_a_signal_shows_its_plot(tmp_path: Path, window: MainWindow, qtbot: QtBot) -> None:
    with h5py.File(tmp_path / "scan.nxs", "w") as file:
        for name, shape in (("curve", 5), ("image", (6, 7))):
            group = file.create_group(name)
            group.attrs.update(NX_class="NXdata", signal="counts")
            group["counts"] = np.zeros(shape)
        file.create_group("empty").attrs.update(NX_class="NXdata", signal="counts")
    pane = window.node_pane
    window.open(SourceRequest(str(tmp_path / "scan.nxs"), "/curve"))
    qtbot.waitUntil(lambda: pane.current_tab() == "Plot" and pane.viewed() is not None)
    viewed = pane.viewed()
    assert viewed is not None
    assert viewed.array.path == "/curve/counts"
    window.navigator.go_within("/image")
    qtbot.waitUntil(lambda: pane.current_tab() == "Image" and pane.viewed() is not None)
    assert [one for one in pane.tabs.names if one != "Image"] == ["Overview", "Table", "Metadata"]
    window.navigator.go_within("/empty")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/empty")
    qtbot.waitUntil(lambda: not window.workers.active)
    assert pane.tabs.names == ["Overview", "Table", "Metadata"], "the group names an array that is not there"


def test_a_wait_for_the_drawing_modules_is_announced(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(FakeGroup({"array": FakeArray(np.zeros((20, 30)))}))
    qtbot.waitUntil(lambda: window.session.node is not None and not window.workers.active)
    pictures = window.node_pane.pictures
    is_loaded, load = pictures.is_loaded, pictures.load
    pictures.is_loaded = False
    monkeypatch.setattr(pictures, "load", lambda: None)
    window.navigator.go_within("/array")
    qtbot.waitUntil(window.node_pane.sentence.isVisible)
    assert window.node_pane.sentence.text == "Loading…"
    monkeypatch.setattr(pictures, "load", load)
    pictures.is_loaded = is_loaded
    pictures.loaded.emit()
    qtbot.waitUntil(lambda: window.node_pane.current_pane.isVisible())
    assert not window.node_pane.sentence.isVisible()
