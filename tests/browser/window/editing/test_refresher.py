"""Everything that shows changed data shows it anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr
from pytestqt.qtbot import QtBot

import zarrcore as zc
from tests.browser.editing.places import VALUES, write_example
from tests.browser.panes.image.beside.pictures import area_of, write_v3
from tests.browser.window.editing.windows import allow, go, idle, rows
from zarrbrowser.editing.attributes import set_attributes
from zarrbrowser.editing.elements import write_elements
from zarrbrowser.editing.nodes import erase, move
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.session.sources import Source
from zarrbrowser.window.main_window import MainWindow


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_example(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


def source_of(window: MainWindow) -> Source:
    assert window.session.source is not None
    return window.session.source


def picture(window: MainWindow, qtbot: QtBot) -> ImagePane:
    assert window.node_pane.show_tab("Image")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    return pane


def test_the_picture_shows_what_was_written(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan/raw")
    pane = picture(window, qtbot)
    assert np.array_equal(pane.view.mosaics[0].values, VALUES)
    array = source_of(window).hierarchy.node("/scan/raw")
    window.editor.ask(write_elements(source_of(window), array, (slice(0, 5), slice(0, 5)), np.int32(900)))
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.view.mosaics[0].values[0, 0] == 900)
    window.editor.undo()
    qtbot.waitUntil(lambda: pane.view.is_complete and np.array_equal(pane.view.mosaics[0].values, VALUES))


def test_the_picture_is_there_when_changes_are_allowed(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    window.open_text(f"{place}#/scan/raw")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/scan/raw")
    picture(window, qtbot)
    window.editor.toggle()
    qtbot.waitUntil(lambda: window.session.source is not None and window.session.source.may_change)
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/scan/raw")
    picture(window, qtbot)


def test_the_units_of_a_picture_follow_its_attributes(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan/raw")
    pane = picture(window, qtbot)
    wanted = {"units": "K", "scale_factor": 0.5}
    window.editor.ask(set_attributes(source_of(window), "/scan/raw", "array", {"unit": "mm"}, wanted))
    qtbot.waitUntil(lambda: window.node_pane.summary.text.startswith("K "))
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.model.state is not None)
    assert pane.model.state is not None
    assert pane.model.state.settings.elements.packing is not None


def test_another_opening_of_the_same_place_is_read_again(
    window: MainWindow, place: Path, qtbot: QtBot
) -> None:
    window.open_text(str(place / "scan"))
    qtbot.waitUntil(lambda: len(window.session.sources) == 1)
    other = window.session.sources[0].hierarchy
    assert other.node("/raw").attributes == {"unit": "mm"}
    window.tree.setCurrentIndex(window.model.index(0, 0))
    window.open_text(str(place))
    qtbot.waitUntil(lambda: len(window.session.sources) == 2)
    qtbot.waitUntil(lambda: window.session.source is window.session.sources[1])
    window.editor.toggle()
    qtbot.waitUntil(lambda: source_of(window).may_change)
    window.editor.ask(set_attributes(source_of(window), "/scan/raw", "array", {"unit": "mm"}, {"unit": "s"}))
    idle(window, qtbot)
    assert other.node("/raw").attributes == {"unit": "s"}


def test_a_search_finds_the_new_name(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place)
    window.side.box.setText("raw")
    qtbot.waitUntil(lambda: window.side.hits.found == 1)
    window.editor.ask(move(source_of(window), "/scan/raw", "/scan/cooked"))
    qtbot.waitUntil(lambda: window.side.hits.found == 0)
    window.side.box.setText("cook")
    qtbot.waitUntil(lambda: window.side.hits.found == 1)


def test_another_node_stays_where_it_is(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan/raw")
    write_example(place.parent / "b.zarr")
    window.open_text(str(place.parent / "b.zarr"))
    qtbot.waitUntil(lambda: len(window.session.sources) == 2)
    first = window.session.sources[0]
    qtbot.waitUntil(lambda: window.session.source is not first)
    window.editor.run(first, erase(first, "/scan/empty"))
    qtbot.waitUntil(lambda: rows(window, "/scan") == ["raw"])
    idle(window, qtbot)
    assert window.session.source is not first


def test_consolidated_metadata_stay_true(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    with zc.open(place, "r+") as made:
        made.consolidate()
    allow(window, qtbot, place, "/scan/raw")
    window.editor.ask(move(source_of(window), "/scan/raw", "/first"))
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/first")
    group = zarr.open_group(place, mode="r", use_consolidated=True)
    assert sorted(group) == ["first", "other", "scan"]
    assert sorted(group["scan"]) == ["empty"]
    assert np.array_equal(zc.open(place)["/first"][...], VALUES)
    go(window, qtbot, "/scan")
    window.editor.ask(erase(source_of(window), "/scan"))
    qtbot.waitUntil(lambda: rows(window) == ["first", "other"])
    assert sorted(zarr.open_group(place, mode="r", use_consolidated=True)) == ["first", "other"]


def test_the_second_image_shows_what_was_changed(
    window: MainWindow, place: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    write_v3(tmp_path / "b.zarr")
    allow(window, qtbot, place, "/scan/raw")
    changed = source_of(window)
    array = changed.hierarchy.node("/scan/raw")
    window.open_text(f"{tmp_path}/b.zarr#/fine")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/fine")
    pane = picture(window, qtbot)
    window.beside.show(changed, "/scan/raw")
    area = area_of(pane)
    qtbot.waitUntil(lambda: area.pane.view.is_complete)
    area.turn(zooms=False, moves=False)
    area.pane.model.set(colour_map="viridis")
    area.pane.canvas.show_range((1.0, 3.0), (1.0, 3.0))
    part = area.pane.canvas.visible()
    # A long change ends while the node of another source is shown.
    window.editor.run(changed, write_elements(changed, array, (slice(0, 5), slice(0, 5)), np.int32(900)))
    qtbot.waitUntil(lambda: area.pane.view.is_complete and area.pane.view.mosaics[0].values[0, 0] == 900)
    state = area.pane.model.state
    assert state is not None
    assert state.settings.colour_map == "viridis"
    assert area.pane.canvas.visible().rows == pytest.approx(part.rows, abs=0.5)
    wanted = {"units": "K", "scale_factor": 0.5}
    window.editor.run(changed, set_attributes(changed, "/scan/raw", "array", {"unit": "mm"}, wanted))
    qtbot.waitUntil(
        lambda: (
            area.pane.view.is_complete
            and area.pane.model.state is not None
            and area.pane.model.state.settings.elements.packing is not None
        )
    )
    window.editor.run(changed, move(changed, "/scan/raw", "/scan/moved"))
    qtbot.waitUntil(lambda: not area.pane.stack.shows_data and area.pane.stack.sentence.isVisible())
    assert window.session.node is not None
    assert window.session.node.path == "/fine"
    assert pane.view.is_complete
