"""The guide, as the window shows it: without a network."""

from __future__ import annotations

import os
import re
from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QCursor, QImage, QTextDocument
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QToolTip, QVBoxLayout, QWidget

import zarrbrowser

_SIZE = (860, 700)
_DOCUMENT_MARGIN = 20.0
_MARGIN = 56
"""Pixels that a picture leaves free beside it."""


class GuideDialog(QDialog):
    """The pages of the guide; links lead to other pages and to places in them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Guide")
        self.resize(*_SIZE)
        self.text = _Pages()
        self.text.setAccessibleName("guide")
        self.text.setOpenExternalLinks(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 12)
        column.addWidget(self.text)
        around = QVBoxLayout()
        around.setContentsMargins(16, 0, 16, 0)
        around.addWidget(buttons)
        column.addLayout(around)
        folder = guide_folder()
        if folder:
            self.text.setSearchPaths([folder])
            self.text.setSource(
                QUrl.fromLocalFile(f"{folder}/guide.md"), QTextDocument.ResourceType.MarkdownResource
            )
        else:
            self.text.setPlainText("This installation does not contain the guide.")
        self.text.document().setDocumentMargin(_DOCUMENT_MARGIN)
        self.text.setFocus()


class _Pages(QTextBrowser):
    """Shows pictures no wider than the window, and follows links to headings, of which Qt makes no anchors."""

    def doSetSource(  # noqa: N802 - Qt's name
        self,
        name: QUrl | str,
        kind: QTextDocument.ResourceType = QTextDocument.ResourceType.UnknownResource,
    ) -> None:
        """Show a page, at the heading that the link names; a page that is not installed is named, not shown."""
        link = QUrl(name)
        path = link.toLocalFile()
        if path and not os.path.isfile(path):
            QToolTip.showText(QCursor.pos(), f"{os.path.basename(path)} is not in this installation", self)
            return
        super().doSetSource(link, kind)
        if link.hasFragment():
            self._scroll_to(link.fragment())

    def _scroll_to(self, name: str) -> None:
        document = self.document()
        block = document.begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and _anchor(block.text()) == name:
                top = document.documentLayout().blockBoundingRect(block).top()
                self.verticalScrollBar().setValue(int(top))
                return
            block = block.next()

    def loadResource(self, kind: int, name: QUrl | str) -> Any:  # noqa: N802 - Qt's name
        found = super().loadResource(kind, name)
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return found
        image = QImage.fromData(found) if not isinstance(found, QImage) else found
        if image.isNull():  # the page changes, and the picture is of the former one
            return found
        width = min(image.width(), max(200, self.viewport().width() - _MARGIN))
        return image.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)


def _anchor(heading: str) -> str:
    """The name of a heading in links, as GitHub makes it.

    >>> _anchor("Metadata, Attributes, Storage")
    'metadata-attributes-storage'
    """
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def guide_folder() -> str:
    """The folder of the guide: in the package, or beside it in a checkout; empty if it is in neither."""
    package = os.path.dirname(zarrbrowser.__file__)
    places = (f"{package}/guide", f"{os.path.dirname(package)}/docs")
    return next((one for one in places if os.path.isfile(f"{one}/guide.md")), "")
