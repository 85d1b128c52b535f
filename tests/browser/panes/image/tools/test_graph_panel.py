"""What the panels with a plot below the picture share: it is made late, and its numbers are offered as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.panes.image.pictures import VOLUME, show
from zarrbrowser.panes.image.tools import graph_panel
from zarrbrowser.panes.image.tools.graph_panel import GraphPanel
from zarrbrowser.theme.colours import DARK, LIGHT, Colours
from zarrbrowser.widgets.graph import Graph

pytestmark = pytest.mark.parametrize("name", ["series", "means"])


@pytest.fixture
def panel(name: str, open_window: OpenWindow, qtbot: QtBot) -> GraphPanel[Any]:
    pane, _array = show(open_window, qtbot, VOLUME)
    found: GraphPanel[Any] = getattr(pane.body.tools, name)
    return found


def test_the_plot_is_made_when_it_is_first_used_and_has_the_last_colours(
    panel: GraphPanel[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn_in: list[Colours] = []
    monkeypatch.setattr(Graph, "set_colours", lambda _graph, colours: drawn_in.append(colours))
    panel.set_colours(LIGHT)
    panel.set_colours(DARK)
    assert not panel.has_graph
    assert drawn_in == []
    assert panel.graph is panel.graph
    assert panel.has_graph
    assert drawn_in[-1] is DARK
    panel.set_colours(LIGHT)
    assert drawn_in[-1] is LIGHT


def test_the_file_is_named_after_what_is_drawn(
    name: str, panel: GraphPanel[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(graph_panel, "ask_for_file", lambda *words: asked.append(words))
    panel.export.setEnabled(True)
    panel.export.click()
    assert [words[3:5] for words in asked] == [("csv", f"{name}.csv")]


def test_a_file_that_cannot_be_written_is_reported_with_the_reason(
    panel: GraphPanel[Any], tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "gone" / "numbers.csv"
    with qtbot.waitSignal(panel.reported) as heard:
        panel._report_written(str(path), path.touch)
    assert heard.args[0].startswith(f"{path} was not written: No such file or directory")
