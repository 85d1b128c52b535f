"""The tabs of a node: the one that the user chose last is shown for each node that has it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QTabBar

from zarrbrowser.session.state import Session


class NodeTabs(QTabBar):
    """The titles of the panes of a node."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setAccessibleName("views of the node")
        self.tabBarClicked.connect(self._clicked)

    @property
    def names(self) -> list[str]:
        """All tabs."""
        return [self.tabText(position) for position in range(self.count())]

    @property
    def current(self) -> str:
        """The current tab; empty without any."""
        return self.tabText(self.currentIndex())

    def first_of(self, names: Sequence[str]) -> str:
        """The tab to show first: the one that the user chose last, if the node has it."""
        return self._session.tab if self._session.tab in names else names[0]

    def show_names(self, names: Sequence[str]) -> None:
        """Replace all tabs, without a signal."""
        with QSignalBlocker(self):
            while self.count():
                self.removeTab(0)
            for name in names:
                self.addTab(name)
            self.setCurrentIndex(names.index(self.first_of(names)))

    def turn(self, by: int) -> None:
        """Select the next or previous tab, the first after the last."""
        if self.count():
            position = (self.currentIndex() + by) % self.count()
            self.setCurrentIndex(position)
            self._clicked(position)

    def _clicked(self, position: int) -> None:
        if position >= 0:
            # Each kind of node has another first tab, so its name cannot be the one chosen for all nodes.
            self._session.tab = self.tabText(position) if position > 0 else ""
