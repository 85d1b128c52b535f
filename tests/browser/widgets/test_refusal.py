"""The mark of a field whose text cannot be used."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from zarrbrowser.widgets.refusal import refuse


@pytest.mark.usefixtures("application")
def test_the_reason_takes_the_place_of_the_hint_until_the_text_is_good(qtbot: QtBot) -> None:
    line = QLineEdit()
    qtbot.addWidget(line)
    line.setToolTip("A number")
    refuse(line, "")
    assert not line.property("refused")
    for why in ("expected a number", "still none"):
        refuse(line, why)
        assert (line.property("refused"), line.accessibleDescription()) == (True, why)
        assert why in line.toolTip()
    refuse(line, "")
    assert (line.property("refused"), line.toolTip(), line.accessibleDescription()) == (False, "A number", "")
