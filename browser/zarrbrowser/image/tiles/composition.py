"""What one view has drawn: the mosaics of a frame, their statistics, and the backdrops for the next frame."""

from __future__ import annotations

from dataclasses import dataclass, replace

from zarrbrowser.image.colours.painting import Measured, Part, compose, measure
from zarrbrowser.image.tiles.frames import Frame, Mosaic
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.image.view_settings import ViewSettings

_MORE = 1.25
"""An incomplete plane is measured again once it has this many times as many tiles."""


@dataclass(frozen=True, slots=True, eq=False)
class Composition:
    """The drawn part of a frame. Each tile that arrives makes another one, in any thread."""

    frame: Frame | None = None
    """The frame that is drawn; None before the first."""
    mosaics: tuple[Mosaic, ...] = ()
    """One per blended channel, else one."""
    measured: Measured | None = None
    """The statistics that the colours follow: `kept`, and those of the tiles that have arrived since."""
    kept: Measured | None = None
    """Those of all complete frames of the plane, and of planes before it if they are kept; None before a complete one."""
    tiles_measured: int = 0
    """The number of tiles of an incomplete frame that `measured` is of."""
    is_whole: bool = False
    """Whether it has all tiles of the frame."""
    is_of_view: bool = False
    """Whether the user wanted the statistics of the part that was in view then: no other part changes them."""
    basis: object = None
    """What the numbers are: other numbers have statistics of their own."""
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
        basis: object = None,
    ) -> Composition:
        """A frame drawn with the tiles that are loaded.

        Args:
            keeps_contrast: whether to keep the statistics for any other plane, as while playing.
            basis: what the numbers are, `ViewSettings.basis`.
        """
        is_new = not self.shows_plane_of(frame)
        mosaics = compose(frame, cache, () if is_new else self.backdrops)
        known = self.kept if self.basis == basis else None
        if is_new and not settings.keeps_range and not keeps_contrast:
            known = None
        is_complete = is_whole and not frame.is_held_back
        tiles = len(frame.tiles) if is_whole else sum(tile in cache for tile in frame.tiles)
        if known is None:
            measured = measure(settings, mosaics, Part.of(frame, tiles))
        elif keeps_contrast or self.is_of_view or frame.is_held_back:
            measured = known
        elif is_complete:
            measured = self._grown(known, frame, settings, mosaics)
        else:
            measured, tiles = self._growing(known, frame, settings, mosaics, tiles)
        return Composition(
            frame,
            mosaics,
            measured,
            measured if is_complete else known,
            tiles,
            is_whole,
            is_of_view=known is not None and self.is_of_view,
            basis=basis,
            backdrops=self._backdrops_of(frame, mosaics, is_new=is_new) if is_whole else self.backdrops,
        )

    def measured_again(
        self, settings: ViewSettings, basis: object = None, *, is_wish: bool = False
    ) -> Composition:
        """The same with statistics of the numbers that are drawn.

        Args:
            is_wish: whether the user wants the range of what is in view: reading more does not change it.
        """
        if self.frame is None:
            return self
        part = Part.of(self.frame)
        measured = measure(settings, self.mosaics, part)
        kept = None if self.kept is None else measured
        return replace(
            self, measured=measured, kept=kept, is_of_view=is_wish and not part.is_whole, basis=basis
        )

    def without_statistics(self) -> Composition:
        """The same, whose plane does not count for those after it."""
        return replace(self, kept=None)

    def _growing(
        self,
        known: Measured,
        frame: Frame,
        settings: ViewSettings,
        mosaics: tuple[Mosaic, ...],
        tiles: int,
    ) -> tuple[Measured, int]:
        """Statistics with those of the tiles of an incomplete frame that have arrived, and their number.

        They are measured each time that a quarter more is there, not at each tile.
        """
        part = Part.of(frame, tiles)
        if not tiles or known.covers(part):
            return known, tiles
        is_same = self.frame is not None and self.shows_plane_of(frame) and self.frame.window == frame.window
        before = self.tiles_measured if is_same and not self.is_whole and self.measured is not known else 0
        if self.measured is not None and before and tiles < _MORE * before:
            return self.measured, before
        return measure(settings, mosaics, part).pooled(known), tiles

    def _grown(
        self, known: Measured, frame: Frame, settings: ViewSettings, mosaics: tuple[Mosaic, ...]
    ) -> Measured:
        """Statistics with those of a complete frame, if it shows more than they are of."""
        part = Part.of(frame)
        if known.covers(part) and self.is_whole and self.shows_plane_of(frame):
            return known
        found = measure(settings, mosaics, part)
        return known.with_counts(found) if known.covers(part) else found.pooled(known)

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
