"""The attributes of a node as JSON text that the user edits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from zarrbrowser.editing.attribute_text import (
    are_same,
    attribute_text,
    attributes_in,
    has_non_finite,
    problem_of,
)
from zarrbrowser.theme.fonts import fixed_font
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.json_text import Highlighter
from zarrbrowser.widgets.label import label

_TYPING_MS = 150


class AttributeEditor(QWidget):
    """A text with a check as the user types, and Save and Cancel.

    Signals:
        save_asked: the attributes that the user saw, and the new ones.
        cancelled: the user wants to keep the attributes as they are.
    """

    save_asked = Signal(object, object)
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: Mapping[str, Any] = {}
        self._is_saving = False
        self.edit = _code("attributes as JSON")
        self.edit.setTabChangesFocus(True)
        self.found = _code("attributes in the store")
        self.found.setReadOnly(True)
        self._highlighters = [Highlighter(one.document()) for one in (self.edit, self.found)]
        self.conflict = label(role="problem", wrap=True)
        self.problem = label(role="problem", wrap=True)
        self.note = label(role="muted", wrap=True)
        self.save_button = push_button("Save", self._save, role="primary")
        self.cancel_button = push_button("Cancel", self.cancelled.emit)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._typing.timeout.connect(self._show_problem)
        self.edit.textChanged.connect(self._changed)
        below = QHBoxLayout()
        words = QVBoxLayout()
        words.addWidget(self.problem)
        words.addWidget(self.note)
        below.addLayout(words, 1)
        below.addWidget(self.cancel_button)
        below.addWidget(self.save_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.edit, 2)
        column.addWidget(self.conflict)
        column.addWidget(self.found, 1)
        column.addLayout(below)

    @property
    def text(self) -> str:
        """The text as it is now."""
        return self.edit.toPlainText()

    @property
    def shown(self) -> Mapping[str, Any]:
        """The attributes that the text is compared with."""
        return self._shown

    @property
    def is_changed(self) -> bool:
        """Whether the text is not that of the attributes any more."""
        return self.text != attribute_text(self._shown)

    def start(self, shown: Mapping[str, Any], text: str | None = None) -> None:
        """Edit attributes, or continue with a text that was begun before."""
        self._shown, self._is_saving = shown, False
        self._hide_conflict()
        self.edit.setReadOnly(False)
        self.edit.setPlainText(attribute_text(shown) if text is None else text)
        self._show_problem()

    def failed(self, found: Mapping[str, Any] | None) -> None:
        """Keep the text, because it was not saved.

        Args:
            found: the attributes that another program stored meanwhile; saving again replaces these.
        """
        self._is_saving = False
        self.edit.setReadOnly(False)
        if found is not None:
            self._shown = found
            self.conflict.setText(
                "Somebody else has changed these attributes meanwhile. They are now as below; Save replaces them with your text."
            )
            self.found.setPlainText(attribute_text(found))
            self.conflict.show()
            self.found.show()
        self._show_problem()

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        for one in self._highlighters:
            one.rehighlight()

    def _hide_conflict(self) -> None:
        self.conflict.hide()
        self.found.hide()

    def _save(self) -> None:
        self._show_problem()
        if self.save_button.isEnabled():
            self._is_saving = True
            self.edit.setReadOnly(True)
            self.edit.setFocus()  # a button that is disabled would pass the focus on to a control outside
            self.save_button.setEnabled(False)
            self.save_asked.emit(self._shown, attributes_in(self.text))

    def _changed(self) -> None:
        self.save_button.setEnabled(False)  # until the new text is checked
        self._typing.start()

    def _show_problem(self) -> None:
        self._typing.stop()
        problem = problem_of(self.text)
        self.problem.setText("" if problem is None else str(problem))
        self.problem.setVisible(problem is not None)
        note = ""
        if problem is None:
            wanted = attributes_in(self.text)
            if has_non_finite(wanted):
                note = 'NaN and Infinity are stored as text, such as "NaN": JSON has no such numbers.'
            self.save_button.setEnabled(not self._is_saving and not are_same(wanted, self._shown))
        else:
            self.save_button.setEnabled(False)
        self.note.setText(note)
        self.note.setVisible(bool(note))


def _code(name: str) -> QPlainTextEdit:
    made = QPlainTextEdit()
    made.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    made.setFont(fixed_font())
    made.setAccessibleName(name)
    made.setProperty("role", "code")
    return made
