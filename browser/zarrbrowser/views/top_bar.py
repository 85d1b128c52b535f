"""The bar at the top: open something, and where we are."""

from __future__ import annotations

from PySide6.QtCore import QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCompleter, QFrame, QHBoxLayout, QLineEdit, QMenu, QToolButton, QWidget

from zarrbrowser.widgets.buttons import ICON, colour, tool_button


class TopBar(QFrame):
    """Open with recent sources, the address, the menu.

    Signals:
        entered: an address, typed or chosen among the recent ones.
        open_pressed: the person wants to choose a folder.
    """

    entered = Signal(str)
    open_pressed = Signal()

    def __init__(self, menu: QMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.open_button = QToolButton()
        self.open_button.setText("Open")
        self.open_button.setToolTip("Open a folder (Ctrl+O); the arrow shows recent sources")
        self.open_button.setProperty("role", "open")
        self.open_button.setProperty("drawing", "folder-open")
        self.open_button.setIconSize(ICON)
        self.open_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.open_button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self.open_button.clicked.connect(lambda _checked: self.open_pressed.emit())
        colour(self.open_button)
        self.recent_menu = QMenu(self)
        self.open_button.setMenu(self.recent_menu)
        self.address = QLineEdit()
        self.address.setPlaceholderText("Path or URL:  /data/scan.zarr   s3://bucket/scan.zarr   https://…")
        self.address.setAcceptDrops(False)  # the window opens what is dropped, here too
        self.address.setAccessibleName("path or URL of a source")
        self.address.returnPressed.connect(self._enter)
        self._completions = QStringListModel(self)
        completer = QCompleter(self._completions, self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.address.setCompleter(completer)
        self.menu_button = tool_button("menu", "Menu")
        self.menu_button.setMenu(menu)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setIconSize(QSize(20, 20))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(self.open_button)
        row.addWidget(self.address, 1)
        row.addWidget(self.menu_button)
        self.show_recent([])

    def show_recent(self, addresses: list[str]) -> None:
        """Offer the sources that were opened before."""
        self._completions.setStringList(addresses)
        self.recent_menu.clear()
        for address in addresses:
            action = QAction(address.replace("&", "&&"), self.recent_menu)
            action.triggered.connect(lambda _checked=False, chosen=address: self.entered.emit(chosen))
            self.recent_menu.addAction(action)
        if not addresses:
            self.recent_menu.addAction("Nothing was opened yet").setEnabled(False)

    def show_address(self, address: str) -> None:
        """Show where we are, unless the person is typing."""
        if not (self.address.hasFocus() and self.address.isModified()):
            self.address.setText(address)
            self.address.setCursorPosition(0)

    def _enter(self) -> None:
        text = self.address.text().strip()
        if text:
            self.address.setModified(False)
            self.entered.emit(text)
