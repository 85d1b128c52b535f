"""A Table tab without a window."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.session.state import Session
from zarrbrowser.workers import Workers


@pytest.fixture
def pane(workers: Workers, qtbot: QtBot) -> TablePane:
    made = TablePane(Session(), workers)
    qtbot.addWidget(made)
    made.resize(700, 500)
    made.show()
    return made
