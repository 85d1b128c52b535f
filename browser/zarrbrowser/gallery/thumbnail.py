"""A thumbnail: one plane of an image, from the coarsest level that is as large as the thumbnail.

Its samples are kept instead of its colours, so that all thumbnails of a plate can share one contrast.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.gallery.cells import FIRST_FIELD, Cell, FieldChoice, gallery_of, has_gallery
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode
from zarrbrowser.image.colours.painting import Measured, bounds, measure, paint, style_of
from zarrbrowser.image.levels import Image, image_of_array, proportion
from zarrbrowser.image.multiscales import image_of_group, is_image
from zarrbrowser.image.state import ImageState
from zarrbrowser.image.tiles.frames import Mosaic
from zarrbrowser.image.tiles.raster import Raster, Window
from zarrbrowser.image.view_settings import ViewSettings, initial_settings
from zarrbrowser.nodes.protocols import NodeLike, is_array, is_broken
from zarrbrowser.values.numbers import why_no_picture
from zarrbrowser.values.quantities import count, format_bytes

MOST_BYTES = 32 * 2**20
"""The chunks of a thumbnail decode to at most this size: an image without a pyramid is not read for a thumbnail."""
_MOST_DEPTH = 4
"""Groups of images within groups of images: a plate, a well, a field."""

Levels = tuple[tuple[float, float], ...]
"""The values of the first and the last colour, one pair for each channel that is shown."""


class NoThumbnail(Exception):  # noqa: N818 - not an error of the program
    """A sentence that says why a node has no thumbnail."""


class Missing(NoThumbnail):
    """The node does not exist, although the metadata name it."""


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """The samples of one plane."""

    image: Image
    settings: ViewSettings
    mosaics: tuple[Mosaic, ...]
    """One per blended channel, else one."""
    measured: Measured
    side: int
    """The number of samples that were asked for along the longer side."""
    proportion: float
    """The width of the whole picture divided by its height."""
    read_bytes: int
    """The size of the chunks that were decoded."""
    fields: int = 1
    """The number of fields of the well that the image was chosen from; 1 if it is of no well."""

    @property
    def nbytes(self) -> int:
        """The size of the samples, and of those that its statistics keep."""
        measured = sum(found.sample.nbytes for found in self.measured.statistics)
        return sum(mosaic.values.nbytes for mosaic in self.mosaics) + measured

    @property
    def kind(self) -> tuple[Any, ...]:
        """Thumbnails of the same kind can share their contrast."""
        settings = self.settings
        names = (
            tuple(settings.channels[one].channel.name for one in settings.channels_on)
            if settings.is_blended
            else ()
        )
        return (self.image.base.dtype, names, self.image.is_labels)

    @property
    def levels(self) -> Levels:
        """Its own contrast."""
        return tuple(bounds(self.settings, self.measured))


def read_thumbnail(
    cell: Cell,
    find: Callable[[str], Any],
    side: int,
    cancelled: Callable[[], bool] | None = None,
    choice: FieldChoice = FIRST_FIELD,
) -> Thumbnail:
    """Read the thumbnail of a cell; blocks.

    Args:
        cell: an image, or a group of images whose first image counts.
        find: the node at an absolute path.
        side: the wanted number of samples along the longer side.
        choice: the field of a well.

    Raises:
        Missing: the node of the cell does not exist.
        NoThumbnail: it has no picture, or reading it would decode too much.
        ReadCancelledError: ``cancelled`` became true.
        ZarrError: it cannot be read.
    """
    image, fields = _image(cell, find, choice)
    base = image.base
    if 0 in base.shape:
        raise NoThumbnail("This image holds no elements: one of its axes has length 0.")
    if reason := why_no_picture(base.dtype):
        raise NoThumbnail(reason)
    settings = initial_settings(image)
    planes = settings.planes(image)
    rasters, cost = _rasters(image, planes, side)
    if cost > MOST_BYTES:
        raise NoThumbnail(
            f"Its coarsest level is too large for a thumbnail: {format_bytes(cost)} would be decoded. Open it to see it."
        )
    mosaics = tuple(
        Mosaic(raster, _all(raster), raster.read(_all(raster), cancelled), None) for raster in rasters
    )
    axes = settings.axes
    ratio = axes.width * proportion(image, axes.rows, axes.columns) / max(1, axes.height)
    return Thumbnail(image, settings, mosaics, measure(settings, mosaics), side, ratio, cost, fields)


def paint_thumbnail(thumbnail: Thumbnail, colour_map: str, levels: Levels | None = None) -> NDArray[np.uint8]:
    """The picture, shape (h, w, 4).

    Args:
        colour_map: for images whose metadata give no colours.
        levels: the contrast; by default that of the thumbnail itself.
    """
    settings, measured = thumbnail.settings, thumbnail.measured
    if levels is not None and len(levels) == len(measured.statistics):
        settings = _with_levels(settings, levels)
    state = ImageState(thumbnail.image, settings, _nothing, colour_map)
    return paint(settings, thumbnail.mosaics, measured, style_of(state, measured))


class SharedContrast:
    """One contrast for all thumbnails of a kind: the widest of theirs, so that equal values have equal colours."""

    def __init__(self) -> None:
        self._levels: dict[tuple[Any, ...], Levels] = {}

    def add(self, thumbnail: Thumbnail) -> bool:
        """Take a thumbnail into account; returns whether the contrast of its kind has changed."""
        before, mine = self._levels.get(thumbnail.kind), thumbnail.levels
        after = mine
        if before is not None:
            after = tuple(
                (min(one[0], other[0]), max(one[1], other[1]))
                for one, other in zip(before, mine, strict=True)
            )
        self._levels[thumbnail.kind] = after
        return before != after

    def levels(self, thumbnail: Thumbnail) -> Levels | None:
        """The shared contrast for a thumbnail; None if none of its kind was added."""
        return self._levels.get(thumbnail.kind)


def _image(cell: Cell, find: Callable[[str], Any], choice: FieldChoice) -> tuple[Image, int]:
    """The image of a cell, and the number of fields that it was chosen from."""
    from zarrcore.errors import NodeNotFoundError  # late: for a fast start

    try:
        node: NodeLike = find(cell.path)
    except NodeNotFoundError:
        raise Missing(f"The metadata name {cell.path}, but it does not exist.") from None
    fields = 1
    for _ in range(_MOST_DEPTH):
        if is_broken(node):
            raise node.error
        if is_array(node):
            if node.ndim < 2:
                raise NoThumbnail("This array has fewer than two axes.")
            return image_of_array(node), fields
        if is_image(node):
            return image_of_group(node, find), fields
        inner = gallery_of(node, find) if has_gallery(node) else None
        if inner is None or not inner.cells:
            break
        chosen = inner.cells[0]
        if inner.noun == "field":
            chosen, fields = _field(inner.cells, choice)
        node = find(chosen.path)
    raise NoThumbnail(f"{node.path} names no image.")


def _field(cells: Sequence[Cell], choice: FieldChoice) -> tuple[Cell, int]:
    """The chosen field of a well, and the number of its fields."""
    fields = choice.fields(cells)
    if not fields:
        raise NoThumbnail(f"This well has no field of acquisition {choice.acquisition}.")
    if choice.number >= len(fields):
        of_which = "" if choice.acquisition is None else f" of acquisition {choice.acquisition}"
        raise NoThumbnail(f"This well has only {count(len(fields), 'field')}{of_which}.")
    return fields[choice.number], len(fields)


def _rasters(image: Image, planes: list[Axes], side: int) -> tuple[list[Raster], int]:
    """The samples of the coarsest level that is large enough, or of a coarser one that costs less; and their cost in bytes."""
    axes = planes[0]
    per_sample = max(axes.height, axes.width) / max(1, side)
    wanted = 0
    for number, level in enumerate(image.levels):
        if max(level.factors[axes.rows], level.factors[axes.columns]) <= max(1.0, per_sample) * 1.001:
            wanted = number
    for level in image.levels[wanted:]:
        length = max(level.array.shape[axes.rows], level.array.shape[axes.columns])
        step = 2 ** max(0, math.floor(math.log2(max(1.0, length / max(1, side)))))
        rasters = [Raster.of(level, one, (step, step)) for one in planes]
        cost = sum(raster.cost(raster.tiles(_all(raster))).nbytes for raster in rasters)
        if cost <= MOST_BYTES:
            break
    return rasters, cost


def _all(raster: Raster) -> Window:
    height, width = raster.shape
    return slice(0, height), slice(0, width)


def _with_levels(settings: ViewSettings, levels: Levels) -> ViewSettings:
    fixed = [Contrast(ContrastMode.FIXED, *one) for one in levels]
    if not settings.is_blended:
        return replace(settings, contrast=fixed[0])
    for position, contrast in zip(settings.channels_on, fixed, strict=True):
        settings = settings.with_channel(position, contrast=contrast)
    return settings


def _nothing(path: str) -> Any:
    raise LookupError(path)
