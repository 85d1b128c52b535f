"""The Value tab of a scalar array: its only element."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from zarrbrowser.editing.cells import Target
from zarrbrowser.image.probe import describe
from zarrbrowser.nodes.describe import type_name
from zarrbrowser.nodes.protocols import ArrayLike, NodeLike, is_array
from zarrbrowser.nodes.references import references_of
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.panes.pane import Pane
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.values.elements import Elements, unpacking_of
from zarrbrowser.values.packing import packing_of
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.label import label
from zarrbrowser.workers import Lane, Request, Workers


class ValuePane(Pane):
    """Shows one scalar."""

    def __init__(self, session: Session, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(session, workers, parent)
        self._lane = Lane(workers)
        self._array: ArrayLike | None = None
        self.value = label(role="number", selectable=True, wrap=True)
        self.value.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._type = label(role="muted")
        self._type.setAlignment(Qt.AlignmentFlag.AlignCenter)
        middle = QWidget()
        middle.setProperty("role", "surface")
        column = QVBoxLayout(middle)
        column.addStretch(2)
        column.addWidget(self.value)
        column.addWidget(self._type)
        self._source: Source | None = None
        self.change_button = push_button("Change…", self.ask_to_fill)
        self.change_button.hide()
        self.follow_button = push_button("Go there", lambda: self.path_chosen.emit(self._target))
        self.follow_button.hide()
        self._target = ""
        """The path of the node that the value refers to; empty if the value is not a reference."""
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.follow_button)
        row.addWidget(self.change_button)
        row.addStretch(1)
        column.addSpacing(12)
        column.addLayout(row)
        column.addStretch(3)
        self.stack = DataStack(middle, self.request_value, lambda: None)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.stack)
        self.stack.settled.connect(self.settled)

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show a scalar array."""
        self._source = source
        self.change_button.setVisible(source.may_change)
        if is_array(node):
            self.show_array(node)

    def show_array(self, array: ArrayLike) -> None:
        """Show a scalar array."""
        self._array = array
        self.value.setText("")
        self.follow_button.hide()
        self._type.setText(type_name(array))
        self.request_value()

    def request_value(self) -> None:
        """Read the element."""
        array = self._array
        if array is None:
            return

        def work(_asked: Request) -> tuple[str, str]:
            value = array.read(...)[()]
            target = references_of(array).of_element(value) if isinstance(value, str) else ""
            return describe(Elements(packing=packing_of(array)), value, array), target

        what = f"Reading {array.path}"
        self.stack.wait_for(what)
        self._lane.ask(work, self._show, self.stack.show_error, what)

    def ask_to_fill(self) -> None:
        """Ask for another value."""
        if self._source is not None and self._array is not None:
            target = Target(self._source, self._array, (), "The value", unpacking=unpacking_of(self._array))
            self.fill_asked.emit(target)

    def clear(self) -> None:
        """Cancel requests."""
        self._lane.forget()
        self._array = None

    def _show(self, found: tuple[str, str]) -> None:
        text, self._target = found
        self.follow_button.setVisible(bool(self._target))
        self.stack.show_data()
        self.value.setText(text or "empty text")
