"""Drafts first, then the full picture of the newest view; without OpenGL a sentence; the thread always ends."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.panes.volume import renderer
from zarrbrowser.panes.volume.gl_scene import NoOpenGLError, Picture, Superseded
from zarrbrowser.panes.volume.renderer import Drawn, NotDrawnError, View, VolumeRenderer
from zarrbrowser.volume.camera import Camera, Projection, Side
from zarrbrowser.volume.look import Look
from zarrbrowser.volume.textures import Texture

ROOT = Path(__file__).parents[4]
TEXTURE = Texture(np.zeros((2, 3, 4, 1), np.uint8), np.zeros((256, 3), np.uint8))


class FakeScene:
    """Takes as long as it is told, and asks in between whether the picture is still wanted."""

    full_s = 0.0
    error: Exception | None = None
    made: list[FakeScene]

    def __init__(self, _surface: object) -> None:
        self.most_side, self.renderer = 512, "a fake"
        self.pictures: list[Picture] = []
        self.shown: list[int] = []
        self.is_closed = False
        self.full_pixels = 100 * 80
        FakeScene.made.append(self)

    def show(self, textures: tuple[Texture, ...], superseded: Callable[[], bool]) -> None:
        self.shown.append(len(textures))

    def draw(self, picture: Picture, superseded: Callable[[], bool]) -> QImage:
        if FakeScene.error is not None:
            raise FakeScene.error
        takes_s = FakeScene.full_s * picture.width * picture.height / self.full_pixels
        ends_s = time.monotonic() + takes_s
        while time.monotonic() < ends_s:
            if superseded():
                raise Superseded
            time.sleep(0.002)
        self.pictures.append(picture)
        return QImage(picture.width, picture.height, QImage.Format.Format_ARGB32_Premultiplied)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def fake_scene(monkeypatch: pytest.MonkeyPatch) -> type[FakeScene]:
    monkeypatch.setattr(renderer, "GlScene", FakeScene)
    monkeypatch.setattr(FakeScene, "full_s", 0.0)
    monkeypatch.setattr(FakeScene, "error", None)
    FakeScene.made = []
    return FakeScene


@pytest.fixture
def made(application: QApplication, fake_scene: type[FakeScene]) -> Any:
    one = VolumeRenderer()
    yield one
    one.stop()
    assert not one._thread.is_alive()
    one.deleteLater()
    application.processEvents()


def view(side: Side = Side.FRONT, ratio: float = 1.0) -> View:
    projection = Projection(Camera.of(side), (4.0, 3.0, 2.0), 100, 80)
    return View(projection, (False, False, False), Look(Camera.of(side)), ratio)


def collect(one: VolumeRenderer) -> list[Drawn]:
    found: list[Drawn] = []
    one.drawn.connect(found.append)
    return found


def test_the_driver_is_told(made: VolumeRenderer, qtbot: QtBot) -> None:
    with qtbot.waitSignal(made.ready) as told:
        made.start()
    assert told.args == [512, "a fake"]


def test_a_quick_view_is_drawn_in_full(made: VolumeRenderer, qtbot: QtBot) -> None:
    found = collect(made)
    made.start()
    made.show([TEXTURE])
    made.look(view(ratio=2.0))
    qtbot.waitUntil(lambda: bool(found) and found[-1].is_final)
    assert found[-1].image.size().toTuple() == (200, 160)


def test_nothing_is_drawn_without_volumes(made: VolumeRenderer, qtbot: QtBot) -> None:
    found = collect(made)
    made.start()
    made.look(view())
    made.show([])
    qtbot.waitUntil(lambda: bool(FakeScene.made) and 0 in FakeScene.made[0].shown)
    assert not found


def test_a_slow_view_is_drawn_as_a_draft_first(
    made: VolumeRenderer, qtbot: QtBot, fake_scene: type[FakeScene], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fake_scene, "full_s", 0.4)
    found = collect(made)
    made.start()
    made.show([TEXTURE])
    made.look(view())
    qtbot.waitUntil(lambda: bool(found) and found[-1].is_final)
    assert [one.is_final for one in found] == [False, True]
    assert found[0].image.width() < 50
    made.look(view(Side.TOP))
    qtbot.waitUntil(lambda: len(found) == 4)
    assert 10 <= found[2].image.width() < 60, "about a twentieth of a second"


def test_a_newer_view_ends_the_full_picture_of_an_older_one(
    made: VolumeRenderer, qtbot: QtBot, fake_scene: type[FakeScene], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fake_scene, "full_s", 5.0)
    found = collect(made)
    made.start()
    made.show([TEXTURE])
    made.look(view())
    qtbot.waitUntil(lambda: len(found) == 1)
    made.look(view(Side.LEFT))
    qtbot.waitUntil(lambda: len(found) == 2)
    assert not any(one.is_final for one in found)
    assert found[-1].view.look.camera.turn[2].tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            NoOpenGLError("The graphics card has not enough memory."),
            "The graphics card has not enough memory.",
        ),
        (RuntimeError("strange"), "The volume cannot be drawn: strange."),
    ],
)
def test_a_failure_is_told_and_the_thread_lives_on(
    error: Exception,
    text: str,
    made: VolumeRenderer,
    qtbot: QtBot,
    fake_scene: type[FakeScene],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = collect(made)
    monkeypatch.setattr(fake_scene, "error", error)
    made.start()
    with qtbot.waitSignal(made.failed) as told:
        made.show([TEXTURE])
        made.look(view())
    assert told.args == [text]
    monkeypatch.setattr(fake_scene, "error", None)
    made.look(view())
    qtbot.waitUntil(lambda: bool(found) and found[-1].is_final)


def test_a_view_that_is_asked_for_while_another_fails_is_drawn(
    made: VolumeRenderer, qtbot: QtBot, fake_scene: type[FakeScene], monkeypatch: pytest.MonkeyPatch
) -> None:
    found, draw, next_view = collect(made), fake_scene.draw, view(Side.TOP)

    def fail_once(scene: FakeScene, picture: Picture, superseded: Callable[[], bool]) -> QImage:
        monkeypatch.setattr(fake_scene, "draw", draw)
        made.look(next_view)
        raise RuntimeError

    monkeypatch.setattr(fake_scene, "draw", fail_once)
    made.start()
    made.show([TEXTURE])
    made.look(view())
    qtbot.waitUntil(lambda: bool(found) and found[-1].is_final)
    assert found[-1].view is next_view


def in_a_thread(work: Callable[[], object], qtbot: QtBot) -> list[object]:
    """The result of a function, or its error."""
    found: list[object] = []

    def run() -> None:
        try:
            found.append(work())
        except Exception as error:  # noqa: BLE001 - it is compared
            found.append(error)

    threading.Thread(target=run, daemon=True).start()
    qtbot.waitUntil(lambda: bool(found))
    return found


def test_a_picture_for_a_figure_has_its_own_resolution(made: VolumeRenderer, qtbot: QtBot) -> None:
    made.start()
    made.show([TEXTURE])
    made.look(view())
    (image,) = in_a_thread(lambda: made.still(view(ratio=3.0), [TEXTURE]), qtbot)
    assert isinstance(image, QImage)
    assert image.size().toTuple() == (300, 240)
    found = collect(made)
    made.look(view(Side.TOP))
    qtbot.waitUntil(lambda: bool(found) and found[-1].is_final)
    assert found[-1].image.size().toTuple() == (100, 80), "the window goes on as before"


def test_a_picture_for_a_figure_is_of_the_same_volume(made: VolumeRenderer, qtbot: QtBot) -> None:
    made.start()
    made.show([TEXTURE])
    made.look(view())
    other = Texture(np.zeros((2, 3, 4, 1), np.uint8), np.zeros((256, 3), np.uint8))
    (error,) = in_a_thread(lambda: made.still(view(), [other]), qtbot)
    assert isinstance(error, NotDrawnError)
    assert str(error) == "Another volume is shown by now."


def test_a_picture_for_a_figure_can_be_cancelled(
    made: VolumeRenderer, qtbot: QtBot, fake_scene: type[FakeScene], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fake_scene, "full_s", 60.0)
    made.start()
    made.show([TEXTURE])
    begun_s = time.monotonic()
    (error,) = in_a_thread(
        lambda: made.still(view(), [TEXTURE], lambda: time.monotonic() > begun_s + 0.2), qtbot
    )
    assert isinstance(error, Cancelled)


def test_a_picture_for_a_figure_that_fails_says_why(
    made: VolumeRenderer, qtbot: QtBot, fake_scene: type[FakeScene], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fake_scene, "error", NoOpenGLError("The graphics driver cannot draw this size."))
    made.start()
    made.show([TEXTURE])
    (error,) = in_a_thread(lambda: made.still(view(), [TEXTURE]), qtbot)
    assert isinstance(error, NotDrawnError)
    assert str(error) == "The graphics driver cannot draw this size."
    made.stop()
    (error,) = in_a_thread(lambda: made.still(view(), [TEXTURE]), qtbot)
    assert isinstance(error, NotDrawnError)


def test_volumes_that_cannot_be_sent_refuse_pictures(
    made: VolumeRenderer, qtbot: QtBot, fake_scene: type[FakeScene], monkeypatch: pytest.MonkeyPatch
) -> None:
    def show(*_: object) -> None:
        raise NoOpenGLError("The graphics card has not enough memory.")

    monkeypatch.setattr(fake_scene, "show", show)
    made.start()
    (error,) = in_a_thread(lambda: made.still(view(), [TEXTURE]), qtbot)
    assert isinstance(error, NotDrawnError)
    assert str(error) == "The graphics card has not enough memory."


@pytest.mark.parametrize("error", [NoOpenGLError("There is no OpenGL."), RuntimeError("strange")])
def test_a_missing_driver_is_told_with_what_to_do(
    error: Exception, application: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_surface: object) -> None:
        raise error

    monkeypatch.setattr(renderer, "GlScene", fail)
    one = VolumeRenderer()
    with qtbot.waitSignal(one.failed) as told:
        one.start()
    assert told.args is not None
    assert told.args[0].endswith(renderer.WHAT_TO_DO)
    one.stop()


def test_the_thread_ends_with_the_renderer(
    application: QApplication, qtbot: QtBot, fake_scene: type[FakeScene]
) -> None:
    before = {*threading.enumerate()}
    one = VolumeRenderer()
    with qtbot.waitSignal(one.ready):
        one.start()
    thread = one._thread
    one.deleteLater()
    del one
    qtbot.waitUntil(lambda: not thread.is_alive())
    assert FakeScene.made[0].is_closed
    assert {*threading.enumerate()} <= before


def test_a_renderer_that_never_started_can_be_stopped(application: QApplication) -> None:
    one = VolumeRenderer()
    one.stop()
    one.stop()


def test_without_a_display_there_is_a_sentence_and_no_crash() -> None:
    code = """
import sys
from PySide6.QtWidgets import QApplication
application = QApplication([])
from zarrbrowser.panes.volume.renderer import VolumeRenderer
one = VolumeRenderer()
one.failed.connect(lambda text: (print(text), application.quit()))
one.start()
application.exec()
"""
    plain = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**plain, "QT_QPA_PLATFORM": "offscreen"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("This display offers neither OpenGL 3.3 nor OpenGL ES 3.")
