"""What one view has drawn: the mosaics of a frame, their statistics, and the backdrops for the next frame."""

from __future__ import annotations

from zarrbrowser.image.colours.painting import Measured, compose, measure
from zarrbrowser.image.tiles.frames import Frame, Mosaic
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.image.view_settings import ViewSettings


class Composition:
    """The drawn part of a frame; grows with each tile that arrives.

    Attributes:
        frame: the frame that is drawn; None before the first.
        mosaics: one per blended channel, else one.
        measured: the statistics of the plane, from its first complete frame.
        is_whole: whether it has all tiles of the frame.
    """

    def __init__(self) -> None:
        self.frame: Frame | None = None
        self.mosaics: tuple[Mosaic, ...] = ()
        self.measured: Measured | None = None
        self.is_whole = False
        self._was_measured_whole = False
        self._backdrops: list[list[Mosaic]] = []

    def shows_plane_of(self, frame: Frame) -> bool:
        """Whether another part or level of a frame's plane is drawn."""
        return self.frame is not None and self.frame.planes == frame.planes

    def take(
        self,
        frame: Frame,
        settings: ViewSettings,
        cache: TileCache,
        *,
        is_whole: bool,
        keeps_contrast: bool = False,
    ) -> None:
        """Draw a frame with the tiles that are loaded.

        Args:
            keeps_contrast: whether to keep the statistics for another plane, such as the next one while playing.
        """
        is_new = not self.shows_plane_of(frame)
        self.mosaics = compose(frame, cache, [] if is_new else self._backdrops)
        keeps_contrast = keeps_contrast and self._was_measured_whole
        if (is_new and not keeps_contrast) or self.measured is None or not self._was_measured_whole:
            self.measured = measure(settings, self.mosaics)
            self._was_measured_whole = is_whole and not frame.is_held_back
        self.frame, self.is_whole = frame, is_whole
        if is_whole:
            self._keep_behind(frame, is_new=is_new)

    def measure(self, settings: ViewSettings) -> None:
        """Recompute the statistics from the numbers that are drawn."""
        if self.mosaics:
            self.measured = measure(settings, self.mosaics)

    def _keep_behind(self, frame: Frame, *, is_new: bool) -> None:
        """Use the present picture as a backdrop for the next one, and that of the whole plane as the last backdrop."""
        widest = [] if is_new else [behind[-1:] for behind in self._backdrops]
        covers_all = all(
            part.stop - part.start == length
            for part, length in zip(frame.window, frame.raster.shape, strict=True)
        )
        if covers_all or len(widest) != len(self.mosaics):
            widest = [[] for _ in self.mosaics]
        self._backdrops = [[mosaic, *behind] for mosaic, behind in zip(self.mosaics, widest, strict=True)]
