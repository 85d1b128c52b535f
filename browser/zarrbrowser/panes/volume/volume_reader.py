"""Reads the samples of a volume in a thread, and makes the textures of what is read so far in another."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.colours.painting import Measured
from zarrbrowser.image.state import ImageState
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.nodes.read_cost import ReadCost
from zarrbrowser.volume.axes import VolumeAxes
from zarrbrowser.volume.grid import VolumeGrid
from zarrbrowser.volume.reading import VolumeSamples, read
from zarrbrowser.volume.textures import Painted, measure_volumes, paint_volumes
from zarrbrowser.workers import Lane, Request, Workers
from zarrbrowser.workers.workers import Stopped

_EACH_S = 0.7
"""A volume that is being read is drawn in part about this often."""


@dataclass(frozen=True, slots=True)
class WantedVolume:
    """What to read: as many volumes as channels are on."""

    state: ImageState
    axes: VolumeAxes
    grid: VolumeGrid

    @property
    def planes(self) -> tuple[Axes, ...]:
        """The nearest plane of each volume."""
        settings, axes = self.state.settings, self.axes
        return tuple(
            replace(plane, rows=axes.rows, columns=axes.columns).at(axes.depth, 0).as_plane()
            for plane in settings.planes(self.state.image)
        )


class VolumeReader(QObject):
    """Keeps the samples of the present volumes, so that other colours need no reading.

    Attributes:
        cost: what the last reading decoded; None before the first.
        took_s: how long it took.

    Signals:
        painted: a `Painted`; again while more is read.
        came: everything is read, except for chunks that do not decode.
        failed: why nothing can be read.
    """

    painted = Signal(object)
    came = Signal()
    failed = Signal(object)

    def __init__(self, workers: Workers, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workers = workers
        self._painting = Lane(workers, in_flight=1)
        self._request: Request | None = None
        self._wanted: WantedVolume | None = None
        self._volumes: list[VolumeSamples] = []
        self._measured: tuple[object, Measured] | None = None
        self.cost: ReadCost | None = None
        self.took_s = 0.0

    @property
    def busy(self) -> bool:
        """Whether anything is read or painted."""
        return self._request is not None or self._painting.busy

    @property
    def is_reading(self) -> bool:
        """Whether samples are being read."""
        return self._request is not None

    @property
    def is_whole(self) -> bool:
        """Whether every sample is read."""
        return all(one.is_whole for one in self._volumes)

    @property
    def error(self) -> Exception | None:
        """Why a part of the volume is missing; None if nothing is."""
        return next((one.error for one in self._volumes if one.error is not None), None)

    def has(self, wanted: WantedVolume) -> bool:
        """Whether everything of these volumes is read already, so that showing them costs nothing."""
        known = {(one.grid, one.plane): one for one in self._volumes}
        found = [known.get((wanted.grid, plane)) for plane in wanted.planes]
        return all(one is not None and one.is_whole for one in found)

    def show(self, wanted: WantedVolume, label: str) -> None:
        """Read what is missing of these volumes, and paint them."""
        self.pause()
        self._wanted = wanted
        known = {(one.grid, one.plane): one for one in self._volumes}
        volumes = [
            known.get((wanted.grid, plane)) or VolumeSamples.empty(wanted.grid, plane)
            for plane in wanted.planes
        ]
        self._volumes = volumes
        missing = [one for one in volumes if not one.is_whole]
        if not missing:
            self.paint(wanted.state)
            self.came.emit()
            return
        self.cost = wanted.grid.cost(len(missing))
        started_s = time.monotonic()

        def work(request: Request) -> None:
            told_s = time.monotonic()

            def progressed(part: float) -> None:
                nonlocal told_s
                request.progress(part)
                if part < 1 and time.monotonic() - told_s > _EACH_S:
                    told_s = time.monotonic()
                    request.report_part(None)

            read(missing, request.is_cancelled, progressed)

        self._request = self._workers.submit(
            work,
            lambda _nothing: self._come(started_s),
            self._fail,
            label,
            heard=lambda _nothing: self._repaint(),
        )

    def paint(self, state: ImageState, *, measures: bool = False) -> None:
        """Make the textures of what is read, in other colours.

        Args:
            measures: whether to measure the numbers again.
        """
        if self._wanted is None:
            return
        self._wanted = replace(self._wanted, state=state)
        if measures:
            self._measured = None
        if any(one.blocks for one in self._volumes):
            self._start_painting(state)

    def pause(self) -> None:
        """Stop reading; what is read stays."""
        if self._request is not None:
            self._workers.cancel(self._request)
            self._request = None

    def forget(self) -> None:
        """Stop everything, and free the samples."""
        self.pause()
        self._painting.forget()
        self._wanted, self._volumes, self._measured, self.cost = None, [], None, None

    def _repaint(self) -> None:
        if self._wanted is not None and not self._painting.busy:
            self._start_painting(self._wanted.state)

    def _come(self, started_s: float) -> None:
        self._request = None
        self.took_s = time.monotonic() - started_s
        if self._wanted is not None:
            self._start_painting(self._wanted.state)
        self.came.emit()

    def _fail(self, error: Exception) -> None:
        self._request = None
        wanted = self._wanted
        if isinstance(error, Stopped) and wanted is not None and any(one.blocks for one in self._volumes):
            self._start_painting(wanted.state)
            self.came.emit()
        else:
            self.failed.emit(error)

    def _start_painting(self, state: ImageState) -> None:
        volumes, known = list(self._volumes), self._measured
        key = _measured_key(volumes, state.settings)

        def work(_request: Request) -> tuple[object, Painted]:
            measured = (
                known[1]
                if known is not None and known[0] == key
                else measure_volumes(state.settings, volumes)
            )
            return key, paint_volumes(state.image, state.settings, volumes, measured, state.colour_map)

        self._painting.ask(work, self._painted, self.failed.emit)

    def _painted(self, found: tuple[object, Painted]) -> None:
        self._measured = (found[0], found[1].measured)
        self.painted.emit(found[1])


def _measured_key(volumes: list[VolumeSamples], settings: ViewSettings) -> object:
    """What statistics depend on."""
    read_so_far = tuple((id(one), len(one.blocks)) for one in volumes)
    return read_so_far, settings.elements, settings.is_blended, tuple(settings.channels_on)
