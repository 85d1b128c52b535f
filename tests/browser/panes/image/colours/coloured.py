"""Choosing in the panel of colours, and an image of several channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.pictures import VOLUME


def choose(box: Any, text: str) -> None:
    box.setCurrentIndex(box.findText(text))
    box.activated.emit(box.currentIndex())


def channels_group() -> tuple[FakeGroup, FakeArray]:
    array = FakeArray(np.abs(VOLUME[:3]), chunks=(1, 30, 40))
    omero = {"channels": [{"label": "one", "color": "FF0000"}, {"label": "two", "color": "00FF00"}]}
    entry = {"axes": ["c", "y", "x"], "datasets": [{"path": "0"}]}
    return FakeGroup({"0": array}, {"multiscales": [entry], "omero": omero}), array
