"""The Problem tab of a broken node: the error, and the document as stored."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from zarrbrowser.nodes.describe import json_text
from zarrbrowser.nodes.protocols import NodeLike, is_broken
from zarrbrowser.panes.pane import Pane
from zarrbrowser.session.error_text import consequence, remedy, sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.theme import current_colours, icon
from zarrbrowser.widgets.buttons import AllowButton, push_button
from zarrbrowser.widgets.json_text import JsonText
from zarrbrowser.widgets.label import label
from zarrbrowser.workers import Lane, Request, Workers


class ProblemPane(Pane):
    """Shows one broken node."""

    is_filled_for_colours = True

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(session, workers, parent)
        self.setProperty("role", "surface")
        self._lane = Lane(workers)
        self._picture = QLabel()
        self.sentence = label(wrap=True, selectable=True)
        self.consequence = label(role="muted", wrap=True)
        self.retry_button = push_button("Retry", self.retried.emit, drawing="retry")
        self.allow_button = AllowButton(self.allow_asked.emit)
        self.document = JsonText("The document as stored")
        notice = QFrame()
        notice.setProperty("role", "notice")
        row = QHBoxLayout(notice)
        row.setContentsMargins(12, 10, 12, 10)
        row.setSpacing(12)
        row.addWidget(self._picture)
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(self.sentence)
        words.addWidget(self.consequence)
        row.addLayout(words, 1)
        row.addWidget(self.allow_button, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.retry_button, 0, Qt.AlignmentFlag.AlignVCenter)
        around = QVBoxLayout()
        around.setContentsMargins(16, 16, 16, 4)
        around.addWidget(notice)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(around)
        column.addWidget(self.document, 1)

    def show_node(self, _source: Source, node: NodeLike) -> None:
        """Show a broken node."""
        self.clear()
        if not is_broken(node):
            return
        self._picture.setPixmap(icon("broken", current_colours().warning).pixmap(QSize(24, 24)))
        self.sentence.setText(sentence(node.error))
        self.allow_button.offer(remedy(node.error))
        self.consequence.setText(consequence(node.error))
        self.consequence.setVisible(bool(self.consequence.text()))

        def work(_asked: Request) -> str:
            return json_text(node.stored_bytes())

        self._lane.ask(work, self.document.show_text, lambda error: self.document.show_text(sentence(error)))

    def clear(self) -> None:
        """Show nothing, and cancel requests."""
        self._lane.forget()
        self.sentence.setText("")
        self.document.show_text("")
