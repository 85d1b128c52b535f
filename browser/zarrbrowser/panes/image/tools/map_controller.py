"""The menu of the map: coastlines, lines of longitude and latitude, means, projections."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton

from zarrbrowser.image.state import Change
from zarrbrowser.maps.projection import Projection
from zarrbrowser.maps.projections import is_available
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.image.tools.coordinate_labels import CoordinateLabels
from zarrcore.installation import how_to_add

_TIP = "Map: coastlines and graticule"


class MapController(QObject):
    """Offers the overlays and means of planes whose place on Earth is known, and says why there are none.

    Signals:
        mean_asked: the axis over which to take a mean.
    """

    mean_asked = Signal(int)

    def __init__(
        self,
        model: ImageModel,
        coordinate_labels: CoordinateLabels,
        button: QToolButton,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._model, self._button, self._coordinate_labels = model, button, coordinate_labels
        self.menu = QMenu(button)
        self.menu.setToolTipsVisible(True)
        self.coastlines = self.menu.addAction("&Coastlines")
        self.coastlines.setToolTip("The coastlines of Natural Earth over the picture")
        self.graticule = self.menu.addAction("&Graticule")
        self.graticule.setToolTip("Lines of longitude and latitude with their degrees")
        for action, name in ((self.coastlines, "coastlines"), (self.graticule, "graticule")):
            action.setCheckable(True)
            action.triggered.connect(lambda is_on, name=name: model.set(**{name: is_on}))
        self.menu.addSeparator()
        self.zonal = self.menu.addAction("&Zonal mean", lambda: self._ask_mean(1))
        self.zonal.setToolTip("The mean over all longitudes at each latitude")
        self.meridional = self.menu.addAction("&Meridional mean", lambda: self._ask_mean(0))
        self.meridional.setToolTip("The mean over all latitudes, weighted by area, at each longitude")
        self.menu.addSeparator()
        self.projections = QActionGroup(self.menu)
        has_projections = is_available()
        for projection in Projection:
            title = projection.value or "No projection: rows and columns as stored"
            chosen = self.projections.addAction(title)
            chosen.setCheckable(True)
            chosen.setData(projection)
            chosen.triggered.connect(lambda _on, projection=projection: model.set(projection=projection))
            chosen.setEnabled(projection is Projection.NONE or has_projections)
        self.menu.addActions(self.projections.actions())
        if not has_projections:
            self.menu.addAction(f"Projections need pyproj: {how_to_add('gis')}").setEnabled(False)
        button.setMenu(self.menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        model.changed.connect(self._follow)
        coordinate_labels.changed.connect(self._follow)

    def _ask_mean(self, side: int) -> None:
        """Ask for the mean over longitudes (1) or latitudes (0)."""
        state = self._model.state
        if state is not None and state.geography is not None:
            self.mean_asked.emit(state.geography.axes[side])

    def _follow(self, _change: Change | None = None) -> None:
        state = self._model.state
        reason = self._coordinate_labels.why_no_map if state is not None else ""
        plane = None
        if state is not None and state.geography is not None:
            plane = state.geography.plane(state.settings.axes)
        self._button.setToolTip(reason or _TIP)
        self._button.setEnabled(plane is not None)
        for action in (self.zonal, self.meridional):
            action.setVisible(plane is not None and plane.is_plain)
        if state is not None:
            self.coastlines.setChecked(state.settings.coastlines)
            self.graticule.setChecked(state.settings.graticule)
            for action in self.projections.actions():
                action.setChecked(action.data() is state.settings.projection)
