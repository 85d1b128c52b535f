"""The settings beside the picture decide how it is drawn."""

from __future__ import annotations

import gc
import json
import weakref
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.colours.coloured import channels_group, choose
from tests.browser.panes.image.pictures import VOLUME, drawn, pane_of, show
from zarrbrowser.image.colours.colour_maps import CYCLIC, LABELS
from zarrbrowser.image.colours.norm import Norm
from zarrbrowser.image.colours.render import Style, blend, rgba
from zarrbrowser.values.elements import Elements


@pytest.mark.parametrize(
    ("title", "norm"), [("Logarithm", Norm.LOG), ("Square root", Norm.SQRT), ("Symmetric log", Norm.SYMLOG)]
)
def test_each_norm_changes_the_picture(title: str, norm: Norm, open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, np.abs(VOLUME) + 0.1)
    choose(pane.body.contrast.norm, title)
    choose(pane.body.contrast.colour_map, "Viridis")
    choose(pane.body.contrast.mode, "Full range")
    plane = np.abs(VOLUME[4]) + np.float32(0.1)
    expected = rgba(plane, Style("viridis", norm, (float(plane.min()), float(plane.max()))))
    assert np.abs(drawn(pane).astype(int) - expected).max() <= 1


def test_each_part_of_complex_numbers_can_be_shown(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = (VOLUME[0] + 1j * VOLUME[1]).astype(np.complex64)
    pane, _array = show(open_window, qtbot, values)
    assert pane.body.contrast.part.isVisible()
    choose(pane.body.contrast.mode, "Full range")
    for title, numbers in (
        ("Amplitude", np.abs(values)),
        ("Phase", np.angle(values)),
        ("Real part", values.real),
    ):
        choose(pane.body.contrast.part, title)
        if title == "Phase":
            style = Style(CYCLIC, levels=(-np.pi, np.pi))
            assert np.array_equal(drawn(pane), rgba(np.ascontiguousarray(numbers), style))
        choose(pane.body.contrast.mode, "Full range")
        style = Style(
            CYCLIC if title == "Phase" else "gray", levels=(float(numbers.min()), float(numbers.max()))
        )
        assert np.array_equal(drawn(pane), rgba(np.ascontiguousarray(numbers), style))


def test_missing_values_are_marked_and_packed_numbers_unpacked_unless_switched_off(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    values = np.arange(600, dtype=np.int16).reshape(20, 30)
    values[:2] = -999
    array = FakeArray(values)
    array.attributes = {"_FillValue": -999, "scale_factor": 0.5, "add_offset": 100}
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert pane.body.missing.text == "60 of 600 elements marked as missing"
    assert pane.body.contrast.fill.text() == "Mark missing values"
    choose(pane.body.contrast.mode, "Full range")
    assert pane.body.contrast.low.text() == "130"
    with qtbot.waitSignal(pane.pointed) as heard:
        pane.canvas.pointed.emit((3.0, 4.0))
    assert heard.args == ["axis 0 = 3, axis 1 = 4:  147.0  (stored 94)"]
    pane.body.contrast.unpacking.toggle()
    choose(pane.body.contrast.mode, "Full range")
    assert pane.body.contrast.low.text() == "60"
    pane.body.contrast.fill.toggle()
    choose(pane.body.contrast.mode, "Full range")
    assert pane.body.contrast.low.text() == "-999"
    assert pane.body.missing.isHidden()


def test_labels_have_colours_of_their_own(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.arange(12, dtype=np.uint32).reshape(3, 4)
    pane, _array = show(open_window, qtbot, values)
    choose(pane.body.contrast.colour_map, "Labels")
    assert np.array_equal(drawn(pane), rgba(values, Style(LABELS)))
    assert not pane.body.contrast.histogram.isVisible()


def test_the_displayed_slice_can_be_drawn_again_and_restored(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME, ("z", "y", "x"))
    pane.body.contrast.lock.click()  # else the range depends on the planes that were seen
    choose(pane.body.contrast.norm, "Square root")
    pane.body.controls.flip_rows.click()
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.controls.axes.swap.click()
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.sliders.spins[0].setValue(6)
    shown = pane.displayed()
    assert shown is not None
    assert (shown.path, shown.level, shown.selection) == ("/array", 0, (6, slice(0, 30), slice(0, 40)))
    assert np.array_equal(shown.rgba(shown.read(shown.selection)), drawn(pane)[::-1])
    state = json.loads(json.dumps(pane.view_state()))
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.sliders.spins[0].setValue(1)
    choose(pane.body.contrast.norm, "Linear")
    before = drawn(pane)
    with qtbot.waitSignal(pane.plane_shown):
        pane.restore(state)
    assert pane.body.sliders.spins[0].value() == 6
    assert np.array_equal(shown.rgba(shown.read(shown.selection)), drawn(pane)[::-1])
    assert not np.array_equal(before, drawn(pane))


def test_a_pyramid_is_restored_once_its_levels_are_open(open_window: OpenWindow, qtbot: QtBot) -> None:
    group, _array = channels_group()
    window = open_window(FakeGroup({"image": group}), "/image")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    pane.body.contrast.channels.item(1).setCheckState(Qt.CheckState.Unchecked)
    pane.canvas.show_range((5, 15), (10, 30))
    state = json.loads(json.dumps(pane.view_state()))
    pane.body.contrast.channels.item(1).setCheckState(Qt.CheckState.Checked)
    pane.show_node(window.session.sources[0], group)
    pane.restore(state)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert pane.model.state.settings.channels_on == [0, 2]
    assert not pane.canvas.is_fitted
    rows, columns = pane.canvas.visible().rows, pane.canvas.visible().columns
    assert rows[0] <= 5 < 15 <= rows[1]
    assert columns[0] <= 10 < 30 <= columns[1]


def test_the_contrast_is_that_of_the_chosen_channel_when_an_image_is_shown_again(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    group, _array = channels_group()
    group.attributes["omero"]["channels"][0]["window"] = {"start": 0, "end": 0.5}
    group.attributes["omero"]["channels"][1]["window"] = {"start": 0, "end": 0.75}
    window = open_window(FakeGroup({"image": group}), "/image")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    pane.body.contrast.channels.setCurrentRow(1)
    assert pane.body.contrast.high.text() == "0.75"
    pane.show_node(window.session.sources[0], group)  # all of its chunks are in memory: it is drawn at once
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert (pane.body.contrast.channels.currentRow(), pane.body.contrast.high.text()) == (0, "0.5")


def test_views_that_are_closed_are_freed(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, VOLUME)
    gone: list[Any] = []
    for _ in range(3):
        pane.body.controls.layouts["orthogonal"].click()
        qtbot.waitUntil(lambda: all(view.is_complete for view in pane.body.grid.views))
        gone += [weakref.ref(view) for view in pane.body.grid.others]
        pane.body.controls.layouts["single"].click()

    def are_freed() -> bool:
        gc.collect()
        return all(view() is None for view in gone)

    qtbot.waitUntil(are_freed)


def test_channels_of_a_plain_array_can_be_blended(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _array = show(open_window, qtbot, np.abs(VOLUME[:2]), ("channel", "y", "x"))
    assert list(pane.body.sliders.sliders) == [0]  # only on request
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.contrast.blend.click()
    planes = [np.abs(VOLUME[0]), np.abs(VOLUME[1])]
    levels = [(float(np.percentile(plane, 1)), float(np.percentile(plane, 99))) for plane in planes]
    expected = blend(planes, Elements(), levels, [(0, 255, 0), (255, 0, 255)], Style())
    assert np.abs(drawn(pane).astype(int) - expected).max() <= 1


def test_a_pyramid_without_its_levels_shows_an_error(open_window: OpenWindow, qtbot: QtBot) -> None:
    entry = {"axes": ["y", "x"], "datasets": [{"path": "0"}, {"path": "inner"}]}
    group = FakeGroup({"0": FakeArray(VOLUME[0]), "inner": FakeGroup({})}, {"multiscales": [entry]})
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: "levels are missing" in pane.body.stack.sentence.text)
    assert pane.body.stack.sentence.button.isVisible()
    group.add("inner", FakeArray(VOLUME[0, ::2, ::2]))
    pane.body.stack.sentence.button.click()
    qtbot.waitUntil(lambda: pane.view.is_complete)


def test_colours_mean_the_same_in_all_planes_of_a_film(open_window: OpenWindow, qtbot: QtBot) -> None:
    values = np.add.outer(np.arange(40) * 100.0, np.arange(600).reshape(20, 30))
    array = FakeArray(values, chunks=(1, 20, 30))
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    seen: dict[int, tuple[float, float]] = {}

    def settings() -> None:
        frame = pane.view.frame
        assert frame is not None
        seen[frame.planes[0].index[0]] = pane.view.picture_style().levels

    before = pane.view.picture_style().levels
    pane.view.drawn.connect(settings)
    pane.body.sliders.play()
    qtbot.waitUntil(lambda: len(seen) >= 4)
    pane.body.sliders.play()
    assert not pane.body.sliders.is_playing
    assert set(seen.values()) == {before}
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.sliders.step(3)
    assert pane.view.picture_style().levels != before


def test_the_range_is_that_of_all_planes_seen_until_it_is_unlocked(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    planes = np.stack(
        [np.full((30, 40), 1.0), np.linspace(0, 4, 1200).reshape(30, 40), np.full((30, 40), 9.0)]
    )
    pane, _array = show(open_window, qtbot, planes, ("z", "y", "x"))
    panel = pane.body.contrast
    choose(panel.mode, "Full range")
    assert pane.view.picture_style().levels == (0, 4)
    assert not panel.measured.isVisibleTo(panel), "the whole plane"
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(1)
    assert pane.view.picture_style().levels == (0, 9)
    assert panel.measured.text() == "of 2 planes seen"
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(-1)
    assert pane.view.picture_style().levels == (0, 9), "equal numbers keep their colour"
    panel.lock.click()
    qtbot.waitUntil(lambda: pane.view.picture_style().levels == (0, 4))
    with qtbot.waitSignal(pane.plane_shown):
        pane.step(1)
    assert pane.view.picture_style().levels[0] > 4
    assert not panel.measured.isVisibleTo(panel)


def test_masked_pixels_of_a_detector_do_not_count(open_window: OpenWindow, qtbot: QtBot) -> None:
    counts = np.arange(1200, dtype=np.uint32).reshape(30, 40)
    counts[10:14] = 2**32 - 1
    pane, _array = show(open_window, qtbot, counts, ("y", "x"))
    panel = pane.body.contrast
    choose(panel.mode, "Full range")
    choose(panel.norm, "Logarithm")
    assert pane.view.picture_style().levels == (1, 1199)
    assert panel.masked.text() == "Mask 4,294,967,295"
    assert "160 of 1,200 elements masked" in pane.body.missing.text
    panel.masked.click()
    qtbot.waitUntil(lambda: pane.view.picture_style().levels[1] > 1e9)
