"""Coordinates on the picture's axes, on its sliders and under the pointer."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Gate
from tests.browser.panes.image.pictures import VOLUME, pane_of, pyramid
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.panes.image.tools import coordinate_labels
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.workers import Workers
from zarrcore.errors import NodeNotFoundError
from zarrcore.typing import AnyArray


def climate() -> FakeGroup:
    lat = FakeArray(np.linspace(60, -60, 30))
    lat.attributes = {"units": "degrees_north"}
    time = FakeArray(np.arange(8))
    time.attributes = {"units": "days since 2000-01-01"}
    array = FakeArray(VOLUME, ("time", "lat", "lon"))
    array.attributes = {"units": "kelvin"}
    return FakeGroup({"array": array, "lat": lat, "time": time})


def test_axes_sliders_and_the_pointer_show_coordinates(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = pane_of(open_window(climate(), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.coordinate_labels.is_known)
    assert pane.canvas.plot.getAxis("left").labelText == "lat (°N)"
    assert pane.canvas.plot.getAxis("bottom").labelText == "lon"
    assert pane.body.sliders.totals[0].text == "2000-01-01"  # time starts at its first position
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.sliders.spins[0].setValue(3)
    assert pane.body.sliders.totals[0].text == "2000-01-04"
    with qtbot.waitSignal(pane.pointed) as heard:
        pane.canvas.pointed.emit((0.2, 5.0))
    assert heard.args[0].startswith("lat = 0 (60 °N), lon = 5:  ")
    assert heard.args[0].endswith(" K")
    ticks = pane.canvas.plot.getAxis("left").tickValues(-0.5, 29.5, 400)
    assert "0" in pane.canvas.plot.getAxis("left").tickStrings(ticks[0][1], 1, 1)
    pane.body.controls.coordinates.click()
    assert pane.canvas.plot.getAxis("left").labelText == "lat"
    assert pane.body.sliders.totals[0].text == "of 0–7"


@pytest.mark.parametrize(
    ("rows", "columns", "turned"),
    [
        (np.linspace(-60, 60, 30), np.arange(40), (True, False)),
        (np.linspace(60, -60, 30), np.arange(40), (False, False)),
        (np.linspace(60, -60, 30), -np.arange(40), (False, True)),
    ],
)
def test_the_north_is_up_and_the_east_is_right(
    rows: AnyArray, columns: AnyArray, turned: tuple[bool, bool], open_window: OpenWindow, qtbot: QtBot
) -> None:
    array = FakeArray(VOLUME, ("time", "lat", "lon"))
    lat, lon = FakeArray(rows), FakeArray(columns)
    lat.attributes, lon.attributes = {"units": "degrees_north"}, {"units": "degrees_east"}
    group = FakeGroup({"array": array, "lat": lat, "lon": lon})
    pane = pane_of(open_window(group, "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.coordinate_labels.is_known)
    view = pane.canvas.view
    assert (not view.yInverted(), view.xInverted()) == turned
    shown = pane.displayed()
    assert shown is not None
    assert (shown.flip_rows, shown.flip_columns) == turned
    assert not pane.body.controls.flip_rows.isChecked()
    pane.body.controls.flip_rows.click()
    assert (not view.yInverted(), view.xInverted()) == (not turned[0], turned[1])


def test_the_pointer_tells_the_place_on_a_curved_grid(open_window: OpenWindow, qtbot: QtBot) -> None:
    rows, columns = VOLUME.shape[1:]
    latitude = FakeArray(np.arange(rows * columns).reshape(rows, columns), ("y", "x"))
    latitude.attributes = {"units": "degrees_north"}
    array = FakeArray(VOLUME, ("z", "y", "x"))
    array.attributes = {"coordinates": "lat"}
    pane = pane_of(open_window(FakeGroup({"array": array, "lat": latitude}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and bool(pane.coordinate_labels.auxiliary))
    with qtbot.waitSignal(pane.pointed) as heard:
        pane.canvas.pointed.emit((2.0, 5.0))
    assert heard.args[0].startswith(f"y = 2, x = 5, lat {2 * columns + 5} °N:  ")
    assert not pane.canvas.view.yInverted()  # the north is up
    pane.clear()
    assert pane.coordinate_labels.auxiliary == ()


def test_lengths_have_a_scale_bar(open_window: OpenWindow, qtbot: QtBot) -> None:
    group, _arrays = pyramid(512, 2)
    entry = group.attributes["multiscales"][0]
    entry["axes"] = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"]
    for number, dataset in enumerate(entry["datasets"]):
        dataset["coordinateTransformations"] = [{"type": "scale", "scale": [0.5 * 2**number] * 2}]
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.canvas.scale_bar.isVisible())
    assert pane.canvas.scale_bar.text.endswith(" µm")
    pane.canvas.show_range((0, 10), (0, 10))
    qtbot.waitUntil(lambda: pane.canvas.scale_bar.text in ("500 nm", "1 µm", "2 µm"))
    pane.body.controls.coordinates.click()
    assert not pane.canvas.scale_bar.isVisible()


def test_elements_have_the_proportions_of_their_scale(open_window: OpenWindow, qtbot: QtBot) -> None:
    group, _arrays = pyramid(256, 1)
    entry = group.attributes["multiscales"][0]
    entry["axes"] = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"]
    entry["datasets"][0]["coordinateTransformations"] = [{"type": "scale", "scale": [2.0, 1.0]}]
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    width, height = pane.canvas.view.viewPixelSize()
    assert width / height == pytest.approx(2, rel=1e-3)


def test_each_node_is_requested_once_for_coordinates_and_what_is_wrong_with_them(
    qtbot: QtBot, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    for further in ("auxiliary_of", "geography_of"):  # they make requests of their own
        monkeypatch.setattr(coordinate_labels, further, lambda *_: None)
    array = FakeArray(VOLUME, ("time", "lat", "lon"))
    array.path = "/array"
    short = FakeArray(np.arange(3))
    short.path = "/lon"
    requested: list[str] = []

    def find(path: str) -> FakeArray:
        requested.append(path)
        if path == "/lon":
            return short
        raise NodeNotFoundError(path, "memory")

    labels = CoordinateLabels(workers)
    labels.look_for(image_of_array(array), find)
    qtbot.waitUntil(lambda: bool(labels.unusable))
    assert labels.unusable == (
        f"/lon has 3 coordinates for an axis of {VOLUME.shape[2]}: the axis shows indices instead.",
    )
    assert sorted(requested) == ["/", "/lat", "/lon", "/time"], "the group of the array may name axes (NeXus)"


def test_an_axis_says_that_its_coordinates_are_being_read(open_window: OpenWindow, qtbot: QtBot) -> None:
    group, gate = climate(), Gate()
    group.find("/lat").before_read = lambda _selection: gate.wait()
    pane = pane_of(open_window(group, "/array"), qtbot)
    axis = pane.canvas.plot.getAxis("left")
    qtbot.waitUntil(lambda: axis.labelText == "lat, reading coordinates…")
    gate.open()
    qtbot.waitUntil(lambda: axis.labelText == "lat (°N)")
