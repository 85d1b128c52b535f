"""Attributes as a tree of names and values, and as text to edit."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from zarrbrowser.editing.changes import Change, Outcome
from zarrbrowser.models.json_model import JsonModel, is_small
from zarrbrowser.nodes.describe import json_text
from zarrbrowser.nodes.protocols import KnownNode
from zarrbrowser.nodes.references import References, references_of
from zarrbrowser.session.sources import Source
from zarrbrowser.values.quantities import count
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.links import link_menu
from zarrbrowser.workers import Lane, Workers

_log = logging.getLogger(__name__)
_OPEN_AT_ONCE = 60
"""Up to this number of members, all are expanded."""

_Place = tuple[str, str]
"""The address of a source, which is opened anew when changes are allowed or stopped, and the path of a node."""


@dataclass(slots=True)
class _Draft:
    """A text that was begun and not saved yet."""

    shown: Mapping[str, Any]
    text: str


class AttributeTree(QWidget):
    """The attributes of a node, with their number and buttons above. The user's text is kept until it is saved or cancelled.

    Signals:
        change_asked: a `Change` of the attributes.
        path_chosen: the path of the node that an attribute leads to, where the user wants to go.
    """

    change_asked = Signal(object)
    path_chosen = Signal(str)

    def __init__(self, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lane = Lane(workers, in_flight=1)
        self._document: Mapping[str, Any] = {}
        self._source: Source | None = None
        self._path, self._kind = "/", ""
        self._drafts: dict[_Place, _Draft] = {}
        self._count = label(role="heading")
        self.tree = QTreeView()
        self.tree.setUniformRowHeights(True)
        self.tree.setAlternatingRowColors(True)
        self.tree.setAccessibleName("attributes")
        self.tree.setIndentation(16)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._open_menu)
        self.tree.activated.connect(self._follow)
        self.editor: Any = None
        """The `AttributeEditor`, once the user has edited something."""
        self.copy_button = push_button("Copy as JSON", self.copy, drawing="copy")
        self.edit_button = push_button("Edit…", self.edit)
        self.edit_button.hide()
        top = QHBoxLayout()
        top.addWidget(self._count)
        top.addStretch(1)
        top.addWidget(self.edit_button)
        top.addWidget(self.copy_button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 12, 12, 12)
        self._column.setSpacing(8)
        self._column.addLayout(top)
        self._column.addWidget(self.tree)
        self._column.addStretch(0)

    def show_node(self, source: Source, node: KnownNode) -> None:
        """Show the attributes of a node, or the text that the user has begun for it."""
        if self.is_edited and self._source is source and self._path == node.path:
            self.show_attributes(node.attributes)
            self._swap(is_edited=True)
            return
        self._keep_draft()
        self._source, self._path, self._kind = source, node.path, node.kind
        self.show_attributes(node.attributes)
        self._lane.forget()
        self._lane.ask(
            lambda _asked: references_of(node),
            self._show_links,
            lambda error: _log.debug("cannot find out which attributes are references: %s", error),
        )
        draft = self._drafts.get(_place(source, node.path))
        if draft is not None and source.may_change:
            self._start_editing(draft.shown, draft.text)
        else:
            self._end()

    def show_attributes(self, document: Mapping[str, Any], references: References | None = None) -> None:
        """Show a node's attributes."""
        self._document = document
        before = self.tree.model()
        self.tree.setModel(JsonModel(document, self.tree, references))
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

    def menu_for(self, index: QModelIndex) -> QMenu:
        """The context menu of an attribute."""
        value = index.siblingAtColumn(1).data()
        return link_menu(
            self,
            self._target(index),
            self.path_chosen.emit,
            lambda: QGuiApplication.clipboard().setText(str(value)),
        )

    def copy(self) -> None:
        """Copy the attributes to the clipboard."""
        QGuiApplication.clipboard().setText(json_text(self._document))

    def edit(self) -> None:
        """Edit the attributes as text."""
        self._start_editing(self._document, None)

    def unsaved(self) -> dict[str, str]:
        """The texts that are not saved, by the paths of their nodes."""
        self._keep_draft()
        return {path: draft.text for (_, path), draft in self._drafts.items()}

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        if self.editor is not None:
            self.editor.update_colours()

    @property
    def is_edited(self) -> bool:
        """Whether the text to edit is shown."""
        return self.editor is not None and not self.editor.isHidden()

    def _show_links(self, references: References) -> None:
        if references.found.attributes:
            self.show_attributes(self._document, references)
            self._swap(is_edited=self.is_edited)

    def _target(self, index: QModelIndex) -> str:
        model = self.tree.model()
        return model.target(index) if isinstance(model, JsonModel) else ""

    def _follow(self, index: QModelIndex) -> None:
        target = self._target(index)
        if target:
            self.path_chosen.emit(target)

    def _open_menu(self, at: QPoint) -> None:
        index = self.tree.indexAt(at)
        if index.isValid():
            menu = self.menu_for(index)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.tree.viewport().mapToGlobal(at))

    def _start_editing(self, shown: Mapping[str, Any], text: str | None) -> None:
        if self.editor is None:
            from zarrbrowser.panes.attribute_editor import AttributeEditor  # late: for a fast start

            self.editor = AttributeEditor()
            self.editor.save_asked.connect(self._save)
            self.editor.cancelled.connect(self._cancel)
            self._column.insertWidget(2, self.editor, 1)
        self.editor.start(shown, text)
        self._swap(is_edited=True)
        self.editor.edit.setFocus()

    def _swap(self, *, is_edited: bool) -> None:
        if self.editor is not None:
            self.editor.setVisible(is_edited)
        may_edit = self._source is not None and self._source.may_change
        self.edit_button.setVisible(may_edit and not is_edited)
        self.tree.setVisible(bool(self._document) and not is_edited)
        self.copy_button.setVisible(bool(self._document) and not is_edited)

    def _end(self) -> None:
        focus = QApplication.focusWidget()
        had_focus = self.editor is not None and focus is not None and self.editor.isAncestorOf(focus)
        self._swap(is_edited=False)
        if had_focus and self.edit_button.isVisible():
            self.edit_button.setFocus()  # otherwise Qt takes some other control, such as the one that opens a source

    def _keep_draft(self) -> None:
        if not self.is_edited or self._source is None:
            return
        place = _place(self._source, self._path)
        if self.editor.is_changed:
            self._drafts[place] = _Draft(self.editor.shown, self.editor.text)
        else:
            self._drafts.pop(place, None)

    def _cancel(self) -> None:
        if self._source is not None:
            self._drafts.pop(_place(self._source, self._path), None)
        self._end()

    def _save(self, shown: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
        from zarrbrowser.editing.attributes import set_attributes  # late: for a fast start

        source, path = self._source, self._path
        if source is None:
            return
        change: Change = set_attributes(source, path, self._kind, shown, wanted)
        place = _place(source, path)
        self._drafts[place] = _Draft(shown, self.editor.text)
        self.change_asked.emit(replace(change, ended=lambda outcome: self._ended(place, outcome)))

    def _ended(self, place: _Place, outcome: Outcome | Exception) -> None:
        is_here = self._source is not None and place == _place(self._source, self._path)
        found = outcome.found if isinstance(outcome, Outcome) else None
        if isinstance(outcome, Outcome) and outcome.is_complete:
            self._drafts.pop(place, None)
            if is_here:
                self._end()
            return
        if place in self._drafts and found is not None:
            self._drafts[place].shown = found
        if is_here and self.is_edited:
            self.editor.failed(found)


def _place(source: Source, path: str) -> _Place:
    return source.request.place, path
