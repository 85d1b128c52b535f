"""Opening the image of a node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, FakeHierarchy, Gate
from tests.browser.panes.image.pictures import VOLUME, pane_of, picture, pyramid, show_next


def test_steps_before_levels_are_open_are_counted(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, levels = Gate(), {"0": FakeArray(VOLUME)}
    root = FakeGroup({"image": FakeGroup(levels, {"multiscales": [{"datasets": [{"path": "0"}]}]})})
    find = FakeHierarchy.node

    def late(self: FakeHierarchy, path: str) -> Any:
        if path.endswith("0"):
            gate.wait()
        return find(self, path)

    monkeypatch.setattr(FakeHierarchy, "node", late)
    window = open_window(root, "/image")
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: gate.waiting.acquire(blocking=False))
    for by in (1, 1, 1, -1):
        window.node_pane.step(by)
    gate.open()
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert np.array_equal(picture(pane), VOLUME[4 + 2])


def test_an_array_without_elements_shows_a_message(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = pane_of(open_window(FakeGroup({"array": FakeArray(np.zeros((0, 10)))}), "/array"), qtbot)
    qtbot.waitUntil(lambda: "no elements" in pane.body.stack.sentence.text)


def test_a_pyramid_of_groups_shows_one_variable_at_a_time(open_window: OpenWindow, qtbot: QtBot) -> None:
    levels = {}
    for number, side in enumerate((64, 32)):
        band = FakeArray(np.arange(side * side, dtype=np.float32).reshape(side, side), ("y", "x"))
        mask = FakeArray(np.ones((side, side), np.uint8), ("y", "x"))
        levels[str(number)] = FakeGroup({"band": band, "mask": mask, "x": FakeArray(np.arange(side))})
    layout = [{"asset": "0"}, {"asset": "1", "derived_from": "0", "transform": {"scale": [2.0, 2.0]}}]
    group = FakeGroup(levels, {"multiscales": {"layout": layout}})
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert [level.array.path for level in pane.view.levels] == ["/image/0/band", "/image/1/band"]
    assert [level.factors for level in pane.view.levels] == [(1, 1), (2, 2)]
    assert pane.body.controls.variable.isVisible()
    assert pane.body.controls.variable.currentText() == "band"
    pane.body.controls.variable.setCurrentText("mask")
    pane.body.controls.variable.textActivated.emit("mask")
    qtbot.waitUntil(lambda: bool(pane.view.levels) and pane.view.levels[0].array.path == "/image/0/mask")
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert pane.body.controls.variable.currentText() == "mask"


def test_a_pyramid_of_arrays_opens_with_its_levels(open_window: OpenWindow, qtbot: QtBot) -> None:
    _, arrays = pyramid(256, 3)
    layout = [
        {"asset": "full"},
        *({"asset": f"overviews/{n}", "transform": {"scale": [2**n] * 2}} for n in (1, 2)),
    ]
    overviews = FakeGroup({"1": arrays[1], "2": arrays[2]})
    group = FakeGroup({"full": arrays[0], "overviews": overviews}, {"multiscales": {"layout": layout}})
    pane = pane_of(open_window(FakeGroup({"image": group}), "/image"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    assert [level.array.path for level in pane.view.levels][1:] == [
        "/image/overviews/1",
        "/image/overviews/2",
    ]
    assert not pane.body.controls.variable.isVisible()


def test_transforms_that_are_no_numbers_leave_the_factors_to_the_shapes(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    images, read = {"first": FakeArray(np.zeros((2, 2)))}, dict[str, FakeArray]()
    for name, transform in (
        ("text", {"scale": "two"}),
        ("nan", {"scale": [float("nan"), 2]}),
        ("number", 7),
        ("zero", {"scale": [0, 0]}),
    ):
        _, (finest, coarse) = pyramid(256, 2)
        layout = [{"asset": "0"}, {"asset": "1", "derived_from": "0", "transform": transform}]
        images[name] = FakeGroup({"0": finest, "1": coarse}, {"multiscales": {"layout": layout}})
        read[name] = finest
    window = open_window(FakeGroup(images), "/first")
    pane = pane_of(window, qtbot)
    for name, finest in read.items():
        show_next(window, qtbot, f"/{name}", finest)
        assert pane.view.levels[1].factors == (2, 2)


def test_axes_of_an_array_without_names_are_named_as_its_group_says(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    arrays = {name: FakeArray(np.arange(length) / 2) for name, length in (("t", 3), ("sy", 8), ("sx", 6))}
    told = {"NX_class": "NXdata", "signal": "counts", "axes": ["t", "sy", "sx"]}
    data = FakeGroup({"counts": FakeArray(np.zeros((3, 8, 6))), **arrays}, told)
    pane = pane_of(open_window(FakeGroup({"data": data}), "/data/counts"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    controls = pane.body.controls
    assert (controls.axes.rows.currentText(), controls.axes.columns.currentText()) == ("sy", "sx")
    assert pane.body.sliders.spins[0].accessibleName() == "index along t"
