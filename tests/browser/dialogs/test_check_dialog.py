"""The dialog of a check: counts, kinds, the place and the key of a finding."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from zarrbrowser.dialogs.check_dialog import CheckDialog
from zarrbrowser.session.checking import Checked
from zarrcore.operations.check import Finding

BROKEN = Finding("error", "broken-chunk", "/a", "it does not decode\x1b", "a/c/9", index=(9,))
MISSING = Finding("note", "missing-chunks", "/a", "1,000 chunks are missing", count=1000)


@pytest.fixture
def dialog(application: QApplication, qtbot: QtBot) -> CheckDialog:
    made = CheckDialog("a.zarr\x1b#/a")
    qtbot.addWidget(made)
    made.begin()
    made.show()
    return made


def test_it_counts_while_the_check_runs(dialog: CheckDialog) -> None:
    assert dialog.stop_button.isVisible()
    assert not dialog.again_button.isVisible()
    dialog.add(Checked((BROKEN, MISSING), "/a", 30, 120, 1, 30))
    assert [dialog.kinds.tabText(number).split()[-1] for number in range(dialog.kinds.count())] == [
        *("1,001", "1", "1,000", "0", "0")
    ]
    assert (dialog.progress.value(), dialog.progress.maximum()) == (30, 120)
    assert "/a: 30 of 120 chunks" in dialog.state.text
    dialog.end()
    assert (dialog.state.text, dialog.progress.isVisible()) == ("Everything was checked", False)
    assert dialog.again_button.isVisible()
    dialog.begin()
    assert dialog.model.rowCount() == 0
    assert dialog.kinds.tabText(0).endswith(" 0")


def test_a_finding_is_followed_and_its_key_copied(dialog: CheckDialog, qtbot: QtBot) -> None:
    dialog.add(Checked((BROKEN, MISSING), "/a", 30, 120, 1, 30))
    assert not dialog.go_button.isEnabled()
    dialog.list.setCurrentIndex(dialog.model.index(0, 0))
    assert "\x1b" not in dialog.whole.text()
    assert "\x1b" not in dialog.windowTitle()
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog.go_button.click()
    assert chosen.args == [BROKEN]
    dialog.copy_button.click()
    assert QGuiApplication.clipboard().text() == "a/c/9"
    dialog.list.setCurrentIndex(dialog.model.index(1, 0))
    assert not dialog.copy_button.isEnabled()
    dialog.kinds.setCurrentIndex(2)
    assert dialog.model.rowCount() == 1
    assert not dialog.go_button.isEnabled()
