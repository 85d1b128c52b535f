"""A tab for groups that have a mood."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from zarrbrowser.nodes.protocols import NodeLike, is_group
from zarrbrowser.panes.pane import Pane
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.workers import Workers


class MoodPane(Pane):
    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(session, workers, parent)
        self.label = QLabel()
        QVBoxLayout(self).addWidget(self.label)

    def show_node(self, source: Source, node: NodeLike) -> None:
        if is_group(node):
            self.label.setText(node.attributes["mood"])
