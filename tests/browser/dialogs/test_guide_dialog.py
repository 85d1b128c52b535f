"""The guide in the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QImage, QTextCursor, QTextDocument
from PySide6.QtTest import QTest
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
    image = dialog.text.loadResource(kind.value, QUrl("image.webp"))
    assert isinstance(image, QImage)
    assert 200 <= image.width() < dialog.text.width()


def test_an_installation_without_the_guide_says_so(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    assert guide_folder().endswith(("docs", "guide"))
    monkeypatch.setattr(zarrbrowser, "__file__", "/nowhere/zarrbrowser/__init__.py")
    dialog = GuideDialog()
    qtbot.addWidget(dialog)
    assert dialog.text.toPlainText() == "This installation does not contain the guide."


def follow(dialog: GuideDialog, href: str) -> None:
    """Click a link."""
    text = dialog.text
    block = text.document().begin()
    while block.isValid():
        piece = block.begin()
        while not piece.atEnd():
            if piece.fragment().charFormat().anchorHref() == href:
                cursor = QTextCursor(text.document())
                cursor.setPosition(piece.fragment().position() + 1)
                text.setTextCursor(cursor)
                text.ensureCursorVisible()
                QTest.mouseClick(
                    text.viewport(), Qt.MouseButton.LeftButton, pos=text.cursorRect(cursor).center()
                )
                return
            piece += 1
        block = block.next()
    raise AssertionError(f"the page has no link {href}")


def first_line(dialog: GuideDialog) -> str:
    """The text at the top of what is in view."""
    return dialog.text.cursorForPosition(QPoint(30, 12)).block().text()


@pytest.mark.parametrize(
    ("link", "heading"),
    [
        ("#plates-and-wells", "Plates and wells"),
        ("#understand-how-it-is-stored", "Understand how it is stored"),
        ("bookmarks.md#links", "Links"),
        ("calculations.md#compare-two-planes", "Compare two planes"),
    ],
)
def test_a_link_leads_to_its_heading(qtbot: QtBot, link: str, heading: str) -> None:
    dialog = GuideDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    follow(dialog, link)
    assert first_line(dialog) == heading


def test_a_page_that_is_not_installed_leaves_the_guide_in_place(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = GuideDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    before = dialog.text.toPlainText()
    dialog.text.setSource(QUrl.fromLocalFile(str(tmp_path / "core" / "docs" / "sources.md")))
    assert dialog.text.toPlainText() == before
    assert dialog.text.source().fileName() == "guide.md"
