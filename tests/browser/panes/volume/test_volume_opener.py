"""The image of a node is opened for the Volume tab, or the tab says why not."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.volume.panes import pane_of, wait_for
from tests.browser.volume.volumes import blocks, group
from zarrcore.errors import UnreachableError

pytestmark = pytest.mark.usefixtures("fake_renderer")


def test_a_store_that_fails_is_reported_with_a_retry(open_window: OpenWindow, qtbot: QtBot) -> None:
    array = FakeArray(blocks((6, 7, 8)))

    def fail(part: Any) -> None:
        if isinstance(part[0], slice):
            raise UnreachableError("the server does not answer")

    array.before_read = fail
    pane = pane_of(open_window(FakeGroup({"a": array}), "/a"), qtbot)
    qtbot.waitUntil(lambda: "does not answer" in pane.stack.sentence.text)
    array.before_read = lambda _part: None
    pane.stack.sentence.button.click()
    wait_for(pane, qtbot)
    assert pane.stack.shows_data


def test_a_flat_image_says_so(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = pane_of(open_window(group(shape=(1, 24, 32), axes="zyx")), qtbot)
    qtbot.waitUntil(lambda: pane.stack.sentence.text.startswith("This image is flat"))
