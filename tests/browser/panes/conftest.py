"""A Storage tab without a window."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from zarrbrowser.panes.storage_pane import StoragePane
from zarrbrowser.session.state import Session
from zarrbrowser.workers import Workers


@pytest.fixture
def storage_pane(workers: Workers, qtbot: QtBot) -> StoragePane:
    made = StoragePane(Session(), workers)
    qtbot.addWidget(made)
    made.resize(800, 500)
    made.show()
    return made
