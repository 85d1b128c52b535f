"""The Overview tab."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.fakes import FakeArray, FakeGroup, FakeHierarchy, Flaky
from tests.browser.window.examples import example
from tests.core.stores.hdf5.writer import left_open
from zarrbrowser.panes import overview_pane
from zarrbrowser.panes.overview_pane import OverviewPane
from zarrbrowser.session.sources import Source, SourceRequest, open_source
from zarrbrowser.session.state import Session
from zarrbrowser.workers import Workers


def test_a_group_is_described(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(example())
    pane = window.node_pane.pane("Overview")
    assert isinstance(pane, OverviewPane)
    qtbot.waitUntil(lambda: pane.children_label is not None and pane.children_label.text() == "3 children")
    assert pane.attributes.tree.model().index(0, 1).data() == "an example"
    assert window.view.top_bar.address.text() == "fake.zarr"


@pytest.fixture
def pane(workers: Workers, qtbot: QtBot) -> OverviewPane:
    made = OverviewPane(Session(), workers)
    qtbot.addWidget(made)
    return made


def show(pane: OverviewPane, group: FakeGroup, qtbot: QtBot) -> str:
    """The text about the children, once it is known."""
    pane.show_node(Source(SourceRequest("fake.zarr"), FakeHierarchy(group), group), group)
    label = pane.children_label
    assert label is not None
    assert label.text() == "counting…"
    qtbot.waitUntil(lambda: label.text() != "counting…")
    return label.text()


def test_children_are_counted_in_the_background(
    pane: OverviewPane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays = {name: FakeArray(np.zeros(1)) for name in "abcd"}
    assert show(pane, FakeGroup(), qtbot) == "none"
    assert show(pane, FakeGroup({"a": arrays["a"]}), qtbot) == "1 child"
    monkeypatch.setattr(overview_pane, "COUNT_UP_TO", 3)
    assert show(pane, FakeGroup(dict(list(arrays.items())[:3])), qtbot) == "3 children"
    assert show(pane, FakeGroup(arrays), qtbot) == "more than 3 children"


def test_a_group_that_cannot_be_listed_says_why(pane: OverviewPane, qtbot: QtBot) -> None:
    group = FakeGroup({}, {"title": "a group"})
    group.before_listing = Flaky()
    assert show(pane, group, qtbot) == "The server at example.org does not answer."
    assert pane.attributes.tree.model().index(0, 1).data() == "a group", "what is known is shown"


def test_a_file_whose_writer_died_is_shown_with_a_warning(pane: OverviewPane, tmp_path: Path) -> None:
    left_open(tmp_path / "a.h5")
    source = open_source(SourceRequest(str(tmp_path / "a.h5")))
    for path in ("/", "/g"):
        pane.show_node(source, source.hierarchy.node(path))
        texts = [label.text() for label in pane.findChildren(QLabel) if label.isVisibleTo(pane)]
        assert any("was not closed by the program" in text for text in texts)
