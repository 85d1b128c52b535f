"""Attributes as a tree of names and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QTreeView, QVBoxLayout, QWidget

from zarrbrowser.models.json_model import JsonModel, is_small
from zarrbrowser.nodes.describe import json_text
from zarrbrowser.values.quantities import count
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.label import label

_OPEN_AT_ONCE = 60
"""Up to this number of members, all are expanded."""


class AttributeTree(QWidget):
    """The attributes of a node, with their number and a Copy button above."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document: Mapping[str, Any] = {}
        self._count = label(role="heading")
        self.tree = QTreeView()
        self.tree.setUniformRowHeights(True)
        self.tree.setAlternatingRowColors(True)
        self.tree.setAccessibleName("attributes")
        self.tree.setIndentation(16)
        self.copy_button = push_button("Copy as JSON", self.copy, drawing="copy")
        top = QHBoxLayout()
        top.addWidget(self._count)
        top.addStretch(1)
        top.addWidget(self.copy_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 12, 12)
        column.setSpacing(8)
        column.addLayout(top)
        column.addWidget(self.tree)
        column.addStretch(0)

    def show_attributes(self, document: Mapping[str, Any]) -> None:
        """Show a node's attributes."""
        self._document = document
        before = self.tree.model()
        self.tree.setModel(JsonModel(document, self.tree))
        if before is not None:
            before.deleteLater()
        self._count.setText(count(len(document), "attribute") if document else "No attributes")
        self.tree.setVisible(bool(document))
        self.copy_button.setVisible(bool(document))
        header = self.tree.header()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        if is_small(document, _OPEN_AT_ONCE):
            self.tree.expandAll()
        self.tree.resizeColumnToContents(0)
        self.tree.setColumnWidth(0, min(360, max(160, self.tree.columnWidth(0) + 24)))

    def copy(self) -> None:
        """Copy the attributes to the clipboard."""
        QGuiApplication.clipboard().setText(json_text(self._document))
