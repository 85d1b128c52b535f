"""A part of the window that scrolls if the window is too small for it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

_LEAST_HEIGHT = 48


class Scrolled(QScrollArea):
    """A frame that scrolls vertically, and on request horizontally.

    Args:
        role: the frame's role in the stylesheet.
        both_ways: whether it also scrolls horizontally.

    Attributes:
        inside: the frame.
    """

    def __init__(self, role: str, parent: QWidget | None = None, *, both_ways: bool = False) -> None:
        super().__init__(parent)
        self._both_ways = both_ways
        self.inside = QFrame()
        self.inside.setProperty("role", role)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        policy = Qt.ScrollBarPolicy
        self.setHorizontalScrollBarPolicy(
            policy.ScrollBarAsNeeded if both_ways else policy.ScrollBarAlwaysOff
        )
        self.setWidgetResizable(True)
        self.setWidget(self.inside)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def fit_inside(self) -> None:
        """Lay out the changed frame immediately, so that its widgets are not squeezed until the next layout."""
        for widget in self.inside.findChildren(QWidget):
            widget.ensurePolished()  # the stylesheet makes them larger
        layout = self.inside.layout()
        if layout is not None:
            layout.invalidate()
            layout.activate()
        self.updateGeometry()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        super().showEvent(event)
        self.fit_inside()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return self._bordered(self.inside.sizeHint())

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        hint = self._bordered(self.inside.minimumSizeHint())
        width = 0 if self._both_ways else hint.width()
        return QSize(width, min(hint.height(), _LEAST_HEIGHT))

    def _bordered(self, hint: QSize) -> QSize:
        """A size with the border that the stylesheet draws around it; nothing has no border."""
        return hint if hint.isEmpty() else hint.grownBy(self.contentsMargins())
