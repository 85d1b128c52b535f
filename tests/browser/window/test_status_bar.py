"""The status bar: messages, progress, and requests so far."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.browser.fakes import Gate
from zarrbrowser.settings import Settings
from zarrbrowser.theme import motion
from zarrbrowser.window import status_bar
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.window.status_bar import StatusBar
from zarrbrowser.workers import Workers


def test_the_status_bar_counts_requests(application: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    import zarrcore as zc

    array = zc.create(tmp_path / "a.zarr").create_array("x", shape=(8, 8), dtype="uint8", chunks=(4, 4))
    array[...] = 1
    window = MainWindow(Settings(fresh=True))
    qtbot.addWidget(window)
    window.show()
    window.open_text(f"{tmp_path}/a.zarr#/x")
    qtbot.waitUntil(lambda: "request" in window.view.status.fetched.text())
    qtbot.waitUntil(lambda: window.session.sources[0].traffic()[0] >= 5)
    assert window.session.sources[0].traffic()[1] > 0
    window.close()
    assert window.workers.shut_down(30)


@pytest.fixture
def traffic() -> list[int]:
    """Requests and bytes so far."""
    return [10, 5000]


@pytest.fixture
def bar(workers: Workers, traffic: list[int], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> StatusBar:
    """A status bar that shows work at once, and is often drawn."""
    monkeypatch.setattr(status_bar, "_QUIET_S", -1.0)
    monkeypatch.setattr(status_bar, "_TICK_MS", 2)
    made = StatusBar(workers, lambda: (traffic[0], traffic[1]))
    qtbot.addWidget(made)
    made.show()
    return made


def test_work_is_shown_with_its_progress_until_it_ends(
    bar: StatusBar, workers: Workers, qtbot: QtBot
) -> None:
    gate = Gate()
    bar.report("/a: level 1")
    request = workers.submit(gate.wait, lambda _answer: None, pytest.fail, "Reading /b")
    workers.submit(gate.wait, lambda _answer: None, pytest.fail, "Reading /c")
    workers.submit(gate.wait, lambda _answer: None, pytest.fail)  # without a label it is not shown
    qtbot.waitUntil(lambda: bar.message.text.startswith("Reading /b…  "))
    assert bar.message.text.endswith("(and 1 more)")
    assert (bar.progress.maximum(), bar.cancel.isVisible()) == (0, True)
    request.progress(0.25)
    qtbot.waitUntil(lambda: bar.progress.value() == 25)
    gate.open()
    qtbot.waitUntil(lambda: bar.message.text == "/a: level 1")
    assert not bar.progress.isVisible()


def test_reading_can_be_cancelled(bar: StatusBar, workers: Workers, qtbot: QtBot) -> None:
    gate, errors = Gate(), []
    workers.submit(gate.wait, pytest.fail, errors.append, "Reading /b")
    qtbot.waitUntil(bar.cancel.isVisible)
    bar.cancel.click()
    gate.open()
    assert (len(errors), workers.active) == (1, ())
    assert not bar.cancel.isVisible()


def test_requests_are_counted_since_the_window_was_idle(
    bar: StatusBar, workers: Workers, traffic: list[int], qtbot: QtBot
) -> None:
    for requests, nbytes, text in ((1, 0, "1 request"), (3, 2048, "3 requests, 2.00 KiB")):
        gate, answers = Gate(), []
        workers.submit(gate.wait, answers.append, pytest.fail)
        traffic[0] += requests
        traffic[1] += nbytes
        gate.open()
        qtbot.waitUntil(lambda answers=answers: bool(answers))
        qtbot.waitUntil(lambda text=text: bar.fetched.text() == text)


def test_the_value_under_the_pointer_is_shown_beside_the_message(bar: StatusBar) -> None:
    bar.report("read")
    bar.show_value("y = 1, x = 2:  <b>")
    assert (bar.message.text, bar.value.text) == ("read", "y = 1, x = 2:  <b>")


def test_a_long_value_does_not_widen_the_window(bar: StatusBar) -> None:
    before = bar.minimumSizeHint().width()
    bar.show_value("y = 1, x = 2:  " + "9" * 500)
    assert bar.minimumSizeHint().width() == before


@pytest.mark.parametrize(("is_reduced", "most"), [(False, 0), (True, 100)])
def test_a_bar_moves_to_and_fro_only_where_the_user_likes_motion(
    is_reduced: bool,
    most: int,
    bar: StatusBar,
    workers: Workers,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not hasattr(Qt, "MotionPreference"):
        pytest.skip("this version of Qt has no accessibility preferences of the user")
    preference = Qt.MotionPreference.ReducedMotion if is_reduced else Qt.MotionPreference.NoPreference
    hints = SimpleNamespace(accessibility=lambda: SimpleNamespace(motionPreference=lambda: preference))
    monkeypatch.setattr(motion, "QGuiApplication", SimpleNamespace(styleHints=lambda: hints))
    gate = Gate()
    workers.submit(gate.wait, lambda _answer: None, pytest.fail, "Reading")
    qtbot.waitUntil(bar.progress.isVisible)
    assert bar.progress.maximum() == most
    gate.open()
    qtbot.waitUntil(lambda: not workers.active)
