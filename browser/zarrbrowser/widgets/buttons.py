"""Buttons with a common look."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from zarrbrowser.session.error_text import CONNECTION
from zarrbrowser.theme import current_colours, icon
from zarrbrowser.widgets.tooltip import tooltip
from zarrcore.printable import printable

ICON = QSize(18, 18)
_LONGEST = 320
"""The pixels of a name on a button: a long one would make the window wider than the screen."""


def tool_button(
    drawing: str, tip: str, clicked: Callable[[], object] | None = None, *, flat: bool = True
) -> QToolButton:
    """A button with only an icon; ``tip`` is also its accessible name."""
    button = QToolButton()
    button.setIconSize(ICON)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setProperty("role", "flat" if flat else "")
    button.setProperty("drawing", drawing)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    if clicked is not None:
        button.clicked.connect(lambda _checked=False: clicked())
    colour(button)
    return button


def switch(text: str, tip: str) -> QToolButton:
    """A button with text that stays pressed."""
    button = tool_button("", tip)
    button.setText(text)
    button.setCheckable(True)
    return button


def push_button(
    text: str, clicked: Callable[[], object], *, drawing: str = "", role: str = ""
) -> QPushButton:
    """A button with text; ``role`` is ``primary``, ``link`` or empty."""
    button = QPushButton(text)
    button.setProperty("role", role)
    button.clicked.connect(lambda _checked=False: clicked())
    if drawing:
        button.setProperty("drawing", drawing)
        button.setIconSize(ICON)
        colour(button)
    if role == "link":
        button.setCursor(Qt.CursorShape.PointingHandCursor)
    return button


class AllowButton(QPushButton):
    """Allows data to name what is below a folder or URL, which it says, or leads to the connection; else hidden.

    Args:
        pressed: called with what was offered.
    """

    def __init__(self, pressed: Callable[[str], object]) -> None:
        super().__init__()
        self._prefix = ""
        self.clicked.connect(lambda _checked=False: pressed(self._prefix))
        self.hide()

    def offer(self, prefix: str) -> None:
        """Offer to allow a folder or URL, or what `remedy` says of an error; nothing if it is empty."""
        self._prefix = prefix
        self.setVisible(bool(prefix))
        if not prefix:
            return
        if prefix == CONNECTION:
            self.setText(CONNECTION)
            self.setToolTip(tooltip("Open this source with other credentials or another connection"))
            return
        shown = self.fontMetrics().elidedText(printable(prefix), Qt.TextElideMode.ElideMiddle, _LONGEST)
        self.setText(f"Allow {shown}".replace("&", "&&"))
        self.setToolTip(
            tooltip(f"Let this source read what is below {printable(prefix)}, until it is closed")
        )


def colour(button: QPushButton | QToolButton) -> None:
    """Draw the button's icon in the application's present colours."""
    colours = current_colours()
    drawing = button.property("drawing")
    if drawing:
        primary = button.property("role") == "primary"
        button.setIcon(icon(drawing, colours.on_accent if primary else colours.text, colours.disabled))


def recolour(root: QWidget) -> None:
    """Redraw all icons below ``root`` after the appearance has changed."""
    kinds: tuple[type[QPushButton] | type[QToolButton], ...] = (QPushButton, QToolButton)
    for kind in kinds:
        for button in root.findChildren(kind):
            colour(button)
