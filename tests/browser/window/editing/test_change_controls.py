"""The mark, the bar that says what was not done, and the end of a window during a change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.browser.editing.places import write_example
from tests.browser.fakes import Gate
from tests.browser.window.editing.windows import allow, go, idle, shown
from zarrbrowser.editing.attributes import set_attributes
from zarrbrowser.editing.changes import Change, Effect, Outcome
from zarrbrowser.editing.progress import Progress
from zarrbrowser.session.sources import Source
from zarrbrowser.window.main_window import MainWindow


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_example(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


def waiting(gate: Gate) -> Callable[[Progress], Outcome]:
    """Work that waits for a gate."""

    def work(_progress: Progress) -> Outcome:
        gate.wait()
        return Outcome("done")

    return work


def source_of(window: MainWindow) -> Source:
    assert window.session.source is not None
    return window.session.source


def test_the_mark_undoes_the_last_change(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan/raw")
    chip = window.node_pane.header.change_chip
    texts = [one.text() for one in chip.menu().actions()]
    assert texts == ["Nothing to undo", "Stop changes"]
    window.editor.run_here(set_attributes(source_of(window), "/scan/raw", "array", {"unit": "mm"}, {"a": 1}))
    qtbot.waitUntil(lambda: chip.menu().actions()[0].text() == "Undo the attributes of /scan/raw")
    chip.menu().actions()[0].trigger()
    qtbot.waitUntil(lambda: chip.menu().actions()[0].text() == "Nothing to undo")
    idle(window, qtbot)
    assert shown(window).attributes == {"unit": "mm"}  # type: ignore[attr-defined]
    window.editor.undo()
    qtbot.waitUntil(lambda: window.view.status.message.text == "There is no change to undo")


def test_what_is_left_of_a_change_can_be_completed(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place, "/scan/raw")
    done: list[str] = []

    def complete(_progress: Progress) -> Outcome:
        done.append("rest")
        return Outcome("the rest is deleted")

    rest = Change("Deleting the rest", complete)
    half = Outcome("It was stopped", Effect.NOTHING, is_complete=False, rest=rest)
    window.editor.run_here(Change("Deleting", lambda _progress: half))
    notice = window.node_pane.notice
    qtbot.waitUntil(lambda: notice.text == "It was stopped.")
    assert notice.button.text() == "Delete the rest"
    notice.button.click()
    qtbot.waitUntil(lambda: done == ["rest"])
    assert notice.isHidden()


def test_the_bar_goes_with_its_node(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place)
    window.editor.ask_erase()
    notice = window.node_pane.notice
    assert notice.isVisible()
    go(window, qtbot, "/scan")
    assert notice.isHidden()
    failed = Outcome("Not moved", Effect.NODES, "/scan/raw", None, "/", is_complete=False)
    window.editor.run_here(Change("Moving", lambda _progress: failed))
    qtbot.waitUntil(lambda: shown(window).path == "/scan/raw")
    idle(window, qtbot)
    assert notice.text == "Not moved."
    assert notice.isVisible()


def test_changes_are_not_stopped_under_a_running_one(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place)
    gate = Gate()
    window.editor.run_here(Change("Waiting", waiting(gate)))
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    window.editor.toggle()
    assert "A change is still running" in window.node_pane.notice.text
    gate.open()
    idle(window, qtbot)
    assert source_of(window).may_change


def test_the_window_closes_when_a_running_change_has_ended(
    window: MainWindow, place: Path, qtbot: QtBot
) -> None:
    allow(window, qtbot, place)
    gate, stopped = Gate(), []

    def work(progress: Progress) -> Outcome:
        gate.wait()
        stopped.append(progress.is_stopped())
        return Outcome("half", is_complete=False)

    window.editor.run_here(Change("Waiting", work))
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    assert not window.close()
    assert window.isVisible()
    gate.open()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert stopped == [True]


def test_a_second_close_does_not_wait(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place)
    gate = Gate()
    window.editor.run_here(Change("Waiting", waiting(gate)))
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    assert not window.close()
    assert window.close()
    gate.open()


def test_a_new_start_only_reads(window: MainWindow, place: Path, qtbot: QtBot) -> None:
    allow(window, qtbot, place)
    requests = [source.request for source in window.session.sources]
    window.sources.close_current()
    qtbot.waitUntil(lambda: not window.session.sources)
    window.open(requests[0])
    qtbot.waitUntil(lambda: bool(window.session.sources))
    assert not window.session.sources[0].may_change
