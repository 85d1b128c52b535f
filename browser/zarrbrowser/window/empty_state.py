"""The start page, shown while no source is open."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.theme import current_colours, icon
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.tooltip import tooltip

_EXAMPLES = (
    ("A folder or zip", "/data/scan.zarr"),
    ("On S3, Google Cloud or Azure", "s3://bucket/scan.zarr"),
    ("On the web", "https://example.org/scan.zarr"),
)
_RECENT_SHOWN = 5


class EmptyState(QWidget):
    """Buttons to open a source, examples of addresses, and recent sources.

    Signals:
        open_pressed: the user wants to choose a folder.
        entered: a recent address was chosen.
        location_pressed: the user wants to enter a location with connection options.
    """

    open_pressed = Signal()
    location_pressed = Signal()
    entered = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = QLabel()
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        self._recent_heading = label("Recent", "heading")
        inside = QVBoxLayout()
        inside.setSpacing(8)
        inside.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addWidget(label("Open a Zarr hierarchy", "title"), 0, Qt.AlignmentFlag.AlignHCenter)
        words = label("Drop a folder here, open one, or type a path or URL above.", "muted")
        inside.addWidget(words, 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addSpacing(8)
        self.open_button = push_button(
            "Open folder…", self.open_pressed.emit, drawing="folder-open", role="primary"
        )
        self.location_button = push_button("Open location…", self.location_pressed.emit)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.open_button)
        buttons.addWidget(self.location_button)
        buttons.addStretch(1)
        inside.addLayout(buttons)
        inside.addSpacing(20)
        inside.addLayout(self._examples())
        inside.addSpacing(12)
        inside.addWidget(self._recent_heading)
        inside.addLayout(self._recent)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addLayout(inside)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.addStretch(2)
        column.addLayout(row)
        column.addStretch(3)
        self.show_recent([])
        self.update_colours()

    def show_recent(self, requests: list[SourceRequest]) -> None:
        """Show recent sources."""
        while (item := self._recent.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for address in [request.address for request in requests[:_RECENT_SHOWN]]:
            choose = partial(self.entered.emit, address)
            shown = self.fontMetrics().elidedText(address, Qt.TextElideMode.ElideMiddle, 420)
            button = push_button(shown.replace("&", "&&"), choose, role="link")
            button.setToolTip(tooltip(address))
            self._recent.addWidget(button)
        self._recent_heading.setVisible(bool(requests))

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self._picture.setPixmap(icon("zarrscope", current_colours().accent).pixmap(QSize(72, 72)))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw a dashed frame, to mark the drop target."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(QColor(current_colours().border), 2, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(20, 20, -20, -20), 12, 12)

    def _examples(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(20)
        grid.setVerticalSpacing(4)
        for row, (what, example) in enumerate(_EXAMPLES):
            grid.addWidget(label(what, "muted"), row, 0)
            grid.addWidget(label(example, selectable=True), row, 1)
        grid.setColumnStretch(1, 1)
        return grid
