"""The start page, shown while no source is open."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QLayout, QPushButton, QVBoxLayout, QWidget

from zarrbrowser.session.saved_views.recent_views import RecentView
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.theme import current_colours, icon
from zarrbrowser.widgets.buttons import push_button
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.scrolled import Scrolled
from zarrbrowser.widgets.tooltip import tooltip
from zarrbrowser.window.saved_views.view_cards import ViewCards

_EXAMPLES = (
    ("A folder or zip file", "/data/scan.zarr"),
    ("An HDF5, NetCDF or TIFF file", "/data/scan.h5"),
    ("On S3, Google Cloud or Azure", "s3://bucket/scan.zarr"),
    ("On the web", "https://example.org/scan.zarr"),
)
_RECENT_SHOWN = 5
_FRAME, _MARGIN = 24, 20
_INSIDE = (20, 20, -20, -20)
"""The frame's distance from the edges of the page."""


class EmptyState(QWidget):
    """Buttons to open a source, and recent views and sources; examples of addresses while there are no views.

    Signals:
        open_pressed: the user wants to choose a file or folder.
        example_pressed: the user wants to see something without data of their own.
        entered: a recent address was chosen.
        location_pressed: the user wants to enter a location with connection options.
        view_chosen: the `SavedView` of a recent view was chosen.
        appeared: the page is shown; recent views may have changed.
    """

    open_pressed = Signal()
    example_pressed = Signal()
    location_pressed = Signal()
    entered = Signal(str)
    view_chosen = Signal(object)
    appeared = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture = QLabel()
        self.open_button = push_button("Open…", self.open_pressed.emit, drawing="folder-open", role="primary")
        self.location_button = push_button("Open location…", self.location_pressed.emit)
        self.example_button = push_button("Show an example", self.example_pressed.emit)
        self.example_button.setToolTip("A small brain, computed on the spot")
        self._examples = _examples()
        self._views_heading = label("Recent views", "heading")
        self.cards = ViewCards()
        self.cards.chosen.connect(self.view_chosen)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        self._links: list[QPushButton] = []
        self._recent_heading = label("Recent sources", "heading")
        page = Scrolled("page")
        page.setProperty("role", "page")
        page.inside.setAutoFillBackground(False)  # the frame around the page is drawn below it
        inside = QVBoxLayout(page.inside)
        inside.setContentsMargins(_MARGIN, 8, _MARGIN, 8)
        inside.setSpacing(8)
        inside.addLayout(_centred(self._invitation()))
        inside.addSpacing(12)
        inside.addLayout(_centred(self._examples))
        inside.addWidget(self._views_heading, 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addWidget(self.cards)
        inside.addSpacing(4)
        below = QVBoxLayout()
        below.addWidget(self._recent_heading)
        below.addLayout(self._recent)
        inside.addLayout(_centred(below))
        self._page = page
        column = QVBoxLayout(self)
        column.setContentsMargins(_FRAME, _FRAME, _FRAME, _FRAME)
        column.addStretch(2)
        column.addWidget(page)
        column.addStretch(3)
        self.show_recent([])
        self.show_views([])
        self.update_colours()

    def show_recent(self, requests: list[SourceRequest]) -> None:
        """Show recent sources."""
        self._links.clear()
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
            self._links.append(button)
        self._recent_heading.setVisible(bool(requests))
        self._settle()

    def show_views(self, views: Sequence[RecentView]) -> None:
        """Show recent views, the latest first; who has some needs no examples."""
        self.cards.show_views(views)
        for widget in (self.cards, self._views_heading):
            widget.setVisible(bool(views))
        self.example_button.setVisible(not views)
        self._examples.setVisible(not views)
        self._settle()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Report that the page is shown."""
        super().showEvent(event)
        if not event.spontaneous():
            self.appeared.emit()

    def update_colours(self) -> None:
        """Apply the colours of the application's theme."""
        self._picture.setPixmap(icon("zarrscope", current_colours().accent).pixmap(QSize(72, 72)))
        self.cards.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw a dashed frame, to mark the drop target."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(QColor(current_colours().border), 2, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(*_INSIDE), 12, 12)

    def _settle(self) -> None:
        """Lay out the changed page, and let Tab go through it from top to bottom."""
        self._page.fit_inside()
        for before, after in pairwise([self.example_button, *self.cards.cards, *self._links]):
            QWidget.setTabOrder(before, after)

    def _invitation(self) -> QVBoxLayout:
        """The icon, what to do, and the buttons."""
        column = QVBoxLayout()
        column.setSpacing(8)
        column.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(label("Open data", "title"), 0, Qt.AlignmentFlag.AlignHCenter)
        words = label("Drop a folder or file here, open one, or type a path or URL above.", "muted")
        column.addWidget(words, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(8)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.open_button)
        buttons.addWidget(self.location_button)
        buttons.addWidget(self.example_button)
        buttons.addStretch(1)
        column.addLayout(buttons)
        return column


def _centred(inner: QLayout | QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.addStretch(1)
    if isinstance(inner, QWidget):
        row.addWidget(inner)
    else:
        row.addLayout(inner)
    row.addStretch(1)
    return row


def _examples() -> QWidget:
    made = QWidget()
    grid = QGridLayout(made)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(20)
    grid.setVerticalSpacing(4)
    for row, (what, example) in enumerate(_EXAMPLES):
        grid.addWidget(label(what, "muted"), row, 0)
        grid.addWidget(label(example, selectable=True), row, 1)
    grid.setColumnStretch(1, 1)
    return made
