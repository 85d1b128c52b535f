"""The bar at the top: buttons to open sources, the address, the menu."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QToolButton,
    QWidget,
)

from zarrbrowser.session.completion import folders_like
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.widgets.accessible_names import name_box
from zarrbrowser.widgets.buttons import ICON, colour, tool_button
from zarrbrowser.widgets.completion import suggest
from zarrbrowser.workers import Lane, Workers

_VERSION_LENGTH = 14
"""Characters of a version that the box always shows."""
_SCROLL_BAR = 24
"""Pixels that the list of versions needs besides its texts."""


_OPEN = QKeySequence("Ctrl+Shift+Z")


class _AddressLine(QLineEdit):
    """A line that leaves the key that opens a file to the window; Qt would use it to redo an edit."""

    def event(self, event: QEvent) -> bool:
        overrides = event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if overrides and QKeySequence(cast("QKeyEvent", event).keyCombination()) == _OPEN:
            event.ignore()
            return True
        return super().event(event)


class TopBar(QFrame):
    """The Open button with recent sources, the address field, the menu.

    Signals:
        entered: an address, typed or chosen among the recent ones.
        open_pressed: the user wants to choose a file or folder.
        location_pressed: the user wants to enter a location with connection options.
    """

    entered = Signal(str)
    open_pressed = Signal()
    location_pressed = Signal()

    def __init__(self, workers: Workers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._completing = Lane(workers, in_flight=1)
        self.setProperty("role", "bar")
        self.tree_button = tool_button("sidebar", "Show, hide tree (F9)")
        self.tree_button.setCheckable(True)
        self.tree_button.setChecked(True)
        self.back_button = tool_button("back", "Back (Alt+Left)")
        self.forward_button = tool_button("forward", "Forward (Alt+Right)")
        self.open_button = QToolButton()
        self.open_button.setText("Open")
        self.open_button.setToolTip("Open a file or folder (Ctrl+O); the arrow shows recent sources")
        self.open_button.setProperty("role", "open")
        self.open_button.setProperty("drawing", "folder-open")
        self.open_button.setIconSize(ICON)
        self.open_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.open_button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self.open_button.clicked.connect(lambda _checked: self.open_pressed.emit())
        colour(self.open_button)
        self.recent_menu = QMenu(self)
        self.open_button.setMenu(self.recent_menu)
        self.address = _AddressLine()
        self.address.setPlaceholderText("Path or URL:  /data/scan.zarr   s3://bucket/scan.zarr   https://…")
        self.address.setAcceptDrops(False)  # the window handles drops, here too
        self.address.setAccessibleName("path or URL of a source")
        self.address.returnPressed.connect(self._enter)
        self.address.textEdited.connect(self._complete)
        self.version_box = QComboBox()
        self.version_box.setToolTip("Version of this repository")
        name_box(self.version_box, "version of the repository")
        self.version_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.version_box.setMinimumContentsLength(_VERSION_LENGTH)
        self.version_box.activated.connect(lambda row: self.entered.emit(self.version_box.itemData(row)))
        self.version_box.hide()
        self._recent: list[str] = []
        self._completions = suggest(self.address)
        self.menu_button = tool_button("menu", "Menu")
        self.menu = QMenu(self)
        self.menu_button.setMenu(self.menu)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setIconSize(QSize(20, 20))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(self.tree_button)
        row.addWidget(self.open_button)
        ways = QHBoxLayout()
        ways.setSpacing(0)
        ways.addWidget(self.back_button)
        ways.addWidget(self.forward_button)
        row.addLayout(ways)
        row.addWidget(self.address, 1)
        row.addWidget(self.version_box)
        row.addWidget(self.menu_button)
        self.show_recent([])
        self.show_ways(back=False, forward=False)

    def show_ways(self, *, back: bool, forward: bool) -> None:
        """Enable or disable the buttons for back and forward."""
        self.back_button.setEnabled(back)
        self.forward_button.setEnabled(forward)

    def focus_address(self) -> None:
        """Focus the address field."""
        self.address.setFocus()
        self.address.selectAll()

    def offer(self, text: str, places: list[str]) -> None:
        """Offer completions of ``text`` besides recent sources, if it is still the typed text."""
        if self.address.text() != text:
            return
        offered = [*places, *(one for one in self._recent if one not in places)]
        if offered != self._completions.stringList():
            self._completions.setStringList(offered)
            if places and self.address.hasFocus():
                self.address.completer().complete()

    def typed(self) -> str:
        """The typed text that was not entered; empty if the field shows the present address."""
        return self.address.text().strip() if self.address.isModified() else ""

    def show_recent(self, requests: list[SourceRequest]) -> None:
        """Show recent sources in the menu."""
        self._recent = [request.address for request in requests]
        self._completions.setStringList(self._recent)
        self.recent_menu.clear()
        self.recent_menu.addAction("Open location…", self.location_pressed.emit)
        self.recent_menu.addSeparator()
        for request in requests:
            connection = Connection.of(request.options).describe()
            text = f"{request.address}    {connection}" if connection else request.address
            action = QAction(text.replace("&", "&&"), self.recent_menu)
            action.triggered.connect(lambda _checked=False, chosen=request.address: self.entered.emit(chosen))
            self.recent_menu.addAction(action)
        if not requests:
            self.recent_menu.addAction("No recent sources").setEnabled(False)

    def show_address(self, address: str) -> None:
        """Show the present address, unless the user is typing."""
        if not (self.address.hasFocus() and self.address.isModified()):
            self.address.setText(address)
            self.address.setCursorPosition(0)

    def show_versions(self, versions: Sequence[tuple[str, str]], present: str) -> None:
        """Offer the versions of a repository, each a label and an address; hide the box if there are none."""
        self.version_box.clear()
        for label, address in versions:
            self.version_box.addItem(label, address)
        self.version_box.setCurrentIndex(self.version_box.findData(present))
        view = self.version_box.view()
        view.setMinimumWidth(view.sizeHintForColumn(0) + _SCROLL_BAR)
        self.version_box.setVisible(bool(versions))

    def _complete(self, text: str) -> None:
        self._completing.ask(
            lambda _asked: folders_like(text),
            lambda places: self.offer(text, places),
            lambda _error: None,
        )

    def _enter(self) -> None:
        text = self.address.text().strip()
        if text:
            self.address.setModified(False)
            self.entered.emit(text)
