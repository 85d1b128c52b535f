"""What a check finds in one group, in the Overview."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

import zarrcore
from tests.browser.fakes import FakeGroup, FakeHierarchy
from zarrbrowser.panes.overview_pane import OverviewPane
from zarrbrowser.session.sources import Source, SourceRequest, open_source
from zarrbrowser.session.state import Session
from zarrbrowser.widgets.facts import FactGrid
from zarrbrowser.workers import Workers


@pytest.fixture
def pane(workers: Workers, qtbot: QtBot) -> OverviewPane:
    made = OverviewPane(Session(), workers)
    qtbot.addWidget(made)
    return made


def test_stale_consolidated_metadata_are_shown(pane: OverviewPane, qtbot: QtBot, tmp_path: Path) -> None:
    hierarchy = zarrcore.create(tmp_path / "x.zarr")
    for name in "abcdef":
        hierarchy.create_array(f"/{name}", shape=(2,), dtype="i2")
    hierarchy.consolidate()

    def shown() -> FactGrid | None:
        source = open_source(SourceRequest(str(tmp_path / "x.zarr")))
        pane.show_node(source, source.root)
        qtbot.waitUntil(lambda: not pane.findings.busy)
        return pane.findings.grid

    assert shown() is None
    for name in "abcdef":
        document = tmp_path / "x.zarr" / name / "zarr.json"
        document.write_text(json.dumps(json.loads(document.read_text()) | {"shape": [3]}))
    grid = shown()
    assert grid is not None
    texts = [one.text() for one in grid.findChildren(QLabel)]
    assert "/a" in texts
    assert sum("another shape ([2], not [3])" in text for text in texts) == 4
    assert "and 2 more, which Check… lists" in texts
    pane.show_node(Source(SourceRequest("fake.zarr"), FakeHierarchy(FakeGroup()), FakeGroup()), FakeGroup())
    assert pane.findings.isHidden()
