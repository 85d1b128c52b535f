"""The bar above the second image: its name, what links it with the first one, and its controls."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from zarrbrowser.widgets.buttons import tool_button
from zarrbrowser.widgets.label import ElidedLabel
from zarrbrowser.widgets.tooltip import tooltip


class BesideBar(QFrame):
    """Controls of the second image.

    Signals:
        linked: whether zoom and pan are linked, and whether sliders are.
        taken: the second image shall have the contrast of the first one.
        given: the first image shall have the contrast of the second one.
    """

    linked = Signal(bool, bool)
    taken = Signal()
    given = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.title, self.words = ElidedLabel(), ElidedLabel("muted")
        self.zoom = _toggle("link", "Same part of both images: zoom and pan are linked")
        self.sliders = _toggle("link-sliders", "Same position along other axes: the sliders are linked")
        self.contrast = tool_button("contrast", "Take over a contrast")
        self.contrast.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.contrast)
        menu.addAction("&Take the contrast of the first image", self.taken.emit)
        menu.addAction("&Give the first image this contrast", self.given.emit)
        self.contrast.setMenu(menu)
        self.controls = _toggle("range", "Controls of the second image")
        self.close_button = tool_button("close", "Close the second image (Ctrl+Shift+W)")
        self.show_links(zooms=True, moves=True)
        for button in (self.zoom, self.sliders):
            button.clicked.connect(
                lambda _checked: self.linked.emit(self.zoom.isChecked(), self.sliders.isChecked())
            )
        column, row = QVBoxLayout(self), QHBoxLayout()
        column.setContentsMargins(12, 6, 8, 4)
        column.setSpacing(2)
        row.setSpacing(4)
        row.addWidget(self.title, 1)
        for button in (self.zoom, self.sliders, self.contrast, self.controls, self.close_button):
            row.addWidget(button)
        column.addLayout(row)
        column.addWidget(self.words)

    def show_links(self, *, zooms: bool, moves: bool) -> None:
        """Show which links are on."""
        self.zoom.setChecked(zooms)
        self.sliders.setChecked(moves)

    def show_link(self, basis: str, outside: str) -> None:
        """Say by what places correspond, and which positions have no counterpart."""
        by = f"by {basis}" if basis and " by " not in basis else basis
        self.words.set_text(outside or (f"Linked {by}" if by else ""))
        how = (
            f"Places in the two images correspond {by}."
            if by
            else "Places in the two images do not correspond."
        )
        self.words.setToolTip(tooltip(f"{how} {outside}".strip()))


def _toggle(drawing: str, tip: str) -> QToolButton:
    button = tool_button(drawing, tip)
    button.setCheckable(True)
    return button
