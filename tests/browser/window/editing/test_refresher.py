"""Everything that shows changed data shows it anew."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import zarr
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import zarrcore as zc
from tests.browser.editing.places import VALUES, write_example
from tests.browser.fakes import Gate
from tests.browser.panes.image.beside.pictures import area_of, write_v3
from tests.browser.window.editing.windows import allow, go, idle, rows, shown
from zarrbrowser.editing.attributes import set_attributes
from zarrbrowser.editing.changes import Change, Outcome
from zarrbrowser.editing.elements import write_elements
from zarrbrowser.editing.nodes import erase, move, new_group
from zarrbrowser.editing.progress import Progress
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.session.sources import Source
from zarrbrowser.settings import Settings
from zarrbrowser.window.main_window import MainWindow


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_example(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


@pytest.fixture
def second(application: QApplication) -> Iterator[MainWindow]:
    made = MainWindow(Settings(fresh=True))
    made.show()
    yield made
    made.close()
    assert made.workers.shut_down(30), "a thread is still working"
    made.deleteLater()


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
    window.editor.run_here(
        write_elements(source_of(window), array, (slice(0, 5), slice(0, 5)), np.int32(900))
    )
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
    window.editor.run_here(set_attributes(source_of(window), "/scan/raw", "array", {"unit": "mm"}, wanted))
    qtbot.waitUntil(lambda: window.node_pane.header.summary.text.startswith("K "))
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
    window.editor.run_here(
        set_attributes(source_of(window), "/scan/raw", "array", {"unit": "mm"}, {"unit": "s"})
    )
    idle(window, qtbot)
    assert other.node("/raw").attributes == {"unit": "s"}


def test_a_search_finds_the_new_name(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place)
    window.view.side.box.setText("raw")
    qtbot.waitUntil(lambda: window.view.side.hits.found == 1)
    window.editor.run_here(move(source_of(window), "/scan/raw", "/scan/cooked"))
    qtbot.waitUntil(lambda: window.view.side.hits.found == 0)
    window.view.side.box.setText("cook")
    qtbot.waitUntil(lambda: window.view.side.hits.found == 1)


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
    with zc.open_hierarchy(place, "r+") as made:
        made.consolidate()
    allow(window, qtbot, place, "/scan/raw")
    window.editor.run_here(move(source_of(window), "/scan/raw", "/first"))
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/first")
    group = zarr.open_group(place, mode="r", use_consolidated=True)
    assert sorted(group) == ["first", "other", "scan"]
    assert sorted(group["scan"]) == ["empty"]
    assert np.array_equal(zc.open_hierarchy(place)["/first"][...], VALUES)
    go(window, qtbot, "/scan")
    window.editor.run_here(erase(source_of(window), "/scan"))
    qtbot.waitUntil(lambda: rows(window) == ["first", "other"])
    assert sorted(zarr.open_group(place, mode="r", use_consolidated=True)) == ["first", "other"]


def _slow(change: Change, gate: Gate) -> Change:
    """A change that ends once the gate is open."""

    def run(progress: Progress) -> Outcome:
        gate.wait()
        return change.run(progress)

    return replace(change, run=run)


@pytest.mark.parametrize("what", ["move", "erase", "group"])
def test_the_window_stays_where_the_user_has_gone(
    what: str, window: MainWindow, place: Path, qtbot: QtBot
) -> None:
    allow(window, qtbot, place, "/scan")
    source, gate = source_of(window), Gate()
    changes = {
        "move": (move(source, "/scan/empty", "/scan/void"), ["raw", "void"], "/scan/empty is now /scan/void"),
        "erase": (erase(source, "/scan/empty"), ["raw"], "/scan/empty is deleted"),
        "group": (new_group(source, "/scan/new"), ["empty", "new", "raw"], "/scan/new was made"),
    }
    change, names, text = changes[what]
    window.editor.run(source, _slow(change, gate))
    go(window, qtbot, "/scan/raw")
    assert window.node_pane.show_tab("Table")
    table = window.node_pane.pane("Table")
    assert isinstance(table, TablePane)
    table.go(3, 2)
    gate.open()
    qtbot.waitUntil(lambda: rows(window, "/scan") == names)
    idle(window, qtbot)
    assert shown(window).path == "/scan/raw"
    assert window.model.path_of(window.tree.currentIndex()) == "/scan/raw"
    assert window.node_pane.current_tab() == "Table"
    assert table.grid is not None
    qtbot.waitUntil(lambda: window.view.status.message.text == text)
    window.editor.undo()  # asked for here: the window shows what is undone
    if what != "erase":
        qtbot.waitUntil(lambda: shown(window).path == ("/scan/empty" if what == "move" else "/scan"))


def test_the_window_stays_in_a_group_and_shows_its_nodes_anew(
    window: MainWindow, place: Path, qtbot: QtBot
) -> None:
    allow(window, qtbot, place, "/scan/raw")
    source, gate = source_of(window), Gate()
    window.editor.run(source, _slow(erase(source, "/scan/empty"), gate))
    go(window, qtbot, "/")
    gate.open()
    qtbot.waitUntil(lambda: rows(window, "/scan") == ["raw"])
    idle(window, qtbot)
    assert shown(window).path == "/"


@pytest.mark.parametrize(
    ("make", "path"),
    [
        (lambda source: move(source, "/scan", "/other/scan"), "/other/scan/raw"),
        (lambda source: erase(source, "/scan"), "/"),
    ],
)
def test_the_window_goes_along_with_the_node_that_it_shows(
    make: Callable[[Source], Change], path: str, window: MainWindow, place: Path, qtbot: QtBot
) -> None:
    allow(window, qtbot, place, "/scan")
    source, gate = source_of(window), Gate()
    window.editor.run(source, _slow(make(source), gate))
    go(window, qtbot, "/scan/raw")
    gate.open()
    qtbot.waitUntil(lambda: shown(window).path == path)
    idle(window, qtbot)


def test_the_way_to_another_node_is_not_cut_off(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan")
    source, gate = source_of(window), Gate()
    window.editor.run(source, _slow(erase(source, "/scan/empty"), gate))
    go(window, qtbot, "/")
    gate.open()
    window.navigator.go_within("/scan/raw")
    qtbot.waitUntil(lambda: shown(window).path == "/scan/raw")
    idle(window, qtbot)
    assert shown(window).path == "/scan/raw"
    assert rows(window, "/scan") == ["raw"]


def test_a_picture_seen_before_is_read_again_if_it_changed_out_of_sight(
    window: MainWindow, place: Path, qtbot: QtBot
) -> None:
    allow(window, qtbot, place, "/scan/raw")
    source, gate = source_of(window), Gate()
    picture(window, qtbot)
    array = source.hierarchy.node("/scan/raw")
    change = write_elements(source, array, (slice(0, 5), slice(0, 5)), np.int32(900))
    window.editor.run(source, _slow(change, gate))
    write_example(place.parent / "b.zarr")
    window.open_text(str(place.parent / "b.zarr"))
    qtbot.waitUntil(lambda: window.session.source is not None and window.session.source is not source)
    gate.open()
    idle(window, qtbot)
    assert window.session.source is not source
    window.navigator.back()
    qtbot.waitUntil(lambda: window.session.source is source and shown(window).path == "/scan/raw")
    pane = picture(window, qtbot)
    assert pane.view.mosaics[0].values[0, 0] == 900


def test_undo_works_after_reloading(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan/raw")
    source = source_of(window)
    array = source.hierarchy.node("/scan/raw")
    window.editor.run_here(write_elements(source, array, (slice(0, 5), slice(0, 5)), np.int32(900)))
    idle(window, qtbot)
    window.sources.reload_current()
    idle(window, qtbot)
    window.editor.undo()
    idle(window, qtbot)
    assert np.array_equal(zarr.open_array(place / "scan/raw", mode="r")[...], VALUES)
    assert shown(window).path == "/scan/raw"


def test_reloading_does_not_pull_the_window_back(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan/raw")
    zarr.open_group(place, mode="r+", use_consolidated=False).create_group("theirs")
    window.sources.reload_current()
    window.navigator.go_within("/other")
    qtbot.waitUntil(lambda: rows(window) == ["other", "scan", "theirs"])
    idle(window, qtbot)
    assert shown(window).path == "/other"


def test_reloading_after_another_program_deleted_the_node(
    window: MainWindow, place: Path, qtbot: QtBot
) -> None:
    allow(window, qtbot, place, "/scan/raw")
    shutil.rmtree(place / "scan")
    window.sources.reload_current()
    qtbot.waitUntil(lambda: rows(window) == ["other"])
    idle(window, qtbot)
    assert shown(window).path == "/"
    qtbot.waitUntil(
        lambda: window.view.status.message.text == "a.zarr was read again; /scan/raw is not in it any more"
    )


@pytest.mark.parametrize("name", ["c.zarr", "c.zip"])
def test_a_source_is_closed_once_its_change_has_ended(
    name: str, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    write_example(tmp_path / name)
    allow(window, qtbot, tmp_path / name, "/scan/raw")
    source, gate = source_of(window), Gate()
    window.editor.run(source, _slow(new_group(source, "/made"), gate))
    window.sources.close_current()
    assert window.session.sources == []
    gate.open()
    idle(window, qtbot)
    assert window.editor.undoable(source) == ""
    assert window.node_pane.notice.text == ""
    assert "/made" in zc.open_hierarchy(tmp_path / name)


def test_the_window_closes_once_a_change_of_a_closed_source_has_ended(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    write_example(tmp_path / "c.zip")
    allow(window, qtbot, tmp_path / "c.zip", "/scan/raw")
    source, gate = source_of(window), Gate()
    window.editor.run(source, _slow(new_group(source, "/made"), gate))
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    window.sources.close_current()
    window.close()
    assert window.isVisible()
    gate.open()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert "/made" in zc.open_hierarchy(tmp_path / "c.zip")


def test_two_windows_change_one_store(
    window: MainWindow, second: MainWindow, place: Path, qtbot: QtBot
) -> None:
    other = second
    for one in (window, other):
        allow(one, qtbot, place, "/scan/raw")
    mine, theirs = source_of(window), source_of(other)
    array = mine.hierarchy.node("/scan/raw")
    window.editor.run_here(write_elements(mine, array, (slice(0, 5), slice(0, 5)), np.int32(900)))
    idle(window, qtbot)
    same = theirs.hierarchy.node("/scan/raw")
    other.editor.run_here(write_elements(theirs, same, (slice(0, 1), slice(0, 1)), np.int32(7)))
    idle(other, qtbot)
    window.editor.undo()
    idle(window, qtbot)
    assert "This cannot be undone: " in window.node_pane.notice.text
    assert zarr.open_array(place / "scan/raw", mode="r")[0, 0] == 7
    other.editor.undo()
    idle(other, qtbot)
    window.editor.undo()
    idle(window, qtbot)
    assert np.array_equal(zarr.open_array(place / "scan/raw", mode="r")[...], VALUES)
    other.editor.run_here(erase(theirs, "/scan"))
    idle(other, qtbot)
    window.editor.run_here(move(mine, "/scan/raw", "/raw"))
    idle(window, qtbot)
    assert "Moving /scan/raw to /raw failed: " in window.node_pane.notice.text


@pytest.mark.parametrize("changes", ["elements", "nodes"])
def test_the_rows_of_a_group_stay_sorted_and_filtered(
    changes: str, window: MainWindow, place: Path, qtbot: QtBot
) -> None:
    with zc.open_hierarchy(place, "r+") as made:
        for name in ("a", "b"):
            made.create_array(f"table/{name}", shape=(4,), dtype="int32")[...] = [3, 1, 2, 4]
    allow(window, qtbot, place, "/table")
    assert window.node_pane.show_tab("Table")
    pane = window.node_pane.pane("Table")
    assert isinstance(pane, TablePane)

    def cells() -> list[object]:
        number = 0 if pane.grid is None else pane.grid.rows
        return [pane.model.value(row, 0)[1] for row in range(number)]

    qtbot.waitUntil(lambda: cells() == [3, 1, 2, 4])
    pane.arranger.filter("a > 1")
    pane.arranger.sort(0, is_descending=True)
    qtbot.waitUntil(lambda: cells() == [4, 3, 2])
    source, gate = source_of(window), Gate()
    array = source.hierarchy.node("/table/a")
    change = (
        write_elements(source, array, (slice(1, 2),), np.int32(9))
        if changes == "elements"
        else new_group(source, "/new")
    )
    go(window, qtbot, "/scan")
    window.editor.run(source, _slow(change, gate))
    window.navigator.back()
    qtbot.waitUntil(lambda: shown(window).path == "/table" and cells() == [4, 3, 2])
    gate.open()
    qtbot.waitUntil(lambda: not window.editor.is_busy)
    idle(window, qtbot)
    qtbot.waitUntil(lambda: cells() == ([9, 4, 3, 2] if changes == "elements" else [4, 3, 2]))
    assert shown(window).path == "/table"
    assert pane.arranger.line.text() == "a > 1"


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
    qtbot.waitUntil(lambda: not area.pane.body.stack.shows_data and area.pane.body.stack.sentence.isVisible())
    assert window.session.node is not None
    assert window.session.node.path == "/fine"
    assert pane.view.is_complete
