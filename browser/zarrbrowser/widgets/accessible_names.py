"""Names for screen readers, where Qt gives none."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QLineEdit, QToolButton


def name_box(box: QComboBox, name: str) -> None:
    """Say what a box is for: on Linux, Qt gives the chosen text as its name, and only the description is left."""
    box.setAccessibleName(name)
    box.setAccessibleDescription(name)


def add_clear_button(line: QLineEdit) -> None:
    """Let a button empty a field."""
    line.setClearButtonEnabled(True)
    name_buttons(line, "clear")


def name_buttons(line: QLineEdit, name: str) -> None:
    """Name what was added to a field since the last call."""
    for button in line.findChildren(QToolButton):
        if not button.accessibleName():
            button.setAccessibleName(name)
