"""The Volume tab in a real window: what it reads, shows and keeps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow, environment
from tests.browser.fakes import FakeArray, FakeGroup, Gate
from tests.browser.panes.volume.panes import FakeRenderer, drawn, pane_of, show, wait_for
from tests.browser.volume.volumes import blocks, group
from zarrbrowser.image.calculations.reduction import Reduction, Statistic
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.panes import data_stack
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.volume import grid as grids
from zarrbrowser.volume.camera import Side
from zarrbrowser.volume.look import Mode
from zarrcore.errors import CodecError

pytestmark = pytest.mark.usefixtures("fake_renderer")
ROOT = Path(__file__).parents[4]


def test_a_pyramid_is_shown_with_its_channels_and_its_scale(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, group())
    assert [one.data.shape for one in drawn(pane)] == [(16, 24, 32, 1)] * 3
    assert [one.colours[255].tolist() for one in drawn(pane)] == [[255, 0, 0], [0, 255, 0], [0, 0, 255]]
    renderer: Any = pane.renderer
    view = renderer.views[-1]
    assert view.projection.sides == (16.0, 12.0, 32.0)
    assert list(pane.sliders.spins) == [0], "only time has other volumes"
    assert pane.controls.level.currentText().startswith("0: 16 × 24 × 32, ")
    assert pane.contrast.isVisible()


def test_the_status_bar_tells_what_was_read(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(group())
    pane = pane_of(window, qtbot)
    wait_for(pane, qtbot)
    text = window.view.status.message.text
    assert text.startswith("/: level 0 of 0–1 · 16 × 24 × 32 samples · 432 KiB in 3 chunks")
    assert text.endswith("drawn by a fake")


def test_a_slider_shows_another_volume(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = blocks((2, 6, 7, 8))
    pane = show(open_window, qtbot, FakeGroup({"a": FakeArray(values, ("t", "z", "y", "x"))}), "/a")
    before = drawn(pane)[0]
    pane.step(1)
    qtbot.waitUntil(lambda: drawn(pane)[0] is not before)
    order = np.argsort(values[1].reshape(-1), kind="stable")
    shown = drawn(pane)[0].data.reshape(-1)[order].astype(int)
    assert (np.diff(shown) >= 0).all()


def test_colours_and_contrast_are_those_of_the_image_tab(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(FakeGroup({"a": FakeArray(blocks((6, 7, 8)))}), "/a")
    qtbot.waitUntil(lambda: isinstance(window.node_pane.current_pane, ImagePane))
    image: Any = window.node_pane.current_pane
    qtbot.waitUntil(lambda: image.view.is_complete)
    image.model.set(colour_map="viridis", contrast=Contrast(ContrastMode.FIXED, 100, 200))
    pane = pane_of(window, qtbot)
    wait_for(pane, qtbot)
    assert pane.model.state is not None
    assert pane.model.state.settings.colour_map == "viridis"
    base: Any = pane.model.state.image.base
    reads = len(base.selections)
    pane.model.set(colour_map="magma", contrast=Contrast(ContrastMode.FIXED, 300, 400))
    wait_for(pane, qtbot)
    assert len(base.selections) == reads, "other colours need no reading"
    window.node_pane.show_tab("Image")
    assert image.model.state.settings.colour_map == "magma"
    assert image.model.state.settings.contrast.low == 300
    image.model.set(colour_map="gray")
    window.node_pane.show_tab("Volume")
    assert pane.model.state.settings.colour_map == "gray"


def test_statistics_of_the_image_tab_stay(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(FakeGroup({"a": FakeArray(blocks((6, 7, 8)))}), "/a")
    qtbot.waitUntil(lambda: isinstance(window.node_pane.current_pane, ImagePane))
    image: Any = window.node_pane.current_pane
    qtbot.waitUntil(lambda: image.view.is_complete)
    image.model.set(reduction=Reduction(0, Statistic.MAXIMUM))
    pane = pane_of(window, qtbot)
    wait_for(pane, qtbot)
    assert pane.model.state is not None
    assert pane.model.state.settings.reduction is None
    window.node_pane.show_tab("Image")
    assert image.model.state.settings.reduction == Reduction(0, Statistic.MAXIMUM)


def test_channels_are_switched_without_reading_the_others_again(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    pane = show(open_window, qtbot, group(levels=1))
    state = pane.model.state
    assert state is not None
    base: Any = state.image.base
    pane.model.change(settings=state.settings.with_channel(1, is_on=False))
    qtbot.waitUntil(lambda: len(drawn(pane)) == 2)
    base.selections.clear()
    pane.model.change(settings=pane.model.state.settings.with_channel(1, is_on=True))  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: len(drawn(pane)) == 3)
    assert len(base.selections) == 1


def test_the_user_chooses_a_level(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grids, "READ_BYTES", 40_000)
    pane = show(open_window, qtbot, group())
    assert drawn(pane)[0].data.shape == (16, 12, 16, 1)
    assert pane.view_state()["volume"]["level"] is None
    pane.controls.level.setCurrentIndex(0)
    pane.controls.level.activated.emit(0)
    qtbot.waitUntil(lambda: drawn(pane)[0].data.shape == (16, 24, 32, 1))
    assert pane.view_state()["volume"]["level"] == [0, [1, 1, 1]]


def test_a_large_read_waits_for_consent(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_stack, "ASK_ABOVE_BYTES", 100)
    array = FakeArray(blocks((6, 7, 8)))
    pane = pane_of(open_window(FakeGroup({"a": array}), "/a"), qtbot)
    qtbot.waitUntil(lambda: bool(pane.stack.notice.text))
    assert pane.stack.notice.text.startswith("This volume crosses 1 chunk, 672 bytes when decoded")
    assert not drawn(pane)
    reads = len(array.selections)
    pane.stack.notice.button.click()
    wait_for(pane, qtbot)
    assert len(array.selections) == reads + 1
    assert pane.stack.shows_data


def test_a_part_is_shown_while_the_rest_is_read(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from zarrbrowser.panes.volume import volume_reader

    monkeypatch.setattr(grids, "_BLOCK_BYTES", 1)
    monkeypatch.setattr(volume_reader, "_EACH_S", 0.0)
    array, gate = FakeArray(blocks((6, 7, 8)), None, (2, 7, 8)), Gate()
    window = open_window(FakeGroup({"a": array}), "/a")
    qtbot.waitUntil(lambda: isinstance(window.node_pane.current_pane, ImagePane))
    image: Any = window.node_pane.current_pane
    qtbot.waitUntil(lambda: image.view.is_complete)
    array.before_read = lambda part: gate.wait() if part[0].start == 4 else None
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: bool(drawn(pane)))
    qtbot.waitUntil(lambda: drawn(pane)[0].data[..., -1].any())
    assert (drawn(pane)[0].data[4:] == 0).all()
    gate.open()
    qtbot.waitUntil(lambda: drawn(pane)[0].data.shape == (6, 7, 8, 1))


def test_a_damaged_chunk_is_told(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grids, "_BLOCK_BYTES", 1)
    array = FakeArray(blocks((6, 7, 8)), None, (2, 7, 8))

    def fail(part: Any) -> None:
        if isinstance(part[0], slice) and part[0].start == 2:
            raise CodecError("the chunk is damaged")

    array.before_read = fail
    pane = show(open_window, qtbot, FakeGroup({"a": array}), "/a")
    assert pane.stack.notice.text == "A part of the volume is missing: The chunk is damaged."
    assert (drawn(pane)[0].data[2:4] == 0).all()
    array.before_read = lambda _part: None
    pane.stack.notice.button.click()
    qtbot.waitUntil(lambda: drawn(pane)[0].data.shape == (6, 7, 8, 1))
    assert not pane.stack.notice.text


def test_a_volume_that_cannot_be_drawn_is_not_read(
    open_window: OpenWindow, qtbot: QtBot, fake_renderer: type[FakeRenderer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fake_renderer, "start", lambda self: self.failed.emit("There is no OpenGL."))
    array = FakeArray(blocks((6, 7, 8)))
    window = open_window(FakeGroup({"a": array, "b": FakeArray(blocks((6, 7, 8)))}), "/a")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.stack.sentence.text == "There is no OpenGL.")
    assert all(not isinstance(part[0], slice) for part in array.selections), "only the plane is read"
    window.node_pane.show_tab("Image")
    assert isinstance(window.node_pane.current_pane, ImagePane)


def test_a_view_comes_back(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, group())
    pane.view.see_from(Side.TOP)
    pane.controls.mode_chosen.emit(Mode.SURFACE)
    pane.controls.strength.setValue(25)
    pane.sliders.spins[0].setValue(1)
    wait_for(pane, qtbot)
    document = pane.view_state()
    pane.view.reset()
    pane.controls.mode_chosen.emit(Mode.MAXIMUM)
    pane.sliders.spins[0].setValue(0)
    pane.restore(document)
    assert pane.view.look.mode is Mode.SURFACE
    assert pane.view.look.threshold == 0.25
    assert np.allclose(pane.view.look.camera.turn, [[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    assert pane.sliders.spins[0].value() == 1
    pane.restore({"volume": 3})
    assert pane.view.look.mode is Mode.SURFACE


def test_the_history_brings_the_view_back(open_window: OpenWindow, qtbot: QtBot) -> None:
    arrays = {name: FakeArray(blocks((6, 7, 8))) for name in "ab"}
    window = open_window(FakeGroup(arrays), "/a")
    pane = pane_of(window, qtbot)
    wait_for(pane, qtbot)
    with qtbot.waitSignal(pane.view_changed):
        pane.view.see_from(Side.LEFT)
    window.open_text("fake.zarr#/b")
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/b")
    pane.view.reset()
    window.navigator.back()
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == "/a")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Volume")
    qtbot.waitUntil(lambda: np.allclose(pane.view.look.camera.turn[2], [1, 0, 0]))


def test_rows_and_columns_follow_the_image_tab(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = show(open_window, qtbot, FakeGroup({"a": FakeArray(blocks((6, 7, 8)))}), "/a")
    state = pane.model.state
    assert state is not None
    pane.model.change(settings=state.settings.with_picture_axes(state.image, 2, 0))
    qtbot.waitUntil(lambda: drawn(pane)[0].data.shape == (7, 8, 6, 1))


def test_the_picture_is_saved_and_copied(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    pane = show(open_window, qtbot, FakeGroup({"a": FakeArray(blocks((6, 7, 8)))}), "/a")
    told: list[str] = []
    pane.reported.connect(told.append)
    pane.copy()
    pane.save_to(str(tmp_path / "volume.png"))
    qtbot.waitUntil(lambda: (tmp_path / "volume.png").exists() and len(told) == 2)
    assert QImage(str(tmp_path / "volume.png")).size() == pane.view.picture().size()
    pane.save_to(str(tmp_path / "absent" / "volume.png"))
    qtbot.waitUntil(lambda: "was not written: No such file or directory" in pane.stack.notice.text)
    pane.save_to("/dev/full")
    qtbot.waitUntil(lambda: pane.stack.notice.text == "/dev/full was not written: The disk is full.")


def test_the_file_of_the_picture_is_named_by_the_image_and_chosen_without_waiting(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    pane = show(open_window, qtbot, FakeGroup({"a": FakeArray(blocks((6, 7, 8)))}), "/a")
    pane.save()
    (dialog,) = [one for one in pane.findChildren(QFileDialog) if one.isVisible()]
    assert dialog.selectedFiles()[0].endswith("/a.png")
    dialog.fileSelected.emit(str(tmp_path / "b.png"))
    dialog.reject()
    qtbot.waitUntil((tmp_path / "b.png").exists)


def test_a_stopped_reading_can_go_on(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grids, "_BLOCK_BYTES", 1)
    array, gate = FakeArray(blocks((6, 7, 8)), None, (2, 7, 8)), Gate()
    window = open_window(FakeGroup({"a": array}), "/a")
    qtbot.waitUntil(lambda: isinstance(window.node_pane.current_pane, ImagePane))
    image: Any = window.node_pane.current_pane
    qtbot.waitUntil(lambda: image.view.is_complete)
    array.before_read = lambda part: gate.wait() if part[0].start == 4 else None
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    window.workers.stop()
    qtbot.waitUntil(lambda: "You stopped the reading" in pane.stack.notice.text)
    gate.open()
    pane.stack.notice.button.click()
    qtbot.waitUntil(lambda: drawn(pane)[0].data.shape == (6, 7, 8, 1))
    qtbot.waitUntil(lambda: not pane.stack.notice.text)


def test_leaving_the_tab_stops_reading(open_window: OpenWindow, qtbot: QtBot) -> None:
    array, gate = FakeArray(blocks((6, 7, 8))), Gate()
    window = open_window(FakeGroup({"a": array}), "/a")
    qtbot.waitUntil(lambda: isinstance(window.node_pane.current_pane, ImagePane))
    image: Any = window.node_pane.current_pane
    qtbot.waitUntil(lambda: image.view.is_complete)
    array.before_read = lambda _part: gate.wait()
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.reader.busy)
    window.node_pane.show_tab("Table")
    assert not pane.reader.busy
    gate.open()
    window.node_pane.show_tab("Volume")
    wait_for(pane, qtbot)


def test_a_real_window_draws_a_real_volume(display: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.browser.panes.volume.real_window", str(tmp_path)],
        env=environment(display, tmp_path),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["drawn", "left"]
    assert done.stderr == ""
