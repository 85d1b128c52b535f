"""The grid of thumbnails: draws the cells in view, and reports which these are."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from zarrbrowser.gallery.cells import Cell
from zarrbrowser.gallery.thumbnail import Missing, Thumbnail, paint_thumbnail
from zarrbrowser.panes.gallery.gallery_model import GalleryModel
from zarrbrowser.panes.gallery.thumbnail_loader import ThumbnailLoader
from zarrbrowser.theme import current_colours
from zarrcore.typing import AnyArray

SMALLEST, LARGEST, LIST_SIDE = 22, 384, 168
_FITTED_LARGEST = 168
_GAP = 4
PIXMAP_BYTES = 160 * 2**20
"""Room for the thumbnails on a screen with four times as many pixels as usual."""
_CAPTION_FROM = 72
"""Smaller cells of a plate have no caption: the headers name them."""
_SOON_MS = 15
_RECOLOUR_MS = 100
"""The first thumbnails change the shared contrast one after another."""
_SLICE_S = 0.008

_Index = QModelIndex | QPersistentModelIndex


class GalleryView(QTableView):
    """Shows a `GalleryModel` with the thumbnails of a `ThumbnailLoader`.

    Attributes:
        colour_map: for images whose metadata give no colours.
        shares_contrast: whether all thumbnails have the same contrast.

    Signals:
        chosen: the path of a cell that the user opens.
        current_changed: the path of the current cell; empty for a position without a well.
        looked_elsewhere: other cells are in view, or cells have another size.
    """

    chosen = Signal(str)
    current_changed = Signal(str)
    looked_elsewhere = Signal()

    def __init__(self, model: GalleryModel, loader: ThumbnailLoader, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.gallery_model, self.loader = model, loader
        self.colour_map, self.shares_contrast = "gray", True
        self._side, self._is_fitted = LIST_SIDE, True
        self._pixmaps: OrderedDict[str, tuple[Thumbnail, QPixmap]] = OrderedDict()
        self._pixmap_bytes = 0
        self._due: dict[str, None] = {}
        """The paths of cells whose picture is to be drawn or drawn again."""
        self._pressed: QPersistentModelIndex | None = None
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(self._looked_elsewhere)
        self._recolouring = QTimer(self, singleShot=True, interval=_RECOLOUR_MS)
        self._recolouring.timeout.connect(self.recolour)
        self._painting = QTimer(self, singleShot=True, interval=0)
        self._painting.timeout.connect(self._paint_due)
        self.setModel(model)
        self.setAccessibleName("thumbnails")
        self.setItemDelegate(_Delegate(self))
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setCornerButtonEnabled(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setMinimumSectionSize(SMALLEST)
            header.setDefaultAlignment(Qt.AlignmentFlag.AlignCenter)
            header.setSectionsClickable(False)
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.valueChanged.connect(lambda _value: self._soon.start())
        model.modelReset.connect(self._model_reset)
        loader.arrived.connect(self._arrived)
        loader.recoloured.connect(self._recolouring.start)

    @property
    def side(self) -> int:
        """The width of a cell in pixels of the screen's unit."""
        return self._side

    @property
    def samples(self) -> int:
        """The number of samples along a thumbnail's side that the screen can show: a power of two."""
        wanted = (self._side - _GAP) * self.devicePixelRatioF()
        return 1 << max(4, math.ceil(math.log2(max(1.0, wanted))))

    def cells_in_view(self) -> list[Cell]:
        """The visible cells, row by row."""
        model, port = self.gallery_model, self.viewport()
        if not model.rowCount() or not model.columnCount():
            return []
        top, left = max(0, self.rowAt(0)), max(0, self.columnAt(0))
        bottom, right = self.rowAt(port.height() - 1), self.columnAt(port.width() - 1)
        bottom = model.rowCount() - 1 if bottom < 0 else bottom
        right = model.columnCount() - 1 if right < 0 else right
        indices = (
            model.index(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)
        )
        return [cell for index in indices if (cell := model.cell(index)) is not None]

    def current_path(self) -> str:
        """The path of the current cell; empty without one."""
        cell = self.gallery_model.cell(self.currentIndex())
        return cell.path if cell is not None else ""

    def go(self, path: str) -> None:
        """Make a cell the current one and scroll to it."""
        index = self.gallery_model.index_of(path)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)

    def fit(self) -> None:
        """Show a whole plate, or images of the usual size."""
        self._is_fitted = True
        self._fit()

    def zoom(self, factor: float) -> None:
        """Make the cells larger or smaller."""
        self._is_fitted = False
        self._set_side(round(self._side * factor))

    def set_side(self, side: int) -> None:
        """Give the cells a width."""
        self._is_fitted = False
        self._set_side(side)

    @property
    def is_fitted(self) -> bool:
        """Whether cells change their size with the window."""
        return self._is_fitted

    def recolour(self) -> None:
        """Draw all thumbnails again, in the present colours; each keeps its old picture until then."""
        in_view = [cell.path for cell in self.cells_in_view()]
        self._pixmaps = OrderedDict((path, self._pixmaps[path]) for path in in_view if path in self._pixmaps)
        self._pixmap_bytes = sum(_nbytes(pixmap) for _, pixmap in self._pixmaps.values())
        self._paint_later(in_view)

    def pixmap(self, cell: Cell) -> QPixmap | None:
        """The picture of a cell; None before it is drawn."""
        known = self._pixmaps.get(cell.path)
        return known[1] if known is not None else None

    def _paint_later(self, paths: Iterable[str]) -> None:
        self._due |= dict.fromkeys(path for path in paths if self.loader.thumbnail(path) is not None)
        if self._due:
            self._painting.start()

    def _paint_due(self) -> None:
        """Draw pictures for a few milliseconds: those of a whole plate at once would block the window."""
        ends_s = time.perf_counter() + _SLICE_S
        while self._due and time.perf_counter() < ends_s:
            path = next(iter(self._due))
            del self._due[path]
            thumbnail = self.loader.thumbnail(path)
            if thumbnail is None:
                continue
            levels = self.loader.contrast.levels(thumbnail) if self.shares_contrast else None
            self._keep(path, thumbnail, _pixmap(paint_thumbnail(thumbnail, self.colour_map, levels)))
            self._update_cell(path)
        if self._due:
            self._painting.start()

    def _keep(self, path: str, thumbnail: Thumbnail, pixmap: QPixmap) -> None:
        """Keep a picture. If that takes too much memory, drop those that were in view longest ago."""
        before = self._pixmaps.pop(path, None)
        self._pixmap_bytes -= 0 if before is None else _nbytes(before[1])
        self._pixmaps[path] = thumbnail, pixmap
        self._pixmap_bytes += _nbytes(pixmap)
        while self._pixmap_bytes > PIXMAP_BYTES and len(self._pixmaps) > 1:
            self._pixmap_bytes -= _nbytes(self._pixmaps.popitem(last=False)[1][1])

    def _forget_pixmaps(self) -> None:
        self._pixmaps.clear()
        self._pixmap_bytes = 0

    def _looked_elsewhere(self) -> None:
        for cell in self.cells_in_view():
            if cell.path in self._pixmaps:
                self._pixmaps.move_to_end(cell.path)
        for_later = (cell.path for cell in self.cells_in_view() if cell.path not in self._pixmaps)
        self._paint_later(for_later)
        self.looked_elsewhere.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Enter opens the current cell, plus and minus zoom; in a list, Right goes on to the next row."""
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.currentIndex())
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1.25)
        elif key == Qt.Key.Key_Minus:
            self.zoom(0.8)
        elif not self._wrap(key):
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        super().mousePressEvent(event)
        is_left = event.button() is Qt.MouseButton.LeftButton
        self._pressed = QPersistentModelIndex(self.indexAt(event.position().toPoint())) if is_left else None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Open the cell that was clicked."""
        super().mouseReleaseEvent(event)
        pressed, self._pressed = self._pressed, None
        index = self.indexAt(event.position().toPoint())
        if pressed is not None and index.isValid() and pressed == index:
            self._choose(index)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        super().mouseMoveEvent(event)
        cell = self.gallery_model.cell(self.indexAt(event.position().toPoint()))
        shape = Qt.CursorShape.PointingHandCursor if cell is not None else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """With Ctrl, zoom."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(1.25 if event.angleDelta().y() > 0 else 0.8)
            event.accept()
        else:
            super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._fit()
        self._soon.start()

    def currentChanged(self, current: _Index, previous: _Index) -> None:  # noqa: N802 - Qt's name
        super().currentChanged(current, previous)
        cell = self.gallery_model.cell(current)
        self.current_changed.emit(cell.path if cell is not None else "")

    def keyboardSearch(self, search: str) -> None:  # noqa: N802 - Qt's name
        """Do not search for typed text: keys are commands here."""

    def _wrap(self, key: int) -> bool:
        """In a list, go from the end of a row to the start of the next one; whether it was done."""
        model, index = self.gallery_model, self.currentIndex()
        step = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(key, 0)  # type: ignore[call-overload]
        if not step or model.gallery is None or model.gallery.is_plate or not index.isValid():
            return False
        number = index.row() * model.columnCount() + index.column() + step
        if 0 <= number < len(model.gallery.cells):
            self.setCurrentIndex(model.index(*divmod(number, model.columnCount())))
        return True

    def _choose(self, index: _Index) -> None:
        cell = self.gallery_model.cell(index)
        if cell is not None and not isinstance(self.loader.problem(cell.path), Missing):
            self.chosen.emit(cell.path)

    def _model_reset(self) -> None:
        gallery = self.gallery_model.gallery
        is_plate = gallery is not None and gallery.is_plate
        self.horizontalHeader().setVisible(is_plate)
        self.verticalHeader().setVisible(is_plate)
        self._forget_pixmaps()
        self._due.clear()
        self._fit()
        self._apply_side()
        self._soon.start()

    def _fit(self) -> None:
        """Choose the size of cells for the window, unless the user chose one; and the columns of a list."""
        gallery, port = self.gallery_model.gallery, self.viewport()
        if gallery is None:
            return
        side = self._side
        if self._is_fitted:
            side = LIST_SIDE
            if gallery.is_plate:
                sides = port.width() // len(gallery.columns), port.height() // len(gallery.rows)
                side = min(*sides, _FITTED_LARGEST)
        self._set_side(side)

    def _set_side(self, side: int) -> None:
        side = min(max(side, SMALLEST), LARGEST)
        if side != self._side:
            self._side = side
            self._apply_side()
        if self.gallery_model.gallery is not None and not self.gallery_model.gallery.is_plate:
            path = self.current_path()
            self.gallery_model.fit_columns(self.viewport().width() // self._side)
            if path and not self.current_path():
                self.go(path)

    def _apply_side(self) -> None:
        """Set the default size, which all sections have; Qt does not adapt the scroll bars to it by itself."""
        self.horizontalHeader().setDefaultSectionSize(self._side)
        self.verticalHeader().setDefaultSectionSize(self._side + self.caption_height())
        self.updateGeometries()
        self.viewport().update()
        self._soon.start()

    def caption_height(self) -> int:
        """The height of the text below a thumbnail; 0 in a plate, whose headers name the cells."""
        gallery = self.gallery_model.gallery
        return 0 if gallery is None or gallery.is_plate else self.fontMetrics().height() + 4

    def _arrived(self, path: str) -> None:
        self._update_cell(path)
        self._paint_later([path])

    def _update_cell(self, path: str) -> None:
        index = self.gallery_model.index_of(path)
        if index.isValid():
            self.viewport().update(self.visualRect(index))


class _Delegate(QStyledItemDelegate):
    """Draws a thumbnail, or a sign for what is not there."""

    def __init__(self, view: GalleryView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:  # noqa: N802 - Qt's name
        return QSize(self._view.side, self._view.side + self._view.caption_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        view, colours = self._view, current_colours()
        cell = view.gallery_model.cell(index)
        outer: QRect = option.rect
        caption = view.caption_height()
        frame = outer.adjusted(_GAP // 2, _GAP // 2, -_GAP // 2, -_GAP // 2 - caption)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if cell is None:
            painter.fillRect(frame, QColor(colours.window))
        else:
            painter.fillRect(frame, QColor(colours.canvas))
            self._draw(painter, frame, cell, view.pixmap(cell))
            if caption:
                below = QRect(outer.left() + 2, frame.bottom() + 1, outer.width() - 4, caption)
                text = view.fontMetrics().elidedText(cell.name, Qt.TextElideMode.ElideMiddle, below.width())
                painter.setPen(QColor(colours.text))
                painter.drawText(below, Qt.AlignmentFlag.AlignCenter, text)
        if index == view.currentIndex():
            painter.setPen(QPen(QColor(colours.accent), 3))
            painter.drawRect(frame.adjusted(0, 0, -1, -1))
        painter.restore()

    def _draw(self, painter: QPainter, frame: QRect, cell: Cell, pixmap: QPixmap | None) -> None:
        view, colours = self._view, current_colours()
        problem = view.loader.problem(cell.path)
        if pixmap is not None:
            thumbnail = view.loader.thumbnail(cell.path)
            ratio = thumbnail.proportion if thumbnail is not None else 1.0
            painter.drawPixmap(_inside(frame, ratio), pixmap)
            return
        if problem is None:
            return
        is_missing = isinstance(problem, Missing)
        painter.fillRect(frame, QBrush(QColor(colours.border), Qt.BrushStyle.BDiagPattern))
        painter.setPen(QColor(colours.muted if is_missing else colours.warning))
        word = "missing" if is_missing else "no picture"
        metrics = QFontMetrics(view.font())
        if metrics.horizontalAdvance(word) + 8 > frame.width():
            word = "–" if is_missing else "!"
        size = QSize(min(frame.width(), metrics.horizontalAdvance(word) + 10), metrics.height() + 2)
        middle = QRect(
            frame.center().x() - size.width() // 2,
            frame.center().y() - size.height() // 2,
            size.width(),
            size.height(),
        )
        painter.fillRect(middle, QColor(colours.canvas))
        painter.drawText(middle, Qt.AlignmentFlag.AlignCenter, word)


def _inside(frame: QRect, ratio: float) -> QRect:
    """The largest rectangle with a ratio of width to height in the middle of a frame; very long ones are stretched."""
    ratio = min(max(ratio, 1 / 8), 8.0) if ratio > 0 else 1.0
    width = min(frame.width(), round(frame.height() * ratio))
    height = min(frame.height(), round(frame.width() / ratio))
    size = QSize(max(1, width), max(1, height))
    return QRect(
        frame.center().x() - size.width() // 2 + 1,
        frame.center().y() - size.height() // 2 + 1,
        size.width(),
        size.height(),
    )


def _nbytes(pixmap: QPixmap) -> int:
    return pixmap.width() * pixmap.height() * pixmap.depth() // 8


def _pixmap(pixels: AnyArray) -> QPixmap:
    height, width, _ = pixels.shape
    plain = np.ascontiguousarray(pixels)
    image = QImage(plain.data, width, height, 4 * width, QImage.Format.Format_RGBA8888)
    return QPixmap.fromImage(image)  # a copy
