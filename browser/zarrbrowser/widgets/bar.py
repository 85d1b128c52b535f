"""A bar of controls above a pane; in a narrow window some move into a menu."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QWidget

from zarrbrowser.widgets.buttons import tool_button


class Bar(QFrame):
    """A row of controls.

    Attributes:
        row: the layout of the controls.
        folds_away: buttons that are always in the menu at the end: few need them.
        gives_way: controls to hide when the bar is too narrow, in this order. Hidden buttons move into a menu at the end.
        least_width: in pixels; the bar fits in it with all of these hidden.
    """

    least_width = 0

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.folds_away: Sequence[QToolButton] = ()
        self.gives_way: Sequence[QWidget] = ()
        self._needs: list[tuple[bool, int]] = []
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(12, 6, 8, 6)
        self.row.setSpacing(6)
        self.more = tool_button("", "More controls")
        self.more.setParent(self)
        self.more.setText("»")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.more)
        menu.aboutToShow.connect(lambda: self._fill(menu))
        self.more.setMenu(menu)
        self.more.hide()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        hint = super().minimumSizeHint()
        return QSize(self.least_width or hint.width(), hint.height())

    def event(self, event: QEvent) -> bool:
        """Hide optional controls, or show them again, once others have changed: often many at a time."""
        done = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest and self._what_it_needs() != self._needs:
            self.make_room()
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Hide optional controls if the bar is too narrow."""
        super().resizeEvent(event)
        self.make_room()

    def make_room(self) -> None:
        """Hide optional controls if the bar is too narrow: also when another control appears or grows."""
        self._needs = self._what_it_needs()
        for widget in self.gives_way:
            widget.show()
        for button in self.folds_away:
            button.hide()
        self.more.setVisible(bool(self.folds_away))
        for widget in self.gives_way:
            self.row.activate()
            if self.row.minimumSize().width() <= self.width():
                return
            widget.hide()
            if isinstance(widget, QToolButton):
                self.more.show()

    def _what_it_needs(self) -> list[tuple[bool, int]]:
        """What decides which optional controls have room, beside the bar's width."""
        items = map(self.row.itemAt, range(self.row.count()))
        widgets = [item.widget() for item in items if item is not None]
        return [
            (one in self.gives_way or not one.isHidden(), one.minimumSizeHint().width())
            for one in widgets
            if one is not None and one is not self.more
        ]

    def _fill(self, menu: QMenu) -> None:
        menu.clear()
        for button in (*self.gives_way, *self.folds_away):
            if isinstance(button, QToolButton) and button.isHidden():
                action = self._entry(menu, button)
                action.setText(button.toolTip())
                action.setIcon(button.icon())
                action.setEnabled(button.isEnabled())

    def _entry(self, menu: QMenu, button: QToolButton) -> QAction:
        """An entry that does what a button does, or opens its menu."""
        inner = button.menu()
        if inner is not None:
            return menu.addMenu(inner)
        action = menu.addAction("", button.click)
        action.setCheckable(button.isCheckable())
        action.setChecked(button.isChecked())
        return action
