"""Labels with the roles that the stylesheet defines."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from zarrbrowser.drawing.elided import elided
from zarrbrowser.theme import current_colours
from zarrbrowser.widgets.tooltip import tooltip


def label(text: str = "", role: str = "", *, selectable: bool = False, wrap: bool = False) -> QLabel:
    """A label; ``role`` is ``muted``, ``title``, ``heading``, ``number`` or empty."""
    result = QLabel(text)
    result.setTextFormat(Qt.TextFormat.PlainText)
    result.setProperty("role", role)
    result.setWordWrap(wrap)
    if selectable:
        result.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return result


class ElidedLabel(QWidget):
    """One line of text, elided in its middle when the window is narrow."""

    def __init__(self, role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._muted = role in ("muted", "heading")
        self.setProperty("role", role)
        self.ensurePolished()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """The whole text, even if only a part is drawn."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show ``text``, with all of it as tooltip."""
        if text == self._text:
            return
        self._text = text
        self.setToolTip(tooltip(text))
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._text) + 2, metrics.height() + 4)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(40, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        if self._muted:
            painter.setPen(current_colours().muted)
        text = elided(self._text, self.fontMetrics(), self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


class DropMark(QLabel):
    """Says what a drop does; covers its parent while something is dragged over it."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(text, parent)
        self._over = parent
        self.setProperty("role", "drop")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def turn(self, *, is_on: bool) -> None:
        """Show or hide it."""
        if is_on:
            self.setGeometry(self._over.rect())
            self.raise_()
        self.setVisible(is_on)
