"""What one view has drawn: the mosaics of a frame, their statistics, and the backdrops for the next frame."""

from __future__ import annotations

from dataclasses import dataclass, replace

from zarrbrowser.image.colours.painting import Measured, compose, measure
from zarrbrowser.image.tiles.frames import Frame, Mosaic
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.image.view_settings import ViewSettings


@dataclass(frozen=True, slots=True, eq=False)
class Composition:
    """The drawn part of a frame. Each tile that arrives makes another one, in any thread."""

    frame: Frame | None = None
    """The frame that is drawn; None before the first."""
    mosaics: tuple[Mosaic, ...] = ()
    """One per blended channel, else one."""
    measured: Measured | None = None
    """The statistics of the plane, from its first complete frame."""
    is_whole: bool = False
    """Whether it has all tiles of the frame."""
    was_measured_whole: bool = False
    """Whether the statistics are those of a complete frame."""
    backdrops: tuple[tuple[Mosaic, ...], ...] = ()
    """For each mosaic, those that fill the gaps of the next frame, the best first."""

    def shows_plane_of(self, frame: Frame) -> bool:
        """Whether another part or level of a frame's plane is drawn."""
        return self.frame is not None and self.frame.planes == frame.planes

    def with_frame(
        self,
        frame: Frame,
        settings: ViewSettings,
        cache: TileCache,
        *,
        is_whole: bool,
        keeps_contrast: bool = False,
    ) -> Composition:
        """A frame drawn with the tiles that are loaded.

        Args:
            keeps_contrast: whether to keep the statistics for another plane, such as the next one while playing.
        """
        is_new = not self.shows_plane_of(frame)
        mosaics = compose(frame, cache, () if is_new else self.backdrops)
        measured, was_measured_whole = self.measured, self.was_measured_whole
        keeps_contrast = keeps_contrast and was_measured_whole
        if (is_new and not keeps_contrast) or measured is None or not was_measured_whole:
            measured = measure(settings, mosaics)
            was_measured_whole = is_whole and not frame.is_held_back
        backdrops = self._backdrops_of(frame, mosaics, is_new=is_new) if is_whole else self.backdrops
        return Composition(frame, mosaics, measured, is_whole, was_measured_whole, backdrops)

    def measured_again(self, settings: ViewSettings) -> Composition:
        """The same with statistics of the numbers that are drawn."""
        return replace(self, measured=measure(settings, self.mosaics)) if self.mosaics else self

    def _backdrops_of(
        self, frame: Frame, mosaics: tuple[Mosaic, ...], *, is_new: bool
    ) -> tuple[tuple[Mosaic, ...], ...]:
        """A picture as a backdrop for the next one, and that of the whole plane as the last backdrop."""
        widest = [] if is_new else [behind[-1:] for behind in self.backdrops]
        covers_all = all(
            part.stop - part.start == length
            for part, length in zip(frame.window, frame.raster.shape, strict=True)
        )
        if covers_all or len(widest) != len(mosaics):
            widest = [() for _ in mosaics]
        return tuple((mosaic, *behind) for mosaic, behind in zip(mosaics, widest, strict=True))


def tiles_of(frame: Frame, cache: TileCache) -> TileCache:
    """The loaded tiles of a frame, for another thread."""
    drawn = (tile for raster in frame.rasters for tile in raster.tiles(frame.window))
    return cache.part((*drawn, *frame.backdrop))
