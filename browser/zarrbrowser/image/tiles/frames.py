"""What to read for a view of an image, and the picture composed of the tiles already loaded.

A frame is one view: the sampling that the screen can show, the tiles in view, nearest to the centre first, and their read cost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.levels import Image, Level
from zarrbrowser.image.tiles.raster import Raster, Tile, Window
from zarrbrowser.image.tiles.tile_cache import TileCache
from zarrbrowser.nodes.read_cost import ASK_ABOVE_BYTES, ReadCost
from zarrcore.typing import AnyArray

_MARGIN = 0.25
"""The margin drawn beyond each edge from loaded tiles, as a fraction of the view, so that panning shows no blank."""
_SNAP = 64
"""Windows end at multiples of this number of samples, so that a small pan does not need a new picture."""
_BACKDROP_TILES = 4
"""The coarsest level is read first, as a backdrop, if it has at most this size."""


@dataclass(frozen=True, slots=True)
class View:
    """The part of the base on the screen, and its scale; half-open intervals down and to the right."""

    rows: tuple[float, float]
    columns: tuple[float, float]
    height_px: float
    width_px: float

    def density(self, side: int) -> float:
        """Elements of the base per pixel, down (0) or to the right (1)."""
        low, high = (self.rows, self.columns)[side]
        return (high - low) / max(1.0, (self.height_px, self.width_px)[side])


@dataclass(frozen=True, slots=True)
class Frame:
    """One view, ready to be read."""

    planes: tuple[Axes, ...]
    """One per blended channel, else one."""
    rasters: tuple[Raster, ...]
    """One per plane."""
    window: Window
    """The samples to draw."""
    tiles: tuple[Tile, ...]
    """The tiles in view, in the order to read them."""
    backdrop: tuple[Tile, ...]
    """Coarse tiles, to be read before all others."""
    cost: ReadCost
    """The read cost of the tiles that are not loaded yet."""
    is_held_back: bool = False
    """Whether it costs more than may be read without asking; then only loaded tiles are drawn."""

    @property
    def raster(self) -> Raster:
        """The raster of the first channel."""
        return self.rasters[0]

    @property
    def rect(self) -> tuple[float, float, float, float]:
        """The part of the base that the window covers: top, left, bottom, right."""
        return rect_of(self.raster, self.window)

    def missing(self, cache: TileCache) -> list[Tile]:
        """The tiles to read, in order."""
        if self.is_held_back:
            return []
        return [tile for tile in (*self.backdrop, *self.tiles) if tile not in cache]


@dataclass(frozen=True, slots=True)
class Mosaic:
    """Samples of a window of one raster, composed of tiles."""

    raster: Raster
    window: Window
    values: AnyArray
    """Unchanged elements; RGB along a third axis, if the raster has it."""
    is_there: AnyArray | None
    """Where values are loaded; None if they are everywhere."""
    holes: tuple[Window, ...] = ()
    """Samples that could not be read."""

    @property
    def rect(self) -> tuple[float, float, float, float]:
        """The part of the base that it covers: top, left, bottom, right."""
        return rect_of(self.raster, self.window)


def is_constant(mosaics: Sequence[Mosaic]) -> bool:
    """Whether all samples have the same value, as those of chunks that were never written."""
    return all(_is_constant(mosaic.values) for mosaic in mosaics)


def _is_constant(values: AnyArray) -> bool:
    if not values.size:
        return False
    first = values.reshape(-1)[:1]
    return bool(((values == first) | (values != values)).all())


def rect_of(raster: Raster, window: Window) -> tuple[float, float, float, float]:
    """The part of the base that a window of samples covers: top, left, bottom, right."""
    (top, left), (bottom, right) = (
        [raster.to_base(side, edge - 0.5) for side, edge in enumerate(edges)]
        for edges in zip(*((part.start, part.stop) for part in window), strict=True)
    )
    return top, left, bottom, right


def plan(
    image: Image,
    planes: Sequence[Axes],
    view: View,
    is_there: Callable[[Tile], bool] = lambda _tile: False,
    may_read_bytes: int = 0,
) -> Frame:
    """The finest frame that the screen can show and that may be read without asking; else the coarsest, held back.

    Args:
        planes: the plane, or the same plane at each of the channels to blend.
        is_there: whether a tile is loaded.
        may_read_bytes: the size that the user agreed to read.
    """
    limit, frame = max(ASK_ABOVE_BYTES, may_read_bytes), None
    wanted = _finest(image, planes[0], view)
    for number in range(wanted, len(image.levels)):
        frame = _frame(image, number, planes, view, is_there)
        if frame.cost.nbytes <= limit:
            return frame
    assert frame is not None  # noqa: S101 - an image has a level
    return replace(frame, backdrop=(), is_held_back=True)


def _finest(image: Image, axes: Axes, view: View) -> int:
    """The coarsest level whose elements are no larger than pixels."""
    best = 0
    for number, level in enumerate(image.levels):
        fits = (
            level.factors[axis] <= max(1.0, view.density(side)) * 1.001
            for side, axis in enumerate((axes.rows, axes.columns))
        )
        if all(fits):
            best = number
    return best


def _steps(level: Level, axes: Axes, view: View) -> tuple[int, int]:
    """Elements per pixel, down and to the right, as powers of two so that tiles serve several zoom levels."""
    ratios = (view.density(side) / level.factors[axis] for side, axis in enumerate((axes.rows, axes.columns)))
    down, right = (2 ** max(0, math.floor(math.log2(max(1.0, ratio) * 1.001))) for ratio in ratios)
    return down, right


def _frame(
    image: Image,
    number: int,
    planes: Sequence[Axes],
    view: View,
    is_there: Callable[[Tile], bool],
) -> Frame:
    level = image.levels[number]
    steps = _steps(level, planes[0], view)
    rasters = tuple(Raster.of(level, one, steps) for one in planes)
    seen, drawn = window_of(rasters[0], view), window_of(rasters[0], view, _MARGIN, _SNAP)
    by_raster = [raster.tiles(seen) for raster in rasters]
    tiles = tuple(tile for together in zip(*by_raster, strict=True) for tile in together)
    missing = [tile for tile in tiles if not is_there(tile)]
    cost = rasters[0].cost(missing)
    backdrop = _backdrop(image, number, planes) if missing else ()
    return Frame(tuple(planes), rasters, drawn, tiles, backdrop, cost)


def _backdrop(image: Image, number: int, planes: Sequence[Axes]) -> tuple[Tile, ...]:
    """The whole plane at the coarsest level, if there is a coarser one and it is small."""
    if number >= len(image.levels) - 1:
        return ()
    found = []
    for one in planes:
        raster = Raster.of(image.levels[-1], one)
        height, width = raster.shape
        found += raster.tiles((slice(0, height), slice(0, width)))
    return tuple(found) if len(found) <= _BACKDROP_TILES * len(planes) else ()


def window_of(raster: Raster, view: View, margin: float = 0.0, snap: int = 1) -> Window:
    """The samples in view, and a margin beyond, in multiples of ``snap``."""
    parts = []
    for side, (low, high) in enumerate((view.rows, view.columns)):
        grown = (high - low) * margin
        first = raster.to_sample(side, low - grown) + 0.5
        last = raster.to_sample(side, high + grown) + 0.5
        length = raster.shape[side]
        start = min(max(math.floor(first / snap) * snap, 0), length)
        stop = min(max(math.ceil(last / snap) * snap, start), length)
        parts.append(slice(start, stop))
    return parts[0], parts[1]


def assemble(raster: Raster, window: Window, cache: TileCache, backdrops: Sequence[Mosaic] = ()) -> Mosaic:
    """Compose a window of the loaded tiles; gaps are filled from backdrops, the best first."""
    height, width = (part.stop - part.start for part in window)
    pieces = [(tile, cache.get(tile)) for tile in raster.tiles(window)]
    holes = tuple(hole for tile, _ in pieces for hole in cache.holes(tile))
    whole = None if holes else _single(raster, window, pieces)
    if whole is not None:
        return Mosaic(raster, window, whole, None)
    colours = () if raster.channel is None else (raster.level.array.shape[raster.channel],)
    values = np.zeros((height, width, *colours), raster.dtype)
    is_there = np.zeros((height, width), bool)
    for tile, piece in pieces:
        if piece is not None:
            here, there = _overlap(raster.samples(tile), window)
            values[here], is_there[here] = piece[there], True
    for hole in holes:
        is_there[_overlap(hole, window)[0]] = False
    for backdrop in backdrops:
        if not is_there.all():
            _fill(values, is_there, raster, window, backdrop)
    return Mosaic(raster, window, values, None if is_there.all() else is_there, holes)


def _single(raster: Raster, window: Window, pieces: list[tuple[Tile, AnyArray | None]]) -> AnyArray | None:
    """The window as a part of one tile, without a copy."""
    if len(pieces) != 1 or pieces[0][1] is None:
        return None
    _, there = _overlap(raster.samples(pieces[0][0]), window)
    return pieces[0][1][there]


def _overlap(samples: Window, window: Window) -> tuple[Window, Window]:
    """The overlap of a tile and the window: its place in the window and in the tile."""
    here, there = [], []
    for mine, wanted in zip(samples, window, strict=True):
        start = max(mine.start, wanted.start)
        stop = max(start, min(mine.stop, wanted.stop))
        here.append(slice(start - wanted.start, stop - wanted.start))
        there.append(slice(start - mine.start, stop - mine.start))
    return (here[0], here[1]), (there[0], there[1])


def _fill(values: AnyArray, is_there: AnyArray, raster: Raster, window: Window, other: Mosaic) -> None:
    """Fill gaps with the nearest samples of another mosaic."""
    places, inside = [], []
    for side, part in enumerate(window):
        centres = [raster.to_base(side, part.start), raster.to_base(side, part.start + 1)]
        base = centres[0] + (centres[1] - centres[0]) * np.arange(part.stop - part.start)
        first, second = (other.raster.to_sample(side, one) for one in (0.0, 1.0))
        nearest = np.rint(first + (second - first) * base).astype(np.int64) - other.window[side].start
        length = other.values.shape[side]
        inside.append((nearest >= 0) & (nearest < length))
        places.append(np.clip(nearest, 0, max(length - 1, 0)))
    if not all(part.any() for part in inside):
        return
    grid = np.ix_(places[0], places[1])
    fills = np.logical_and.outer(inside[0], inside[1]) & ~is_there
    if other.is_there is not None:
        fills &= other.is_there[grid]
    values[fills] = other.values[grid][fills]
    is_there |= fills
