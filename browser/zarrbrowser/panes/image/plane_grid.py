"""One plane of an image, or several side by side: another one pinned, or the three orthogonal ones through a point."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.labels import Labels
from zarrbrowser.image.levels import Image
from zarrbrowser.image.probe import element_at
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.panes.image.plane_view import PlaneView
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrbrowser.theme.colours import Colours
from zarrbrowser.workers import Workers


class PlaneLayout(Enum):
    """Which planes stand beside the main one."""

    SINGLE = "single"
    PAIR = "pair"
    ORTHOGONAL = "orthogonal"


class PlaneGrid(QWidget):
    """The main view, and views that follow it.

    The position in all axes, those of the picture too, is ``look.axes.index``: the lines of the cross stand there.

    Signals:
        pointed: the axes of the view under the pointer with the position there, and the view; None off all pictures.
        moved_to: axes that stand at the place that was clicked.
    """

    pointed = Signal(object)
    moved_to = Signal(object)

    def __init__(self, workers: Workers, cache: TileCache, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workers, self._cache = workers, cache
        self.main = PlaneView(workers, cache)
        self.others: list[PlaneView] = []
        """To the right, and below where the planes are orthogonal."""
        self.layout_shown = PlaneLayout.SINGLE
        self._image: Image | None = None
        self._settings: ViewSettings | None = None
        self._pinned: tuple[Image, ViewSettings] | None = None
        """What the right one of a pair shows, whatever the main one does."""
        self._colours: Colours | None = None
        self._labels: tuple[Labels | None, float] = (None, 1.0)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(1)
        self.setProperty("role", "canvas")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._grid.addWidget(self.main, 0, 0)
        self._listen(self.main)
        self.main.drawn.connect(self._share_measured)

    @property
    def views(self) -> list[PlaneView]:
        """All of them, the main one first."""
        return [self.main, *self.others]

    def arrange(self, layout: PlaneLayout) -> None:
        """Put other planes beside the main one; a pinned one stays where the main one is now."""
        while self.others:
            gone = self.others.pop()
            gone.clear()
            gone.hide()
            gone.deleteLater()
        self.layout_shown = layout
        self._pinned = None
        self.main.canvas.show_title("")
        for place in {PlaneLayout.PAIR: [(0, 1)], PlaneLayout.ORTHOGONAL: [(0, 1), (1, 0)]}.get(layout, []):
            view = PlaneView(self._workers, self._cache)
            view.follow(self.main)
            self._listen(view)
            self._grid.addWidget(view, *place)
            self.others.append(view)
        for number, shares in enumerate(((1, 1), (1, 1))):
            used = number == 0 or layout is PlaneLayout.ORTHOGONAL
            self._grid.setColumnStretch(
                number, shares[0] if number == 0 or layout is not PlaneLayout.SINGLE else 0
            )
            self._grid.setRowStretch(number, shares[1] if used else 0)
        if self._colours is not None:
            self.set_colours(self._colours)
        self._show_others()

    def show_image(self, image: Image, settings: ViewSettings, colour_map: str) -> None:
        """Another image; one that is pinned stays."""
        self._image, self._settings = image, settings
        self.main.show_image(image, settings, colour_map)
        self._show_others()

    def show_axes(self) -> None:
        """Other axes lie in the picture."""
        self.main.show_axes()
        if self._kin:
            self._pinned = None
        self._show_others()

    def refresh(self) -> None:
        """The look stands at another place."""
        self.main.refresh()
        for view, axes in zip(self._kin, self._axes_of_others(), strict=False):
            if self._settings is not None:
                view.look_at(replace(self._settings, axes=axes))
        self._show_cross()

    def recolour(self, colour_map: str) -> None:
        """The same numbers in other colours."""
        self.main.recolour(colour_map)
        self._restyle_others(colour_map)

    def measure(self) -> None:
        """Other numbers of the same elements."""
        self.main.measure()
        self._restyle_others(None)

    def show_labels(self, labels: Labels | None, opacity: float) -> None:
        """Lay labels over all planes, or none."""
        self._labels = (labels, opacity)
        for view in (self.main, *self._kin):
            view.overlay.show(labels, opacity)

    def flip(self) -> None:
        """The look is turned another way."""
        if self._settings is not None:
            for view in (self.main, *self._kin):
                view.canvas.set_flips(rows=self._settings.flip_rows, columns=self._settings.flip_columns)

    def retry(self) -> None:
        """Try again what could not be read."""
        for view in self.views:
            view.retry()

    def pause(self, *, is_on: bool) -> None:
        """Read nothing for a while; then go on."""
        for view in self.views:
            view.pause(is_on=is_on)

    def clear(self) -> None:
        """Show nothing but what is pinned."""
        self._image = self._settings = None
        self.main.clear()
        for view in self.others:
            if self.layout_shown is PlaneLayout.PAIR:
                view.canvas.link(self.main.canvas, rows=False, columns=False)
            else:
                view.clear()

    def set_colours(self, colours: Colours) -> None:
        """Take on an appearance."""
        self._colours = colours
        for view in self.views:
            view.set_colours(colours)

    def write_coordinates(self, coordinate_labels: CoordinateLabels) -> None:
        """Name the axes of all views."""
        for view in (self.main, *self._kin):
            if view.settings is not None:
                coordinate_labels.write_on(view.canvas, view.settings, has_bar=view is self.main)

    def _listen(self, view: PlaneView) -> None:
        view.canvas.pointed.connect(lambda place: self.pointed.emit(None if place is None else (view, place)))
        view.canvas.picked.connect(lambda place: self._move(view, place))

    def _move(self, view: PlaneView, place: tuple[float, float]) -> None:
        if self.layout_shown is not PlaneLayout.ORTHOGONAL or self._settings is None or view.settings is None:
            return
        row, column = element_at(place)
        shown = view.settings.axes
        self.moved_to.emit(self._settings.axes.at(shown.rows, row).at(shown.columns, column))

    def _axes_of_others(self) -> list[Axes]:
        settings = self._settings
        if settings is None or self._image is None:
            return []
        axes = settings.axes
        if self.layout_shown is PlaneLayout.PAIR:
            return [self._pinned[1].axes] if self._pinned is not None else []
        depth = next(iter(self._depths(settings)), None)
        if self.layout_shown is PlaneLayout.SINGLE or depth is None:
            return []
        return [replace(axes, columns=depth), replace(axes, rows=depth)]

    def _depths(self, settings: ViewSettings) -> list[int]:
        """Axes that may be seen from the side, that of depth first."""
        assert self._image is not None  # noqa: S101 - asked only while there is one
        further = settings.sliders(self._image)
        return sorted(
            further, key=lambda axis: settings.axes.names[axis].lower() not in ("z", "depth", "lev", "level")
        )

    def _show_others(self) -> None:
        image, settings = self._image, self._settings
        if image is None or settings is None:
            return
        if self.layout_shown is PlaneLayout.PAIR and self.others:
            self._show_pinned(self.others[0], image, settings)
            return
        axes_of_others = self._axes_of_others()
        for view in self.others[len(axes_of_others) :]:
            view.clear()
        for view, axes in zip(self.others, axes_of_others, strict=False):
            view.show_image(image, replace(settings, axes=axes), self.main.colour_map)
            view.overlay.show(*self._labels)
        if len(axes_of_others) == 2:
            self.others[0].canvas.link(self.main.canvas, rows=True, columns=False)
            self.others[1].canvas.link(self.main.canvas, rows=False, columns=True)
        self._show_cross()

    def _show_pinned(self, view: PlaneView, image: Image, settings: ViewSettings) -> None:
        """What is pinned, along with the main plane where that has the same shape, and named where it is of another image."""
        if self._pinned is None:
            self._pinned = (image, replace(settings))
            view.show_image(*self._pinned, self.main.colour_map)
        of_another = not self._kin
        view.follow(None if of_another else self.main)
        if not of_another:
            view.overlay.show(*self._labels)
        there, pinned = self._pinned
        where = pinned.describe(there)
        view.canvas.show_title(f"{there.path}{', ' if where else ''}{where}" if of_another else "")
        self.main.canvas.show_title(image.path if of_another else "")
        alike = (pinned.axes.height, pinned.axes.width) == (settings.axes.height, settings.axes.width)
        view.canvas.link(self.main.canvas, rows=alike, columns=alike)
        if not alike:
            view.canvas.fit()
        self._show_cross()

    @property
    def _kin(self) -> list[PlaneView]:
        """The other views that show the same image as the main one."""
        base = self._image.base if self._image is not None else None
        return [view for view in self.others if view.image is not None and view.image.base is base]

    def _show_cross(self) -> None:
        for view in self.views:
            settings = view.settings
            is_shown = (
                self.layout_shown is PlaneLayout.ORTHOGONAL
                and settings is not None
                and len(self._axes_of_others()) == 2
            )
            if is_shown and settings is not None:
                index = self._settings.axes.index if self._settings is not None else settings.axes.index
                view.canvas.show_cross((index[settings.axes.rows], index[settings.axes.columns]))
            else:
                view.canvas.show_cross(None)

    def _share_measured(self) -> None:
        for view in self._kin:
            view.recolour()

    def _restyle_others(self, colour_map: str | None) -> None:
        for view in self.others:
            if self._settings is not None and view.settings is not None and view in self._kin:
                view.look_at(replace(self._settings, axes=view.settings.axes))
            view.recolour(colour_map)
