"""Panes by their titles: created once, when they are needed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray, FakeHierarchy
from zarrbrowser.panes.attributes_pane import AttributesPane
from zarrbrowser.panes.pane import Pane
from zarrbrowser.panes.pane_set import PaneSet
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.session.state import Session
from zarrbrowser.workers import Workers


@pytest.fixture
def session() -> Session:
    return Session()


@pytest.fixture
def panes(session: Session, workers: Workers, qtbot: QtBot) -> Iterator[PaneSet]:
    parent = QWidget()
    qtbot.addWidget(parent)
    made = PaneSet(session, workers, parent)
    made.made.connect(lambda pane, _title: pane.setParent(parent))
    yield made
    parent.close()


def test_a_pane_is_made_when_it_is_first_needed(panes: PaneSet, qtbot: QtBot) -> None:
    assert ([*panes], panes.get("Attributes")) == ([], None)
    with qtbot.waitSignal(panes.made) as heard:
        pane = panes["Attributes"]
    assert isinstance(pane, AttributesPane)
    assert heard.args == [pane, "Attributes"]
    with qtbot.assertNotEmitted(panes.made):
        assert panes["Attributes"] is pane
    assert ([*panes], panes.get("Attributes")) == ([pane], pane)


def test_another_title_has_no_pane(panes: PaneSet) -> None:
    with pytest.raises(KeyError):
        panes["Elsewhere"]
    assert [*panes] == []


def test_what_a_pane_says_is_heard_from_the_set(panes: PaneSet, qtbot: QtBot) -> None:
    pane = panes["Table"]
    for told, heard in (
        (lambda: pane.pointed.emit("y = 1"), panes.pointed),
        (lambda: pane.reported.emit("read"), panes.reported),
        (pane.settled.emit, panes.shown),
        (pane.retried.emit, panes.retried),
    ):
        with qtbot.waitSignal(heard):
            told()
    with qtbot.waitSignal(panes.view_changed) as found:
        pane.view_changed.emit()
    assert found.args == [pane.view_state()]


def test_stored_numbers_in_one_tab_are_shown_in_all(
    panes: PaneSet, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[Pane, bool]] = []
    monkeypatch.setattr(Pane, "unpack", lambda pane, *, is_on: heard.append((pane, is_on)))
    table, attributes = panes["Metadata"], panes["Attributes"]
    table.unpacked.emit(True)
    assert heard == [], "no node is current"
    array = FakeArray(np.zeros(3))
    source = Source(SourceRequest("fake.zarr"), FakeHierarchy(array), array)
    session.add(source)
    session.select(source, array)
    assert session.is_unpacked(source, array.path)
    table.unpacked.emit(False)
    assert heard == [(table, False), (attributes, False)]
    assert not session.is_unpacked(source, array.path)
    table.unpacked.emit(True)
    assert session.is_unpacked(source, array.path)
