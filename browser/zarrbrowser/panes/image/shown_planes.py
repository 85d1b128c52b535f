"""The planes on the screen as a value from which a figure is made."""

from __future__ import annotations

from zarrbrowser.export.figures.planes import ShownPlane, ShownPlanes
from zarrbrowser.image.state import PlaneLayout
from zarrbrowser.panes.image.plane_grid import PlaneGrid
from zarrbrowser.panes.image.plane_view import PlaneView
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels

_PLACES = {PlaneLayout.SINGLE: ((0, 0),), PlaneLayout.PAIR: ((0, 0), (0, 1))}
_ORTHOGONAL = ((0, 0), (0, 1), (1, 0))


def shown_planes(grid: PlaneGrid, labels: CoordinateLabels) -> ShownPlanes | None:
    """The planes of a grid as they are drawn, in the order of its views; None before the main one is drawn."""
    main = grid.main
    if main.state is None or not main.fits_settings:
        return None
    places = _PLACES.get(main.state.layout, _ORTHOGONAL)
    found = [_shown(view, place) for view, place in zip(grid.views, places, strict=False)]
    planes = tuple(one for one in found if one is not None)
    if not planes or found[0] is None:
        return None
    style = main.picture_style()
    has_scale = main.canvas.scale_bar.isVisibleTo(main.canvas)
    return ShownPlanes(planes, labels.coordinates, has_scale, (style.nan, style.fill))


def _shown(view: PlaneView, place: tuple[int, int]) -> ShownPlane | None:
    state, measured = view.shown_state, view.colours_from
    if state is None or measured is None or not view.mosaics or not view.fits_settings:
        return None
    return ShownPlane(
        place,
        state,
        view.canvas.visible(),
        measured,
        view.mosaics,
        view.canvas.proportion,
        view.overlay.mosaic,
        view.canvas.title,
        view.map.lines.sketch,
        view.projection.shown(),
    )
