"""Fixtures: Qt without a screen, a themed application, and a window that is closed after each test."""

from __future__ import annotations

import gc
import math
import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before Qt loads

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

import zarrcore as zc
from tests.browser.fakes import FakeGroup, FakeHierarchy
from tests.waiting import PATIENCE_S
from zarrbrowser.app import empty_own_clipboard
from zarrbrowser.models import tree_item
from zarrbrowser.panes.pane_set import load_pictures
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.settings import Settings
from zarrbrowser.theme import Appearance, apply_theme, dress
from zarrbrowser.window.main_window import MainWindow
from zarrbrowser.workers import Request, Workers

PATIENCE = 30_000
"""Milliseconds that a test waits for what happens soon: a busy machine takes its time, and no test measures it."""
NUMBERS = np.arange(12, dtype=np.int16).reshape(3, 4)
"""The elements of `mountable`."""


class OpenWindow(Protocol):
    """Shows a hierarchy in a new window."""

    def __call__(self, root: FakeGroup, path: str = "/") -> MainWindow: ...


class PatientQtBot(QtBot):
    """Waits longer than pytest-qt does by default."""

    def addWidget(self, widget: QWidget, **options: Any) -> None:
        """Let a widget have the look that it has in a window, too."""
        if widget.isWindow() and not widget.parent() and not widget.styleSheet():
            dress(widget)
        super().addWidget(widget, **options)

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE, **options: Any) -> Any:
        return super().waitSignal(signal, timeout=timeout, **options)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Fail a test on warnings of Qt, except those that its offscreen platform prints for every window."""
    for item in items:
        if "tests/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.qt_log_level_fail("WARNING"))
            lacks = "This plugin does not support (propagateSizeHints|raise|grabbing the (keyboard|mouse))"
            item.add_marker(pytest.mark.qt_log_ignore(lacks, extend=True))


@pytest.fixture(scope="session", autouse=True)
def _no_garbage_before() -> None:
    """Freeze imported modules, so that the collection after each window skips them and saves a tenth of a second."""
    load_pictures()
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _nothing_in_the_clipboard_afterwards() -> Iterator[None]:
    yield
    if QApplication.instance() is not None:
        empty_own_clipboard()


@pytest.fixture(scope="module", autouse=True)
def _garbage_collected_in_this_thread() -> Iterator[None]:
    """Another thread must not destroy widgets; the program uses `zarrbrowser.workers.garbage`.

    What is left is frozen: otherwise the collection after each window would look at all that the modules before left.
    """
    gc.disable()
    yield
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _slow_answers() -> Iterator[None]:
    """With ``ZARRSCOPE_SLOW_ANSWERS``, each answer comes late, and later than its parts, as on a busy machine.

    A test that does not wait for what it looks at fails then each time, instead of once in a hundred runs.
    """
    if not os.environ.get("ZARRSCOPE_SLOW_ANSWERS"):
        yield
        return
    run = Workers._run

    def run_late(self: Workers, request: Request, work: Callable[[Request], Any]) -> None:
        def late(asked: Request) -> Any:
            time.sleep(0.03)
            try:
                return work(asked)
            finally:
                time.sleep(0.1)

        run(self, request, late)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Workers, "_run", run_late)
        yield


@pytest.fixture(autouse=True)
def _whole_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree's pages end by their size only: on a busy machine they would also end by the time that they take."""
    monkeypatch.setattr(tree_item, "PAGE_TIME_S", math.inf)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    return PatientQtBot(request)


@pytest.fixture
def application(qapp: QApplication) -> QApplication:
    apply_theme(qapp, Appearance.LIGHT)
    return qapp


@pytest.fixture
def workers(application: QApplication) -> Iterator[Workers]:
    made = Workers()
    yield made
    assert made.shut_down(30), "a thread is still working"


@pytest.fixture
def window(application: QApplication) -> Iterator[MainWindow]:
    """A window that opens real sources."""
    made = MainWindow(Settings(fresh=True))
    made.resize(1280, 800)
    made.show()
    yield made
    made.close()
    assert made.workers.shut_down(30), "a thread is still working"
    made.deleteLater()
    application.processEvents()


@pytest.fixture
def open_window(open_new_window: OpenWindow) -> OpenWindow:
    """Shows a hierarchy in a window; some folders use one window for one test after another."""
    return open_new_window


@pytest.fixture
def open_new_window(application: QApplication, qtbot: QtBot) -> Iterator[OpenWindow]:
    """Shows a hierarchy in a new window."""
    windows: list[MainWindow] = []

    def open_it(root: FakeGroup, path: str = "/") -> MainWindow:
        window = MainWindow(Settings(fresh=True), lambda request: Source(request, FakeHierarchy(root), root))
        windows.append(window)
        window.resize(1280, 800)  # the offscreen screen has 800 × 800
        window.show()
        window.open(SourceRequest("fake.zarr", path))
        qtbot.waitUntil(lambda: bool(window.session.sources))
        return window

    yield open_it
    for window in windows:
        window.close()
        assert window.workers.shut_down(30), "a thread is still working"
        window.deleteLater()
    application.processEvents()
    if windows:
        gc.collect()


@pytest.fixture
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where settings and recent views are saved during a test."""
    QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def mountable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hierarchy with a space in its name; mounts of it are made below ``tmp_path``."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    path = tmp_path / "a b.zarr"
    array = zc.create(path).create_array("x", shape=(3, 4), dtype="int16", chunks=(2, 2))
    array[...] = NUMBERS
    return path


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """An X server shared by all tests of the real program."""
    program = shutil.which("Xvfb")
    if program is None:
        pytest.skip("Xvfb is not installed")
    reading, writing = os.pipe()
    # Without -noreset, the server starts anew when its last client leaves, and refuses a client that connects meanwhile.
    server = subprocess.Popen(
        [program, "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as number:
        name = ":" + number.readline().strip()
    yield name
    server.terminate()
    server.wait(PATIENCE_S)


def environment(display: str, home: Path) -> dict[str, str]:
    """The environment of the real program: this display, and separate settings."""
    return {
        **os.environ,
        "DISPLAY": display,
        "QT_QPA_PLATFORM": "xcb",
        "XDG_CONFIG_HOME": str(home),
        "XDG_CACHE_HOME": str(home),
    }
