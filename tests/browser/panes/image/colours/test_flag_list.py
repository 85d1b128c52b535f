"""Flags beside their colours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QColor, QIcon
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.colours.coloured import choose
from tests.browser.panes.image.pictures import drawn, pane_of
from zarrbrowser.panes.image.colours.channel_list import SWATCH, swatch
from zarrbrowser.theme import current_colours


def test_flags_are_named_in_the_colours_of_the_picture(open_window: OpenWindow, qtbot: QtBot) -> None:
    array = FakeArray(np.repeat(np.arange(4, dtype="u1"), 10).reshape(4, 10))
    array.attributes = {"flag_values": [0, 1, 3, 900], "flag_meanings": "open_water ice land never"}
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    flags = pane.body.contrast.flags
    qtbot.waitUntil(lambda: flags.count() == 3)

    def colours() -> list[tuple[int, ...]]:
        images = [flags.item(row).icon().pixmap(12, 12).toImage() for row in range(flags.count())]
        return [image.pixelColor(5, 5).getRgb()[:3] for image in images]

    for name in ("Viridis", "Labels"):
        choose(pane.body.contrast.colour_map, name)
        qtbot.waitUntil(lambda: colours() == [tuple(drawn(pane)[row, 0, :3].tolist()) for row in (0, 1, 3)])
    assert [flags.item(row).text() for row in range(3)] == ["0  open water", "1  ice", "3  land"]
    assert not flags.isHidden()


@pytest.mark.parametrize(
    ("dtype", "attributes"),
    [
        ("u1", {"flag_masks": [1, 2], "flag_meanings": "a b"}),
        ("u1", {"flag_values": [1], "flag_meanings": "a b"}),
        ("f4", {"flag_values": [1, 2], "flag_meanings": "a b"}),
    ],
)
def test_what_has_no_colour_of_its_own_is_not_listed(
    dtype: str, attributes: dict[str, Any], open_window: OpenWindow, qtbot: QtBot
) -> None:
    array = FakeArray(np.arange(40).reshape(4, 10).astype(dtype))
    array.attributes = attributes
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.model.measured is not None)
    assert pane.body.contrast.flags.isHidden()


def test_a_list_of_flags_without_end_is_short(open_window: OpenWindow, qtbot: QtBot) -> None:
    array = FakeArray(np.arange(40, dtype="u2").reshape(4, 10))
    array.attributes = {"flag_values": [*range(5000)], "flag_meanings": "a " * 5000}
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    flags = pane.body.contrast.flags
    qtbot.waitUntil(lambda: flags.count() > 0)
    assert flags.count() == 257
    assert flags.item(256).text() == "and 4,744 more"


@pytest.mark.usefixtures("qapp")
def test_a_swatch_in_the_colour_of_the_list_has_an_outline() -> None:
    for colour in ((255, 255, 255), (0, 0, 0)):
        image = swatch(colour).pixmap(SWATCH * 2).toImage()
        assert image.pixelColor(image.rect().center()).getRgb()[:3] == colour
        selected = swatch(colour).pixmap(SWATCH * 2, QIcon.Mode.Selected).toImage()
        assert selected == image, "the colour of a selected row is not tinted"
        edges = {image.pixelColor(0, y).getRgb()[:3] for y in range(image.height())}
        assert edges == {QColor(current_colours().outline).getRgb()[:3]}
