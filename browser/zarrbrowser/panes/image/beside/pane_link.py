"""The link of two image panes: one pointer, one zoom, one position."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from zarrbrowser.image.linking.axis_link import Basis
from zarrbrowser.image.linking.earth_link import Place, Sheet, is_same_grid, place_in, prepare, ranges_in
from zarrbrowser.image.linking.image_link import ImageLink, Ranges, link_images
from zarrbrowser.image.state import PlaneLayout
from zarrbrowser.panes.image.beside.linked_pane import LinkedPane
from zarrbrowser.workers import Lane, Workers

if TYPE_CHECKING:
    from zarrbrowser.image.axes import Axes
    from zarrbrowser.panes.image.image_pane import ImagePane
    from zarrbrowser.panes.image.plane_view import PlaneView

_log = logging.getLogger(__name__)
_OUTSIDE, _NOT_YET = "outside", "not read yet"
_VALUES = ":  "
"""Between a place and its values."""


class PaneLink(QObject):
    """Keeps two image panes at the same place.

    The pane in which the user worked last leads; the other one follows, also after a change of the window's size.

    Attributes:
        zooms: whether the same part is in view.
        moves: whether sliders are at the same position.

    Signals:
        changed: places correspond in another way, or a position has no counterpart any more.
        pointed: the values of both under the pointer, as text; empty off all pictures.
    """

    changed = Signal()
    pointed = Signal(str)

    def __init__(self, first: ImagePane, second: ImagePane, workers: Workers, parent: QObject) -> None:
        super().__init__(parent)
        self.zooms = self.moves = True
        self.first, self.second = LinkedPane(first, workers, self), LinkedPane(second, workers, self)
        self._leader = self.first
        self._has_arrived = False
        """Whether an image is new, and the user has not moved in either since then."""
        self._links: dict[LinkedPane, ImageLink] = {}
        """From each pane to the other one; empty while one has no image."""
        self._preparing = Lane(workers, in_flight=1)
        self._sheets: dict[LinkedPane, Sheet] = {}
        """What each pane shows of the Earth, if the planes correspond by longitude and latitude."""
        self._is_on_earth = False
        """Whether they do; their sheets may still be prepared."""
        self._outside: tuple[LinkedPane, list[int]] | None = None
        self._follows = False
        """Whether a change is that of the follower, not the user's."""
        self._texts: dict[LinkedPane, str] = {}
        self._at: tuple[LinkedPane, Any] | None = None
        self._is_inside = False
        """Whether the place under the pointer is inside the other image."""
        self._zoom_soon = QTimer(self, singleShot=True, interval=0)
        self._zoom_soon.timeout.connect(self._zoom)
        for one in (self.first, self.second):
            self._watch(one)
        self._mean()

    def forget(self) -> None:
        """End the link."""
        self._zoom_soon.stop()
        self._preparing.forget()
        for one in (self.first, self.second):
            one.forget()
            one.show_cross(None, None)
        self._links, self._sheets = {}, {}

    def turn(self, *, zooms: bool, moves: bool) -> None:
        """Switch the links; what is switched on follows at once."""
        self.zooms, self.moves, self._has_arrived = zooms, moves, False
        self._catch_up()

    def lead(self, one: LinkedPane) -> None:
        """Let the other pane follow this one from now on."""
        self._leader, self._has_arrived = one, False

    @property
    def basis(self) -> str:
        """By what places correspond, as text; empty while one has no image."""
        link, axes = self._links.get(self.first), self.first.axes
        if self._is_on_earth:
            return Basis.EARTH.value
        return "" if link is None or axes is None else link.basis(axes)

    @property
    def outside(self) -> str:
        """The positions that the other image does not have, as text; empty if it has all."""
        if self._outside is None:
            return ""
        one, numbers = self._outside
        state = one.pane.model.state
        if state is None:
            return ""
        known = one.pane.coordinate_labels.coordinates
        places = [
            state.settings.place_along(
                axis, known[axis].text(state.settings.axes.index[axis]) if axis in known else ""
            )
            for axis in numbers
        ]
        which = "second" if one is self.first else "first"
        return f"The {which} image has no {', '.join(places)}." if places else ""

    def text(self) -> str:
        """The values of both images under the pointer."""
        first, second = (self._texts.get(one, "") for one in (self.first, self.second))
        if self._at is None or not self._links or not (first or second):
            return first or second
        nothing = _NOT_YET if self._is_inside else _OUTSIDE
        place, mark, values = second.partition(_VALUES)
        if mark and first.startswith(place + mark):
            second = values  # the same place need not be said twice
        return f"{first or nothing}   |   beside: {second or nothing}"

    def _watch(self, one: LinkedPane) -> None:
        one.replaced.connect(lambda: self._receive(one))
        one.meant.connect(self._mean)
        one.moved.connect(lambda: self._move(one))
        one.zoomed.connect(self._zoom_soon.start)
        one.pointed.connect(lambda at: self._point(one, at))
        one.told.connect(lambda text: self._show_pointed(one, text))
        one.led.connect(lambda: self.lead(one))

    def _receive(self, one: LinkedPane) -> None:
        """Let a new image come to the place of the other one, if they have places in common."""
        self._leader, self._has_arrived = self._other(one), True

    def _other(self, one: LinkedPane) -> LinkedPane:
        return self.second if one is self.first else self.first

    def _mean(self) -> None:
        """Link again, and let the follower come to the same place."""
        first, second = self.first.side(), self.second.side()
        self._links, self._outside = {}, None
        if first is not None and second is not None:
            self._links = {self.first: link_images(first, second), self.second: link_images(second, first)}
        self._look_at_earth()
        if self._links:
            self._catch_up()
        self.changed.emit()

    def _look_at_earth(self) -> None:
        """Let planes whose place on Earth is known correspond by it, if one is on a map or nothing else is known."""
        self._preparing.forget()
        one, other, axes = self.first.sheet(), self.second.sheet(), self.first.axes
        self._sheets, self._is_on_earth = {}, False
        if one is None or other is None or axes is None or not self._links:
            return
        is_map = one.chart is not None or other.chart is not None
        is_unknown = not self._links[self.first].is_measured(axes) and not is_same_grid(one, other)
        self._is_on_earth = is_map or is_unknown
        if self._is_on_earth:
            self._preparing.ask(
                lambda _asked: prepare(one, other),
                lambda _nothing: self._take_sheets(one, other),
                lambda error: _log.debug("cannot link by longitude and latitude", exc_info=error),
            )

    def _take_sheets(self, one: Sheet, other: Sheet) -> None:
        self._sheets = {self.first: one, self.second: other}
        self._point_again()
        self._zoom_soon.start()

    def _catch_up(self) -> None:
        self._move(self._leader)
        self._zoom_soon.start()

    # Following

    def _move(self, one: LinkedPane) -> None:
        """Set the sliders of the other pane as those of this one."""
        other = self._other(one)
        link, axes, theirs = self._links.get(one), one.axes, other.axes
        if self._follows or link is None or axes is None or theirs is None:
            return
        before, self._outside = self._outside, None
        if self.moves:
            found, outside = link.move(axes, theirs)
            self._outside = (one, outside) if outside else None
            if found != theirs:
                self._follows = True
                other.pane.model.set(axes=found)
                self._follows = False
        self._point_again()
        if self._outside or before:
            self.changed.emit()

    def _zoom(self) -> None:
        """Bring the same part into view in the follower."""
        one = self._leader
        other = self._other(one)
        link, axes, theirs = self._links.get(one), one.axes, other.axes
        sizes = [pane.surface.size_shown[0] for pane in (one, other)]
        if not self.zooms or link is None or axes is None or theirs is None or not all(sizes):
            return
        is_of_one_size = (axes.height, axes.width) == (theirs.height, theirs.width)
        is_related = self._is_on_earth or is_of_one_size or link.is_more_than_index(axes)
        if self._has_arrived and not is_related:
            return  # an index of the other image means nothing in the new one, which is shown whole
        view = one.surface.visible()
        if self._is_on_earth:
            found = self._sheets and ranges_in(
                self._sheets[one], view.rows, view.columns, self._sheets[other]
            )
            if found:
                other.surface.show_range(*found)
            return
        if one.surface.is_fitted and link.ranges(axes, _whole(axes), theirs) == _whole(theirs):
            other.pane.canvas.fit()  # and it stays so in a window of another size
        else:
            other.pane.canvas.show_range(*link.ranges(axes, (view.rows, view.columns), theirs))

    # The pointer

    def _point(self, one: LinkedPane, at: Any) -> None:
        self._at = None if at is None else (one, at)
        other = self._other(one)
        place, on_surface = (None, None) if at is None else self._counterpart(one, *at)
        self._is_inside = place is not None
        state = other.pane.model.state
        if (
            state is None or state.layout is not PlaneLayout.ORTHOGONAL
        ):  # its cross is the point of the planes
            other.show_cross(place, on_surface)
        other.pane.body.tools.pointer.move(None if place is None else (other.pane.view, place))

    def _counterpart(
        self, one: LinkedPane, view: PlaneView, place: Place
    ) -> tuple[Place | None, Place | None]:
        """A place of a view in the plane of the other pane, and where that one shows it; None where it has none."""
        other = self._other(one)
        theirs = other.axes
        if self._is_on_earth and view is one.pane.view:
            return place_in(self._sheets[one], place, self._sheets[other]) if self._sheets else (None, None)
        if view.settings is None or one not in self._links or theirs is None:
            return None, None
        found = self._links[one].place(view.settings.axes, place, theirs)
        return found, found

    def _point_again(self) -> None:
        """Draw the cross again, which a change of the plane has removed."""
        if self._at is not None:
            self._point(*self._at)

    def _show_pointed(self, one: LinkedPane, text: str) -> None:
        self._texts[one] = text
        self.pointed.emit(self.text())


def _whole(axes: Axes) -> Ranges:
    """The rows and columns of a whole plane."""
    return (-0.5, axes.height - 0.5), (-0.5, axes.width - 0.5)
