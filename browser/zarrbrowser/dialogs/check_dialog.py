"""The progress and the findings of a check, beside the window, which stays usable."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QProgressBar,
    QTabBar,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from zarrbrowser.models.finding_model import FindingModel
from zarrbrowser.session.checking import Checked, Kind, Tallies
from zarrbrowser.theme.motion import is_reduced
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.label import ElidedLabel, label
from zarrcore.printable import printable

_SIZE, _WIDTHS = QSize(760, 460), (80, 220)
_KINDS = (None, *Kind)


class CheckDialog(QDialog):
    """Shows a check.

    Args:
        title: names what is checked.

    Signals:
        chosen: the finding whose place the user wants to see.
        started: the user wants the check to run again.
        stopped: the user wants it to stop.
    """

    chosen = Signal(object)
    started = Signal()
    stopped = Signal()

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Check of {printable(title)}")
        self.resize(_SIZE)
        self.tallies, self._now = Tallies(), ""
        self.model = FindingModel(self)
        self.state = ElidedLabel("muted")
        self.summary = label(role="heading")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(120)
        self.progress.setAccessibleName("progress of the check")
        self.kinds = QTabBar()
        self.kinds.setProperty("role", "switch")
        self.kinds.setDrawBase(False)
        self.kinds.setExpanding(False)
        self.kinds.setAccessibleName("kind of finding")
        for _kind in _KINDS:
            self.kinds.addTab("")
        self.list = QTreeView()
        self.list.setModel(self.model)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.setAccessibleName("findings")
        header = self.list.header()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(len(_WIDTHS), QHeaderView.ResizeMode.Stretch)
        for number, width in enumerate(_WIDTHS):
            self.list.setColumnWidth(number, width)
        self.whole = label(role="muted", selectable=True, wrap=True)
        self.go_button = push_button("Show place", self.go, role="primary")
        self.copy_button = push_button("Copy key", self.copy, drawing="copy")
        self.stop_button = push_button("Stop", self.stopped.emit)
        self.again_button = push_button("Check again", self.started.emit, drawing="retry")
        for button in (self.go_button, self.copy_button, self.stop_button, self.again_button):
            button.setAutoDefault(False)  # Enter in the list shows the place
        self._build()
        self.kinds.currentChanged.connect(self._kind_chosen)
        self.list.activated.connect(lambda _index: self.go())
        self.list.selectionModel().currentChanged.connect(lambda _now, _before: self._follow())
        self.model.modelReset.connect(self._follow)
        self._follow()

    def begin(self) -> None:
        """Show a check that has just started."""
        self.tallies, self._now = Tallies(), ""
        self.model.clear()
        self.progress.setRange(0, 100 if is_reduced() else 0)  # 0 to 0 moves to and fro
        self.progress.setValue(0)
        self._running(is_on=True)
        self.state.set_text("Checking…")
        self._show_counts()

    def add(self, checked: Checked) -> None:
        """Show more findings, and how far the check is."""
        self.tallies.add(checked)
        self.model.add(checked.findings)
        if checked.total:
            self.progress.setRange(0, checked.total)
            self.progress.setValue(checked.done)
        self._now = f"{printable(checked.path)}: {checked.done:,} of {checked.total:,} chunks"
        self.state.set_text(f"Checking {self._now}" if checked.path else "Checking…")
        self._show_counts()

    def end(self, text: str = "") -> None:
        """Show that the check has ended, was stopped, or failed."""
        self._running(is_on=False)
        self.state.set_text(text or "Everything was checked")
        self._show_counts()

    def go(self) -> None:
        """Show the place of the current finding in the window."""
        finding = self.model.finding(self.list.currentIndex())
        if finding is not None:
            self.chosen.emit(finding)

    def copy(self) -> None:
        """Copy the key of the current finding."""
        finding = self.model.finding(self.list.currentIndex())
        if finding is not None and finding.key:
            QGuiApplication.clipboard().setText(finding.key)

    def _build(self) -> None:
        top, row, bottom = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        top.addWidget(self.summary)
        top.addStretch(1)
        top.addWidget(self.stop_button)
        top.addWidget(self.again_button)
        row.addWidget(self.progress)
        row.addWidget(self.state, 1)
        bottom.addWidget(self.whole, 1)
        bottom.addWidget(self.copy_button, 0, Qt.AlignmentFlag.AlignTop)
        bottom.addWidget(self.go_button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(10)
        column.addLayout(top)
        column.addLayout(row)
        column.addWidget(self.kinds, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.list, 1)
        column.addLayout(bottom)

    def _running(self, *, is_on: bool) -> None:
        self.progress.setVisible(is_on)
        self.stop_button.setVisible(is_on)
        self.again_button.setVisible(not is_on)

    def _kind_chosen(self, number: int) -> None:
        self.model.show_kind(_KINDS[number])

    def _show_counts(self) -> None:
        self.summary.setText(self.tallies.summary)
        for number, kind in enumerate(_KINDS):
            counts = self.tallies.kinds
            found = counts.total() if kind is None else counts[kind]
            self.kinds.setTabText(number, f"{'All' if kind is None else kind.value}  {found:,}")

    def _follow(self) -> None:
        finding = self.model.finding(self.list.currentIndex())
        self.go_button.setEnabled(finding is not None)
        self.copy_button.setEnabled(finding is not None and bool(finding.key))
        self.whole.setText("" if finding is None else printable(finding.sentence))
