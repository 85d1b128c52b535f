"""How much of our own Python runs for a click on an array that was shown before: a budget, so that it does not grow."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from pytestqt.qtbot import QtBot

import zarrcore
from tests.browser.conftest import PATIENCE
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.window.main_window import MainWindow

BUDGET = 2_200
"""Calls in the window's thread; 4,331 before they were counted."""
OWN = tuple(f"/{package}/" for package in ("zarrbrowser", "zarrcore"))


def test_a_click_on_an_array_that_was_shown_before_runs_few_functions(
    tmp_path: Path, window: MainWindow, qtbot: QtBot
) -> None:
    group = zarrcore.create(tmp_path / "h.zarr")
    for name in ("a", "b"):
        shape, chunks = (4, 300, 400), (1, 100, 100)
        array = group.create_array(name, shape=shape, dtype="int16", chunks=chunks)
        array[...] = np.arange(480_000).reshape(shape) % 1000
    window.open(SourceRequest(str(tmp_path / "h.zarr"), "/a"))
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Image")
    pane = window.node_pane.pane("Image")
    assert isinstance(pane, ImagePane)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    for path in ("/b", "/a", "/b"):
        click(window, pane, path, qtbot)

    # A busy machine adds some by painting more often: the fewest of three count.
    fewest = min((counted(window, pane, qtbot) for _ in range(3)), key=Counter.total)
    assert 500 < fewest.total() <= BUDGET, "\n".join(f"{n} {name}" for name, n in fewest.most_common(25))


def counted(window: MainWindow, pane: ImagePane, qtbot: QtBot) -> Counter[str]:
    """The calls for a click on an array; a click on the other one, uncounted, goes back."""
    calls: Counter[str] = Counter()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _argument: count(calls, frame, event))
    click(window, pane, "/a", qtbot)
    sys.setprofile(before)
    assert pane.view.is_complete
    click(window, pane, "/b", qtbot)
    return calls


def click(window: MainWindow, pane: ImagePane, path: str, qtbot: QtBot) -> None:
    """Show an array, and wait until its view has stayed the same for a moment: all answers have arrived then."""
    with qtbot.waitSignal(pane.view_changed, timeout=PATIENCE):
        window.navigator.go_within(path)
    qtbot.waitUntil(lambda: not window.workers.active)


def count(calls: Counter[str], frame: FrameType, event: str) -> Any:
    """Count a call of one of our functions; a comprehension is a call only before Python 3.12."""
    code = frame.f_code
    is_call = event == "call" and not code.co_name.endswith("comp>")
    if is_call and any(package in code.co_filename for package in OWN):
        calls[f"{code.co_filename.rpartition('/zarr')[2]} {code.co_qualname}"] += 1
