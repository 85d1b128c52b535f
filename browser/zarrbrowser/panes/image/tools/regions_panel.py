"""The panel of regions: rectangles, ellipses and polygons over the picture, and a table of their statistics."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QItemSelectionModel, QObject, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from zarrbrowser.image.levels import Image
from zarrbrowser.image.regions.files import (
    MOST_NBYTES,
    MOST_REGIONS,
    BadRegionsError,
    csv_text,
    geojson,
    regions_of,
)
from zarrbrowser.image.regions.shapes import Point, Region, Shape
from zarrbrowser.image.regions.statistics import RegionStatistics, cost_of, measure_region
from zarrbrowser.image.state import Change, ImageState
from zarrbrowser.models.region_model import RegionModel
from zarrbrowser.nodes.read_cost import ASK_ABOVE_BYTES, ReadCost
from zarrbrowser.panes.image.canvas.canvas import Canvas
from zarrbrowser.panes.image.canvas.region_shapes import make_shape, place_shape, region_of
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.session.error_text import sentence
from zarrbrowser.theme.colours import DARK
from zarrbrowser.values.quantities import count, format_bytes
from zarrbrowser.widgets.buttons import push_button, tool_button
from zarrbrowser.widgets.completion import dress_suggestions
from zarrbrowser.widgets.label import label
from zarrbrowser.widgets.save_dialog import ask_for_file
from zarrbrowser.widgets.view_keys import Movable
from zarrbrowser.workers import Request, Workers

_HEIGHT = 156
_CALM_MS = 120
"""While a shape is dragged, it is measured only when it rests this long."""
_PLACES = 7
"""Places of new regions, one after the other."""
_CLOSE_PX = 10
"""A click this near to the first vertex closes a polygon."""


@dataclass(slots=True)
class _Entry:
    """A region in the picture; its statistics are None until they are computed."""

    region: Region
    shape: Any
    found: RegionStatistics | None = None


class RegionsPanel(QFrame):
    """Regions of one image; hidden while the tool is off.

    Signals:
        reported: what was written or read, or why not, for the status bar.
    """

    reported = Signal(str)

    def __init__(
        self, model: ImageModel, workers: Workers, canvas: Canvas, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "foot")
        self._model, self._workers, self._canvas = model, workers, canvas
        self.entries: list[_Entry] = []
        self._image: Image | None = None
        self._plane: Any = None
        """What the statistics are of: the plane and its numbers."""
        self._request: Request | None = None
        self._agreed_bytes = ASK_ABOVE_BYTES
        self._asked: ReadCost | None = None
        self._is_on = self._is_wanted = False
        """Whether regions are shown, and whether they are to be shown once the image is open."""
        self._names = 0
        self._shape = Shape.RECTANGLE
        """What dragging draws: the shape that was added last."""
        self._corners: list[Point] = []
        """The vertices of the polygon that is being drawn."""
        self._draft = pg.PlotCurveItem()
        self._draft.setZValue(11)
        canvas.view.addItem(self._draft, ignoreBounds=True)
        self.table_model = RegionModel(self)
        self.words = label(role="muted", wrap=True)
        self.masked = label(role="muted")
        self._said = ""
        self.go_on = push_button("Measure", self._agree)
        self._soon = QTimer(self, singleShot=True, interval=_CALM_MS)
        self._soon.timeout.connect(self._measure)
        self._make_controls()
        self._lay_out()
        self.table_model.renamed.connect(self._rename)
        canvas.picked.connect(self._pick)
        canvas.drawn.connect(self._draw)
        canvas.keys.offer(self._movables)
        model.changed.connect(self._follow)
        # Pictures have a dark background in both appearances.
        self._pen, self._chosen_pen = pg.mkPen(DARK.accent, width=2), pg.mkPen("w", width=3)
        self.hide()

    @property
    def regions(self) -> list[Region]:
        """The regions, in the order in which they were made."""
        return [entry.region for entry in self.entries]

    def turn(self, *, is_on: bool) -> None:
        """Show or hide the regions; the first time, there is a rectangle to begin with."""
        self._is_wanted = is_on
        self._is_on = is_on and self._model.state is not None
        self.polygon.setChecked(False)
        self.setVisible(self._is_on)
        self._canvas.draw_by_dragging(is_on=self._is_on)
        for entry in self.entries:
            entry.shape.setVisible(self._is_on)
        if not self._is_on:
            self._canvas.keys.forget()
            self._cancel()
        elif self.entries:
            self.refresh()
        else:
            self.add(self._over_the_middle(Shape.RECTANGLE))

    def add(self, region: Region) -> None:
        """Add a region and measure it."""
        if len(self.entries) >= MOST_REGIONS:
            self.words.setText(f"There are {MOST_REGIONS:,} regions already.")
            return
        self._drop_words()
        self._append(region)
        self._show_table(len(self.entries) - 1)
        self._soon.start()

    def remove(self) -> None:
        """Remove the chosen regions."""
        self._drop_words()
        rows = self.table.selectionModel().selectedRows()
        found = (self.table_model.region_at(index.row()) for index in rows)
        numbers = sorted({number for number in found if number is not None}, reverse=True)
        for number in numbers:
            self._canvas.view.removeItem(self.entries.pop(number).shape)
        self._show_table(numbers[-1] if numbers else -1)

    def clear(self) -> None:
        """Remove all regions."""
        self._cancel()
        self._drop_words()
        self._names = 0
        if not self.entries:
            return
        for entry in self.entries:
            self._canvas.view.removeItem(entry.shape)
        self.entries.clear()
        self._canvas.keys.forget()
        self._show_table()

    def refresh(self) -> None:
        """Measure all regions again if the plane or its numbers are others."""
        state = self._model.state
        if self._is_wanted and not self._is_on:
            self.turn(is_on=True)
            return
        plane = _plane_of(state)
        if not self._is_on or state is None or plane == self._plane:
            return
        self._plane = plane
        self._show_masked()
        for entry in self.entries:
            entry.found = None
        self._show_table(self.chosen)
        self._soon.start()

    @property
    def chosen(self) -> int:
        """The number of the chosen region; -1 if there is none."""
        number = self.table_model.region_at(self.table.currentIndex().row())
        return -1 if number is None else number

    def save(self, path: str) -> None:
        """Write all regions: as CSV if the name ends so, otherwise as GeoJSON."""
        measured = [(entry.region, entry.found) for entry in self.entries]
        text = csv_text(measured) if path.lower().endswith(".csv") else geojson(measured)
        self._workers.submit(
            lambda _asked: _write(path, text),
            lambda _nothing: self.reported.emit(f"{count(len(measured), 'region')} exported to {path}"),
            lambda error: self.reported.emit(f"{path} was not written: {sentence(error)}"),
            f"Writing {os.path.basename(path)}",
        )

    def load(self, path: str) -> None:
        """Add the regions in a file."""
        self._drop_words()
        self._workers.submit(
            lambda _asked: _read(path),
            lambda found: self._append_found(found, path),
            lambda error: self.words.setText(f"{os.path.basename(path)}: {sentence(error)}"),
            f"Reading {os.path.basename(path)}",
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Handle Delete and the keys that copy in the table."""
        if watched is self.table and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
                self.remove()
                return True
            if event.matches(QKeySequence.StandardKey.Copy):
                QGuiApplication.clipboard().setText(self.table_model.text())
                self.reported.emit("The table of regions was copied")
                return True
        return super().eventFilter(watched, event)

    # Construction

    def _make_controls(self) -> None:
        self.rectangle = tool_button(
            "shape-rectangle", "Add a rectangle; dragging draws more", lambda: self._add_new(Shape.RECTANGLE)
        )
        self.ellipse = tool_button(
            "shape-ellipse", "Add an ellipse; dragging draws more", lambda: self._add_new(Shape.ELLIPSE)
        )
        self.polygon = tool_button(
            "shape-polygon", "Add a polygon: click its corners, the first one again to close it"
        )
        self.polygon.setCheckable(True)
        self.polygon.toggled.connect(self._draw_polygon)
        self.delete = tool_button("close", "Remove the chosen region (Delete)", self.remove)
        self.save_button = push_button("Save…", self._ask_where, drawing="export")
        self.load_button = push_button("Load…", self._ask_which, drawing="folder-open")
        self.table = QTableView()
        self.table.setModel(self.table_model)
        self.table.setAccessibleName("statistics of the regions")
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        self.table.setShowGrid(False)
        self.table.setFixedHeight(_HEIGHT)
        self.table.installEventFilter(self)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._mark_chosen())

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(12, 4, 12, 0)
        row.setSpacing(6)
        for button in (self.rectangle, self.ellipse, self.polygon, self.delete):
            row.addWidget(button)
        row.addWidget(self.words, 1)
        row.addWidget(self.masked)
        for wide in (self.go_on, self.load_button, self.save_button):
            row.addWidget(wide)
        self.go_on.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(row)
        column.addWidget(self.table)

    # Shapes

    def _follow(self, change: Change) -> None:
        state = self._model.state
        image = state.image if state is not None else None
        if image is not self._image:
            self._image = image
            self._agreed_bytes = ASK_ABOVE_BYTES
            self._plane = _plane_of(state)
            self._show_masked()
            self.clear()  # regions do not apply to another image
        elif change & (Change.VALUES | Change.AXES):
            self.refresh()

    def _show_masked(self) -> None:
        """Say which number the statistics leave out."""
        state = self._model.state
        number = "" if state is None else state.settings.elements.mask(state.image.base.dtype)
        self.masked.setText(f"without {number} (masked)" if number else "")
        self.masked.setVisible(bool(number))

    def _append(self, region: Region) -> None:
        self._names += 1
        region = replace(region, name=region.name or f"region {self._names}")
        shape = make_shape(region, self._pen, pg.mkPen("w", width=2))
        entry = _Entry(region, shape)
        self.entries.append(entry)
        self._canvas.view.addItem(shape, ignoreBounds=True)
        shape.setVisible(self._is_on)
        shape.sigRegionChanged.connect(lambda _shape: self._moved(entry))
        shape.sigClicked.connect(lambda _shape, _event: self._choose(entry))

    def _moved(self, entry: _Entry) -> None:
        region = region_of(entry.shape, entry.region.name, entry.region.shape)
        if region != entry.region:
            entry.region, entry.found = region, None
            self._drop_words()
            self._soon.start()

    def _movables(self) -> list[Movable]:
        """What keys can move while the regions are shown."""
        return [self._movable(entry) for entry in self.entries if self._is_on]

    def _movable(self, entry: _Entry) -> Movable:
        def place() -> QPointF:
            top, left, bottom, right = entry.region.box
            return QPointF((left + right) / 2, (top + bottom) / 2)

        def resize(x: float, y: float) -> None:
            top, left, bottom, right = entry.region.box
            state = self._canvas.view.state
            # The edges that are at the right and at the bottom of the screen move; one element is left.
            left, right = _stretched(left, right, x, is_low=state["xInverted"])
            top, bottom = _stretched(top, bottom, y, is_low=not state["yInverted"])
            place_shape(entry.shape, entry.region.stretched((top, left, bottom, right)))

        return Movable(
            entry.shape,
            entry.region.name,
            place,
            lambda: _told(entry.region),
            lambda x, y: place_shape(entry.shape, entry.region.moved(y, x)),
            resize,
            lambda: self._choose(entry),
        )

    def _choose(self, entry: _Entry) -> None:
        self._select(self.entries.index(entry))

    def _select(self, number: int) -> None:
        index = self.table_model.index(self.table_model.row_of(number), 0)
        if index.isValid():
            both = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.table.selectionModel().setCurrentIndex(index, both)
            self.table.scrollTo(index)

    def _mark_chosen(self) -> None:
        chosen = self.chosen
        for number, entry in enumerate(self.entries):
            entry.shape.setPen(self._chosen_pen if number == chosen else self._pen)

    def _rename(self, number: int, name: str) -> None:
        entry = self.entries[number]
        entry.region = replace(entry.region, name=name)
        self._show_table(number)
        self.table.setFocus()  # the table has dropped the field in which the name was typed, and its focus with it

    def _over_the_middle(self, shape: Shape) -> Region:
        """A region over the middle half of the view; the next ones are moved, so that none lies on another."""
        view, (height, width) = self._canvas.visible(), self._canvas.size_shown
        top, bottom = max(view.rows[0], -0.5), min(view.rows[1], height - 0.5)
        left, right = max(view.columns[0], -0.5), min(view.columns[1], width - 0.5)
        half = _PLACES // 2
        moved = ((len(self.entries) + half) % _PLACES - half) / (2 * _PLACES)
        first = (
            round(top + (bottom - top) * (0.25 + moved)) - 0.5,
            round(left + (right - left) * (0.25 + moved)) - 0.5,
        )
        size = max(1, round((bottom - top) / 2)), max(1, round((right - left) / 2))
        return Region("", shape, (first, (first[0] + size[0], first[1] + size[1])))

    def _add_new(self, shape: Shape) -> None:
        self._shape = shape
        self.add(self._over_the_middle(shape))

    def _draw(self, start: Point, end: Point, is_finished: bool) -> None:
        """Draw a rectangle or an ellipse around whole elements."""
        if self.polygon.isChecked():
            return
        sides = [sorted(ends) for ends in zip(start, end, strict=True)]
        (top, bottom), (left, right) = ([round(low) - 0.5, round(high) + 0.5] for low, high in sides)
        region = Region("", self._shape, ((top, left), (bottom, right)))
        outline = () if is_finished else (*region.outline, region.outline[0])
        self._draft.setPen(self._pen)
        self._draft.setData([x for _, x in outline], [y for y, _ in outline])
        if is_finished:
            self.add(region)

    def _draw_polygon(self, is_on: bool) -> None:
        """Begin a polygon, or end it with the corners clicked so far."""
        corners, self._corners = self._corners, []
        self._draft.setData([], [])
        if is_on:
            self.words.setText(
                "Click the corners of the polygon in the picture, and the first one again to close it."
            )
        elif len(corners) > 2:
            self.add(Region("", Shape.POLYGON, tuple(corners)))
        else:
            self.words.setText("")

    def _pick(self, place: Point) -> None:
        if not self.polygon.isChecked():
            return
        if len(self._corners) > 2 and self._is_near(place, self._corners[0]):
            self.polygon.setChecked(False)
            return
        self._corners.append(place)
        self._draft.setPen(self._pen)
        self._draft.setData([x for _, x in self._corners], [y for y, _ in self._corners])

    def _is_near(self, place: Point, other: Point) -> bool:
        width, height = self._canvas.view.viewPixelSize()
        apart = ((place[0] - other[0]) / height) ** 2 + ((place[1] - other[1]) / width) ** 2
        return bool(apart <= _CLOSE_PX**2)

    # Measuring

    def _measure(self) -> None:
        """Measure what is not measured yet, in a worker, after asking if much must be read."""
        self._cancel()
        state = self._model.state
        pending = [entry for entry in self.entries if entry.found is None]
        if state is None or not self._is_on or not pending:
            self._show_table(self.chosen)
            return
        image, settings, limit = state.image, state.settings, self._agreed_bytes
        geography = state.geography
        asked_for = [(entry, entry.region) for entry in pending]

        def work(asked: Request) -> ReadCost | None:
            cost = cost_of(image, settings, [region for _, region in asked_for])
            if cost.nbytes > limit:
                return cost
            for number, (entry, region) in enumerate(asked_for):
                start = number

                def progress(share: float, start: int = start) -> None:
                    asked.progress((start + share) / len(asked_for))

                found = measure_region(image, settings, region, asked.is_cancelled, progress, geography)
                asked.report_part((entry, region, found))
            return None

        self._request = self._workers.submit(
            work, self._done, self._fail, f"Measuring {count(len(pending), 'region')}", self._hear
        )

    def _hear(self, told: tuple[_Entry, Region, RegionStatistics]) -> None:
        entry, region, found = told
        if entry.region.points == region.points:
            entry.found = found

    def _done(self, cost: ReadCost | None) -> None:
        self._request, self._asked = None, cost
        self.go_on.setVisible(cost is not None)
        if cost is not None:
            self._say(
                f"Measuring crosses {count(cost.chunks, 'chunk')}, {format_bytes(cost.nbytes)} when decoded."
            )
        self._show_table(self.chosen)

    def _fail(self, error: Exception) -> None:
        self._request = None
        self._say(sentence(error))
        self.go_on.show()  # tries again
        self._show_table(self.chosen)

    def _say(self, text: str) -> None:
        """Say something about the measuring."""
        self._said = text
        self.words.setText(text)

    def _drop_words(self) -> None:
        """Drop what was said before, because the user does something else; not what still is so."""
        if not self.polygon.isChecked() and self.words.text() != self._said:
            self.words.setText("")

    def _agree(self) -> None:
        if self._asked is not None:
            self._agreed_bytes = max(self._agreed_bytes, self._asked.nbytes)
        self.go_on.hide()
        self._measure()

    def _cancel(self) -> None:
        self._soon.stop()
        self.go_on.hide()
        if self.words.text() == self._said:  # the words may be about something else by now, such as a file
            self.words.setText("")
        if self._request is not None:
            self._workers.cancel(self._request)
            self._request = None

    def _show_table(self, chosen: int = -1) -> None:
        self.table_model.show([(entry.region, entry.found) for entry in self.entries])
        self.save_button.setEnabled(bool(self.entries))
        self.delete.setEnabled(bool(self.entries))
        self.table.resizeColumnsToContents()
        self._select(min(chosen, len(self.entries) - 1))
        self._mark_chosen()

    # Files

    def _ask_where(self) -> None:
        filters = "GeoJSON (*.geojson);;Comma-separated values (*.csv)"
        dialog = ask_for_file(self, "Save the regions", filters, "geojson", "regions.geojson", self.save)
        dialog.filterSelected.connect(
            lambda kind: dialog.setDefaultSuffix("csv" if "csv" in kind else "geojson")
        )

    def _ask_which(self) -> None:
        dialog = QFileDialog(self, "Load regions", "", "Regions (*.geojson *.json *.csv)")
        dress_suggestions(dialog)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.load)
        dialog.open()

    def _append_found(self, found: Sequence[Region], path: str) -> None:
        if self._model.state is None or not self._is_on:
            return
        room = MOST_REGIONS - len(self.entries)
        for region in found[:room]:
            self._append(region)
        self._show_table(len(self.entries) - 1)
        self._soon.start()
        self.reported.emit(f"{count(len(found[:room]), 'region')} loaded from {path}")


def _told(region: Region) -> str:
    """The rows and columns of a region whose centres may be inside."""
    top, left, bottom, right = region.box
    told = []
    for what, low, high in (("rows", top, bottom), ("columns", left, right)):
        first, last = math.ceil(low), math.ceil(high) - 1
        told.append(f"{what} {first} to {last}" if first <= last else f"no {what}")
    return ", ".join(told)


def _stretched(low: float, high: float, by: float, *, is_low: bool) -> tuple[float, float]:
    """Two edges, one of which is moved, but not nearer to the other than an element, if it was not nearer before."""
    least = min(1.0, high - low)
    return (min(low + by, high - least), high) if is_low else (low, max(high + by, low + least))


def _plane_of(state: ImageState | None) -> Any:
    if state is None:
        return None
    settings = state.settings
    return settings.axes.as_plane(), settings.planes(state.image), settings.elements


def _write(path: str, text: str) -> None:
    from zarrcore.filetypes import whole_or_nothing  # late: for a fast start

    with whole_or_nothing(path) as stream:
        stream.write(text.encode())


def _read(path: str) -> list[Region]:
    with open(path, "rb") as stream:
        content = stream.read(MOST_NBYTES + 1)
    if len(content) > MOST_NBYTES:
        raise BadRegionsError(f"The file is larger than {format_bytes(MOST_NBYTES)}.")
    try:
        return regions_of(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadRegionsError("The file is not text in UTF-8.") from None
