"""The Value tab of a scalar."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
from pytestqt.qtbot import QtBot

import zarrcore
from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, Flaky
from zarrbrowser.panes.value_pane import ValuePane


def test_a_scalar_is_shown_as_its_value_with_its_unit(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(FakeGroup({"array": FakeArray(np.float32(36.6))}), "/array")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Value")
    pane = window.node_pane.pane("Value")
    assert isinstance(pane, ValuePane)
    qtbot.waitUntil(lambda: pane.value.text() == "36.6 mm")
    for value, text in (
        (np.int64(-12345), "-12,345 mm"),
        (np.str_(""), "empty text"),
        (np.bool_(True), "true"),
    ):
        pane.show_array(FakeArray(value))
        qtbot.waitUntil(lambda text=text: pane.value.text() == text)


def test_a_reference_leads_to_its_object_and_another_value_leads_nowhere(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        data = file.create_dataset("d", data=np.arange(3))
        file["one"] = np.array(data.ref, h5py.ref_dtype)
        file["text"] = "/d"
    window = open_window(FakeGroup({"array": FakeArray(np.float32(1))}), "/array")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Value")
    pane = window.node_pane.pane("Value")
    assert isinstance(pane, ValuePane)
    found = zarrcore.open_hierarchy(tmp_path / "a.h5")
    for path, leads in (("one", True), ("text", False)):
        pane.show_array(found.array(path))
        qtbot.waitUntil(lambda: pane.value.text() == "/d")
        assert pane.follow_button.isHidden() != leads
    pane.show_array(found.array("one"))
    qtbot.waitUntil(lambda: not pane.follow_button.isHidden())
    with qtbot.waitSignal(pane.path_chosen) as chosen:
        pane.follow_button.click()
    assert chosen.args == ["/d"]


def test_an_error_is_shown_and_retry_works(open_window: OpenWindow, qtbot: QtBot) -> None:
    array, flaky = FakeArray(np.int64(5)), Flaky()
    array.before_read = flaky
    window = open_window(FakeGroup({"array": array}), "/array")
    qtbot.waitUntil(lambda: window.node_pane.current_tab() == "Value")
    pane = window.node_pane.pane("Value")
    assert isinstance(pane, ValuePane)
    qtbot.waitUntil(lambda: "does not answer" in pane.stack.sentence.text)
    flaky.mended = True
    pane.stack.sentence.button.click()
    qtbot.waitUntil(lambda: pane.value.text().startswith("5"))
