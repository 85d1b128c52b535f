"""What is said instead of a picture."""

from __future__ import annotations

import numpy as np
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky
from tests.browser.panes.image.pictures import VOLUME, pane_of, picture


def test_an_error_is_shown_as_a_sentence_and_retry_works(open_window: OpenWindow, qtbot: QtBot) -> None:
    array, flaky = FakeArray(VOLUME), Flaky()
    array.before_read = flaky
    pane = pane_of(open_window(FakeGroup({"array": array}), "/array"), qtbot)
    qtbot.waitUntil(lambda: "does not answer" in pane.body.stack.sentence.text)
    assert pane.body.stack.sentence.text == "The server at example.org does not answer."
    assert pane.body.stack.sentence.button.isVisible()
    assert not pane.body.contrast.isVisible()
    flaky.mended = True
    with qtbot.waitSignal(pane.plane_shown):
        pane.body.stack.sentence.button.click()
    assert pane.body.stack.shows_data
    assert np.array_equal(picture(pane), VOLUME[4])
