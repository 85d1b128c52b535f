"""A row of recent views on the start page, each a picture with its name and place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from zarrbrowser.drawing.elided import elided
from zarrbrowser.session.saved_views.recent_views import RecentView
from zarrbrowser.session.saved_views.view import SavedView
from zarrbrowser.session.sources import short_name
from zarrbrowser.theme import current_colours
from zarrbrowser.widgets.tooltip import tooltip

PICTURE = QSize(160, 104)
_PADDING, _SPACING = 8, 12


class ViewCard(QPushButton):
    """The picture of a view, and below it its title and its source."""

    def __init__(self, recent: RecentView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = recent.view
        self._picture = QPixmap()
        self._picture.loadFromData(recent.png, "PNG")
        path = self.view.request.path
        self.place = short_name(self.view.request.shown_address) + ("" if path == "/" else path)
        self.setProperty("role", "card")
        self.setAccessibleName(f"{self.view.title}, {self.place}")
        self.setToolTip(tooltip(self.view.address))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.ensurePolished()  # the stylesheet may change the font
        height = PICTURE.height() + 2 * self.fontMetrics().height() + 3 * _PADDING
        self.setFixedSize(PICTURE.width() + 2 * _PADDING, height)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the picture and two lines of text on the button."""
        super().paintEvent(event)
        painter, colours, metrics = QPainter(self), current_colours(), self.fontMetrics()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        ground = QRectF(_PADDING, _PADDING, PICTURE.width(), PICTURE.height())
        painter.fillRect(ground, colours.canvas)
        if not self._picture.isNull():
            size = self._picture.size().scaled(PICTURE, Qt.AspectRatioMode.KeepAspectRatio)
            place = QRectF(0, 0, size.width(), size.height())
            place.moveCenter(ground.center())
            painter.drawPixmap(place, self._picture, QRectF(self._picture.rect()))
        line = QRectF(_PADDING, ground.bottom() + _PADDING, PICTURE.width(), metrics.height())
        for text, colour in ((self.view.title, colours.text), (self.place, colours.muted)):
            painter.setPen(colour)
            shown = elided(text, metrics, PICTURE.width())
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
            line.translate(0, metrics.height())
        painter.end()


class ViewCards(QWidget):
    """As many cards as fit into one row; the menu has all recent views.

    Signals:
        chosen: the `SavedView` of a card.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cards: list[ViewCard] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(_SPACING)
        self._row.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_views(self, views: Sequence[RecentView]) -> None:
        """Show views, the latest first."""
        for card in self.cards:
            self._row.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards = [ViewCard(view, self) for view in views]
        for card in self.cards:
            card.clicked.connect(partial(self._choose, card.view))
            self._row.addWidget(card)
        self._fit()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """One card."""
        return self.cards[0].size() if self.cards else QSize()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Show as many as fit."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        width = PICTURE.width() + 2 * _PADDING + _SPACING
        fitting = max(1, (self.width() + _SPACING) // width)
        for number, card in enumerate(self.cards):
            card.setVisible(number < fitting)

    def _choose(self, view: SavedView, _checked: bool = False) -> None:
        self.chosen.emit(view)
