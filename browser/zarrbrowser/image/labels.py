"""Labels over an image: OME-NGFF, "labels" metadata.

The group ``labels`` of an image lists them. Each is an image, which may have fewer axes, other levels and another scale.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.image.axes import Axes
from zarrbrowser.image.colours.colour_maps import LABELS
from zarrbrowser.image.colours.render import Style, rgba
from zarrbrowser.image.levels import Image, Level
from zarrbrowser.image.multiscales import image_of_group
from zarrbrowser.image.tiles.frames import Mosaic, View
from zarrbrowser.image.tiles.raster import Raster
from zarrbrowser.values.quantities import format_value

_MOST_PROPERTIES, _LONGEST_PROPERTY = 4, 40


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels over an image; axes with the same name are the same axis."""

    name: str
    image: Image
    """The labels themselves."""
    over: Image

    def axes(self, axes: Axes) -> Axes | None:
        """The plane of the labels over a plane of the image; None if the labels lack an axis of the picture."""
        common = self._common()
        if axes.rows not in common or axes.columns not in common:
            return None
        shape = tuple(self.image.base.shape)
        index = [0] * len(shape)
        for axis, mine in common.items():
            position = round(self.place(axis, axes.index[axis]))
            index[mine] = min(max(position, 0), max(shape[mine] - 1, 0))
        return Axes(shape, self.image.names, common[axes.rows], common[axes.columns], None, tuple(index))

    def view(self, axes: Axes, view: View) -> View:
        """The view of the labels that covers a view of the image."""
        rows, columns = (
            (self.place(axis, low), self.place(axis, high))
            for axis, (low, high) in ((axes.rows, view.rows), (axes.columns, view.columns))
        )
        return View(rows, columns, view.height_px, view.width_px)

    def rect(self, axes: Axes, mosaic: Mosaic) -> tuple[float, float, float, float]:
        """The part of the image that a mosaic of labels covers: top, left, bottom, right."""
        top, left, bottom, right = mosaic.rect
        (rows, down), (columns, along) = self._steps(axes.rows), self._steps(axes.columns)
        return (
            (top - down) / rows,
            (left - along) / columns,
            (bottom - down) / rows,
            (right - along) / columns,
        )

    def place(self, axis: int, position: float) -> float:
        """A position along an axis of the image, converted to the same axis of the labels."""
        factor, offset = self._steps(axis)
        return position * factor + offset

    def _steps(self, axis: int) -> tuple[float, float]:
        """Elements of the labels per element of the image, and the position of the image's element 0 in them."""
        mine = self._common()[axis]
        image, labels = self.over, self.image
        if image.spacing and labels.spacing and image.spacing[axis] * labels.spacing[mine] > 0:
            apart = labels.spacing[mine]
            return image.spacing[axis] / apart, (image.origin[axis] - labels.origin[mine]) / apart
        factor = max(1, labels.base.shape[mine]) / max(1, image.base.shape[axis])
        return factor, (factor - 1) / 2  # both cover the same extent

    def _common(self) -> dict[int, int]:
        mine = {name: axis for axis, name in enumerate(self.image.names)}
        return {axis: mine[name] for axis, name in enumerate(self.over.names) if name in mine}


@dataclass(frozen=True, slots=True)
class DrawnLabels:
    """Labels over the picture of one plane, as drawn on the screen."""

    labels: Labels
    axes: Axes
    """The plane, in elements of the image's base."""
    level: Level
    """The level of the picture."""
    opacity: float

    def over(
        self, rows: slice, columns: slice, cancelled: Callable[[], bool] | None = None
    ) -> NDArray[np.uint8]:
        """The colours over a part of the picture's level, shape (h, w, 4); transparent outside labels.

        Raises:
            ReadCancelledError: ``cancelled`` became true.
            ZarrError: a chunk cannot be read or decoded.
        """
        picture_axes = (self.axes.rows, self.axes.columns)
        plane = self.labels.axes(self.axes)
        lengths = [self.level.array.shape[axis] for axis in picture_axes]
        sides = [range(n)[part] for n, part in zip(lengths, (rows, columns), strict=True)]
        colours = np.zeros((len(sides[0]), len(sides[1]), 4), np.uint8)
        if plane is None or not colours.size:
            return colours
        ends = [
            [self.labels.place(axis, self.level.base(axis, place)) for place in (0, 1)]
            for axis in picture_axes
        ]
        raster = self._raster(plane, [abs(second - first) for first, second in ends])
        samples = []
        for side, (first, second) in enumerate(ends):
            at = first + (second - first) * np.array(sides[side], np.float64)
            start = raster.to_sample(side, 0.0)
            samples.append(np.rint(start + (raster.to_sample(side, 1.0) - start) * at).astype(np.int64))
        inside = [(at >= 0) & (at < n) for at, n in zip(samples, raster.shape, strict=True)]
        if not all(one.any() for one in inside):
            return colours
        known = [at[one] for at, one in zip(samples, inside, strict=True)]
        window = tuple(slice(int(np.min(at)), int(np.max(at)) + 1) for at in known)
        values = raster.read((window[0], window[1]), cancelled)
        values = values[np.ix_(*(at - part.start for at, part in zip(known, window, strict=True)))]
        mosaic = Mosaic(raster, (window[0], window[1]), values, None)
        colours[np.ix_(*inside)] = paint_labels(mosaic, self.labels.image)
        return colours

    def _raster(self, plane: Axes, apart: Sequence[float]) -> Raster:
        """The coarsest samples of the labels that are not larger than pixels.

        Args:
            apart: from one pixel to the next, down and to the right, in elements of the labels.
        """
        axes, best = (plane.rows, plane.columns), self.labels.image.levels[0]
        for level in self.labels.image.levels:
            if all(
                level.factors[axis] <= max(1.0, step) * 1.001 for axis, step in zip(axes, apart, strict=True)
            ):
                best = level
        steps = [max(1, int(step / best.factors[axis])) for axis, step in zip(axes, apart, strict=True)]
        return Raster.of(best, plane.as_plane(), (steps[0], steps[1]))


def lay_over(picture: NDArray[np.uint8], over: NDArray[np.uint8], opacity: float) -> NDArray[np.uint8]:
    """A picture with another one over it; both of shape (h, w, 4)."""
    share = over[..., 3:].astype(np.float32) * (opacity / 255)
    below = picture[..., 3:].astype(np.float32) * (1 - share) / 255
    total = share + below
    with np.errstate(invalid="ignore", divide="ignore"):
        mixed = (over[..., :3] * share + picture[..., :3] * below) / total
    result = np.empty_like(picture)
    result[..., :3] = np.nan_to_num(mixed).round()
    result[..., 3:] = (total * 255).round()
    return result


def label_names(image: Image, find: Callable[[str], Any]) -> tuple[str, ...]:
    """The labels that an image has; blocks.

    Args:
        find: the node at an absolute path.

    Raises:
        StoreError: the store failed.
    """
    from zarrcore.conventions import label_paths  # late: for a fast start

    if image.is_labels or image.path == image.base.path:
        return ()  # an array by itself, or a label image
    return label_paths(image.path, find)


def open_labels(over: Image, name: str, find: Callable[[str], Any]) -> Labels:
    """Open labels of an image; blocks.

    Raises:
        ZarrError: the labels are missing or are not an image.
    """
    group = find(f"{over.path.rstrip('/')}/labels/{name}")
    return Labels(name, image_of_group(group, find), over)


def paint_labels(mosaic: Mosaic, image: Image) -> NDArray[np.uint8]:
    """A colour for each label, shape (h, w, 4); 0 (no label) and elements not read yet are transparent."""
    colours = rgba(mosaic.values, Style(LABELS, label_colours=image.label_colours))
    seen = mosaic.values != 0 if mosaic.is_there is None else (mosaic.values != 0) & mosaic.is_there
    colours.view(np.uint32)[..., 0] *= seen
    return colours


def label_text(image: Image, value: Any) -> str:
    """A label and its first properties: ``17 (class neuron, area 12.5)``."""
    text, whole = format_value(value), int(value)
    label = image.labels.get(whole) if whole == value else None
    told = list(label.properties.items())[:_MOST_PROPERTIES] if label is not None else []
    return text + (f" ({', '.join(f'{name} {_short(one)}' for name, one in told)})" if told else "")


def _short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST_PROPERTY else text[: _LONGEST_PROPERTY - 1] + "…"
