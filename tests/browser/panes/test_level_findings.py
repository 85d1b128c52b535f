"""What a check finds in one group."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

import zarrcore
from tests.browser.fakes import FakeGroup, FakeHierarchy
from zarrbrowser.panes.level_findings import LevelFindings
from zarrbrowser.session.sources import Source, SourceRequest, open_source
from zarrbrowser.widgets.facts import FactGrid
from zarrbrowser.workers import Workers
from zarrcore.stores.local.store import LocalStore


@pytest.fixture
def findings(workers: Workers, qtbot: QtBot) -> LevelFindings:
    made = LevelFindings(workers)
    qtbot.addWidget(made)
    return made


@pytest.fixture
def stale(tmp_path: Path) -> Path:
    """A hierarchy of six arrays, whose shapes changed after its metadata were consolidated."""
    hierarchy = zarrcore.create(tmp_path / "x.zarr")
    for name in "abcdef":
        hierarchy.create_array(f"/{name}", shape=(2,), dtype="i2")
    hierarchy.consolidate()
    for name in "abcdef":
        document = tmp_path / "x.zarr" / name / "zarr.json"
        document.write_text(json.dumps(json.loads(document.read_text()) | {"shape": [3]}))
    return tmp_path / "x.zarr"


def shown(findings: LevelFindings, place: Path, qtbot: QtBot) -> FactGrid | None:
    source = open_source(SourceRequest(str(place)))
    findings.show_node(source, source.root)
    qtbot.waitUntil(lambda: not findings.busy)
    return findings.grid


def test_stale_consolidated_metadata_are_shown(findings: LevelFindings, qtbot: QtBot, stale: Path) -> None:
    grid = shown(findings, stale, qtbot)
    assert grid is not None
    texts = [one.text() for one in grid.findChildren(QLabel)]
    assert "/a" in texts
    assert sum("differs in shape ([2], not [3])" in text for text in texts) == 4
    assert "and 2 more, which Check… lists" in texts
    findings.show_node(
        Source(SourceRequest("fake.zarr"), FakeHierarchy(FakeGroup()), FakeGroup()), FakeGroup()
    )
    assert findings.isHidden()
    zarrcore.open_hierarchy(stale, "r+").consolidate()
    assert shown(findings, stale, qtbot) is None


def test_a_remote_group_is_not_checked_unasked(
    findings: LevelFindings, qtbot: QtBot, stale: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each name below it would be a request."""
    monkeypatch.setattr(LocalStore, "is_remote", True)
    assert shown(findings, stale, qtbot) is None
