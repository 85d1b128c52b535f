"""A plate as one image: the first field of each well at the place of the well.

All images of a plate are taken for images of one shape and type, those of the first well. A well whose image is smaller is
padded with zeros, and a well that is missing or cannot be opened is black.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from zarrcore.array import Selection
from zarrcore.conventions import MultiscaleImage, Plate, Well, image_of, is_image, meaning
from zarrcore.errors import MetadataError, StoreError, ZarrError
from zarrcore.interop.napari.elements import conversion_of
from zarrcore.interop.napari.images import check_shown, coarser, layers_of_levels
from zarrcore.interop.napari.layer_data import LayerData
from zarrcore.threads import ThreadPool
from zarrcore.typing import AnyArray

_IN_FLIGHT: Final = 16
"""Wells that are read at once."""


def plate_layers(group: Any, plate: Plate, find: Callable[[str], Any], name: str) -> list[LayerData]:
    """The layers of a plate: one, or one for each channel.

    Args:
        group: the group of the plate.
        plate: what its metadata say.
        find: returns the node at an absolute path.
        name: of the layers.

    Raises:
        MetadataError: no well has an image.
        UnsupportedError: the images have no numbers.
        StoreError: the store failed.
    """
    image = _first_image(group, plate, find)
    base = image.levels[0].node
    check_shown(base)
    wells = _Wells(group.path.rstrip("/"), find)
    tiles = {(well.row, well.column): well.path for well in plate.wells}
    grid = (max(row for row, _ in tiles) + 1, max(column for _, column in tiles) + 1)
    usable = coarser([level.node for level in image.levels])
    mosaics = [
        Mosaic(level.node, grid, {place: partial(wells.level, path, number) for place, path in tiles.items()})
        for number, level in enumerate(image.levels)
        if level.node in usable
    ]
    return layers_of_levels(replace(image, is_labels=False), mosaics, name, conversion_of(base))


def first_field(group: Any, find: Callable[[str], Any]) -> Any:
    """The image group of the first field of a well.

    Raises:
        MetadataError: the well has no fields.
        NodeNotFoundError, StoreError: as `find`.
    """
    well = meaning(group, find)
    if not isinstance(well, Well) or not well.fields:
        raise MetadataError(f"{group.path}: its metadata describe no well with fields")
    return find(f"{group.path.rstrip('/')}/{well.fields[0].path}")


def _first_image(group: Any, plate: Plate, find: Callable[[str], Any]) -> MultiscaleImage:
    for well in plate.wells:
        try:
            field = first_field(find(f"{group.path.rstrip('/')}/{well.path}"), find)
            if is_image(field):
                return image_of(field, find)
        except StoreError:
            raise
        except ZarrError:
            continue  # the next well may have one
    raise MetadataError(f"{group.uri}: no well of this plate has an image")


class _Wells:
    """The levels of the images of wells, found when they are needed."""

    def __init__(self, plate: str, find: Callable[[str], Any]) -> None:
        self._plate = plate
        self._find = find
        self._images: dict[str, MultiscaleImage | None] = {}

    def level(self, path: str, number: int) -> Any | None:
        """One level of a well's image; None if the well has none.

        Raises:
            StoreError: the store failed.
        """
        if path not in self._images:  # two threads may both look: that is harmless
            self._images[path] = self._image(path)
        image = self._images[path]
        levels = image.levels if image is not None else ()
        return levels[number].node if number < len(levels) and levels[number].node.kind == "array" else None

    def _image(self, path: str) -> MultiscaleImage | None:
        try:
            return image_of(first_field(self._find(f"{self._plate}/{path}"), self._find), self._find)
        except StoreError:
            raise
        except ZarrError:
            return None


class Mosaic:
    """Arrays of one shape and type side by side along the last two dimensions.

    Args:
        pattern: an array with the shape and type of each.
        grid: the number of rows and columns of arrays.
        tiles: for places in the grid, what opens the array there; it returns None if there is none.
    """

    def __init__(
        self, pattern: Any, grid: tuple[int, int], tiles: Mapping[tuple[int, int], Callable[[], Any | None]]
    ) -> None:
        self._tile_shape = tuple(pattern.shape)
        self._tiles = tiles
        rows, columns = grid
        self.dtype: np.dtype[Any] = pattern.dtype
        self.shape = (*self._tile_shape[:-2], rows * self._tile_shape[-2], columns * self._tile_shape[-1])

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def read(self, selection: tuple[int | slice, ...]) -> AnyArray:
        """The selected elements, as `zarrcore.Array.read`; only tiles that are selected are read.

        Raises:
            CodecError, StoreError: as `zarrcore.Array.read`.
        """
        *before, rows, columns = selection
        found = [
            range(length)[part]
            for part, length in zip(selection, self.shape, strict=True)
            if isinstance(part, slice)
        ]
        out = np.zeros([len(part) for part in found], self.dtype)
        crossed = [
            ((row, column), (out_rows, out_columns), (*before, in_rows, in_columns))
            for (row, out_rows, in_rows), (column, out_columns, in_columns) in itertools.product(
                [*_crossed(rows, self.shape[-2], self._tile_shape[-2])],
                [*_crossed(columns, self.shape[-1], self._tile_shape[-1])],
            )
            if (row, column) in self._tiles
        ]
        with ThreadPool(_IN_FLIGHT) as pool:
            list(pool.map(lambda told: self._fill(out, *told), crossed))
        return out

    def _fill(self, out: AnyArray, place: tuple[int, int], at: tuple[Any, Any], selection: Selection) -> None:
        """Read a part of one tile into its place; what the tile does not have stays 0."""
        array = self._tiles[place]()
        if array is None or array.ndim != self.ndim:
            return
        if array.shape != self._tile_shape:
            array = _Padded(array, self._tile_shape)
        target = out[(..., *(part for part in at if part is not None))]
        target[...] = array.read(selection)


class _Padded:
    """An array with zeros where it is smaller than a shape, and cut where it is larger."""

    def __init__(self, array: Any, shape: tuple[int, ...]) -> None:
        self._array = array
        self._shape = shape

    def read(self, selection: Any) -> AnyArray:
        whole = np.zeros(self._shape, self._array.dtype)
        common = tuple(slice(0, min(pair)) for pair in zip(self._shape, self._array.shape, strict=True))
        whole[common] = self._array.read(common)
        found: AnyArray = whole[selection]
        return found


def _crossed(part: int | slice, length: int, tile: int) -> Iterator[tuple[int, slice | None, int | slice]]:
    """The tiles that a selection along one dimension crosses: number, place in the result, and selection in the tile.

    >>> list(_crossed(slice(3, 9), 12, 4))
    [(0, slice(0, 1, None), slice(3, 4, 1)), (1, slice(1, 5, None), slice(0, 4, 1)), (2, slice(5, 6, None), slice(0, 1, 1))]
    >>> list(_crossed(5, 12, 4))
    [(1, None, 1)]
    """
    if not isinstance(part, slice):
        yield part // tile, None, part % tile
        return
    positions = range(length)[part]
    for number, group in itertools.groupby(range(len(positions)), lambda index: positions[index] // tile):
        indices = [*group]
        first, last = positions[indices[0]] % tile, positions[indices[-1]] % tile
        stop = last + (1 if positions.step > 0 else -1)
        yield (
            number,
            slice(indices[0], indices[-1] + 1),
            slice(first, None if stop < 0 else stop, positions.step),
        )
