"""Two widgets beside each other or one below the other, with a handle between them that mouse and keys move."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from zarrbrowser.widgets.view_keys import FAR, WAYS


class _Handle(QSplitterHandle):
    """Tab leads to it; it is wider while it has the focus, in the colour of the focus."""

    def __init__(self, orientation: Qt.Orientation, splitter: Splitter) -> None:
        super().__init__(orientation, splitter)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(splitter.accessibleName())
        self.setAccessibleDescription("arrow keys move it, with Shift by ten; Esc leaves it")

    def event(self, event: QEvent) -> bool:
        """Keep Esc from the window, where it stops reading."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Move by pixels, or give the focus to what follows."""
        across, down = WAYS.get(event.key(), (0, 0))
        is_across = self.orientation() is Qt.Orientation.Horizontal
        way = across if is_across else down
        if event.key() == Qt.Key.Key_Escape:
            self.focusNextChild()
        elif way and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            steps = FAR if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
            at = self.mapToParent(self.contentsRect().topLeft())  # a thin handle is wider for the mouse
            self.moveSplitter((at.x() if is_across else at.y()) + way * steps)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        super().focusInEvent(event)
        self.clearMask()  # Qt shows only the middle of a thin handle
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        super().focusOutEvent(event)
        self.resizeEvent(QResizeEvent(self.size(), self.size()))
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        if self.hasFocus():
            self.clearMask()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.fillRect(self.rect(), self.palette().highlight())
            painter.end()


class Splitter(QSplitter):
    """A splitter whose widgets cannot be collapsed.

    Args:
        name: the accessible name of the handles.
    """

    def __init__(self, name: str, orientation: Qt.Orientation = Qt.Orientation.Horizontal) -> None:
        super().__init__(orientation)
        self.setAccessibleName(name)
        self.setChildrenCollapsible(False)

    def createHandle(self) -> QSplitterHandle:  # noqa: N802 - Qt's name
        return _Handle(self.orientation(), self)


def side_by_side(left: QWidget, right: QWidget, widths: tuple[int, int], name: str) -> Splitter:
    """A splitter with a thin handle."""
    splitter = Splitter(name)
    for position, widget in enumerate((left, right)):
        splitter.addWidget(widget)
        splitter.setStretchFactor(position, 1)
    splitter.setSizes([*widths])
    splitter.setHandleWidth(1)
    return splitter
