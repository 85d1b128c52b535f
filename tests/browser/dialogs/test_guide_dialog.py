"""The guide in the window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QImage, QTextDocument
from pytestqt.qtbot import QtBot

import zarrbrowser
from zarrbrowser.dialogs.guide_dialog import GuideDialog, guide_folder

pytestmark = pytest.mark.usefixtures("application")


def test_the_guide_is_shown_with_its_pictures_no_wider_than_the_window(qtbot: QtBot) -> None:
    dialog = GuideDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    assert "Open a source" in dialog.text.toPlainText()
    kind = QTextDocument.ResourceType.ImageResource
    image = dialog.text.loadResource(kind.value, QUrl("image.png"))
    assert isinstance(image, QImage)
    assert 200 <= image.width() < dialog.text.width()


def test_an_installation_without_the_guide_says_so(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    assert guide_folder().endswith(("docs", "guide"))
    monkeypatch.setattr(zarrbrowser, "__file__", "/nowhere/zarrbrowser/__init__.py")
    dialog = GuideDialog()
    qtbot.addWidget(dialog)
    assert dialog.text.toPlainText() == "This installation does not contain the guide."
