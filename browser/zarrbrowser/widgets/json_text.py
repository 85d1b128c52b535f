"""A JSON document as coloured text, with a button that copies it."""

from __future__ import annotations

from PySide6.QtCore import QRegularExpression
from PySide6.QtGui import QColor, QGuiApplication, QSyntaxHighlighter, QTextCharFormat
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from zarrbrowser.theme import current_colours
from zarrbrowser.theme.fonts import fixed_font
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.label import ElidedLabel, label

SHOWN_CHARACTERS = 500_000
"""A longer document is shown in part and copied whole: laying out megabytes would block the window."""

COLOURED_CHARACTERS = 20_000
"""A longer document is not coloured: colouring takes a second per megabyte before the first line shows."""


class Highlighter(QSyntaxHighlighter):
    """Colours names, strings and numbers."""

    def highlightBlock(self, text: str) -> None:  # noqa: N802 - Qt's name
        colours = current_colours()
        for pattern, colour in (
            (r"-?\b\d[\d.eE+-]*\b|\btrue\b|\bfalse\b|\bnull\b", colours.number),
            (r'"(?:[^"\\]|\\.)*"', colours.string),
            (r'"(?:[^"\\]|\\.)*"(?=\s*:)', colours.key),
        ):
            style = QTextCharFormat()
            style.setForeground(QColor(colour))
            matches = QRegularExpression(pattern).globalMatch(text)
            while matches.hasNext():
                match = matches.next()
                self.setFormat(match.capturedStart(), match.capturedLength(), style)


class JsonText(QWidget):
    """A document, with a heading and a Copy button above it.

    Args:
        heading: the title of the document.
        beside: a widget between the heading and the Copy button.
    """

    def __init__(self, heading: str, beside: QWidget | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self.edit = QPlainTextEdit()
        self.edit.setReadOnly(True)
        self.edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.edit.setFont(fixed_font())
        self.edit.setAccessibleName(heading)
        self._highlighter = Highlighter(self.edit.document())
        self._note = label(role="muted")
        self.copy_button = push_button("Copy", self.copy, drawing="copy")
        top = QHBoxLayout()
        top.setSpacing(8)
        self.heading = ElidedLabel("heading")
        self.heading.set_text(heading)
        top.addWidget(self.heading, 1)
        top.addWidget(self._note)
        if beside is not None:
            top.addWidget(beside)
        top.addWidget(self.copy_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 12, 12)
        column.setSpacing(8)
        column.addLayout(top)
        column.addWidget(self.edit, 1)

    @property
    def text(self) -> str:
        """The whole document."""
        return self._text

    def show_text(self, text: str) -> None:
        """Show a document."""
        self._text = text
        self._highlighter.setDocument(self.edit.document() if len(text) <= COLOURED_CHARACTERS else None)
        self.edit.setPlainText(text[:SHOWN_CHARACTERS])
        cut = len(text) > SHOWN_CHARACTERS
        self._note.setText(f"the first {SHOWN_CHARACTERS:,} of {len(text):,} characters" if cut else "")

    def copy(self) -> None:
        """Copy the whole document to the clipboard."""
        QGuiApplication.clipboard().setText(self._text)

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self._highlighter.rehighlight()
