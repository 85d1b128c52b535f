"""What of the view of one variable applies to the next one of the same grid."""

from __future__ import annotations

from dataclasses import replace

from zarrbrowser.image.colours.colour_maps import CYCLIC, LABELS
from zarrbrowser.image.levels import Image
from zarrbrowser.image.view_settings import ViewSettings
from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.values.elements import unit_of

_OF_GRID = ("coordinates", "grid_mapping")
"""Attributes that name where elements are; variables of a group share the coordinates of dimensions of one name."""
_OF_CLASSES = ("flag_values", "flag_masks")


def carried(settings: ViewSettings, image: Image, before: ViewSettings, array: ArrayLike) -> ViewSettings:
    """First settings, with the projection, contours, colours and range of the variable of the same group that was shown before.

    The range carries over only between numbers of one unit, and neither it nor colours between classes and quantities.
    """
    if not _share_a_grid(settings, image.base, before, array):
        return settings
    settings = replace(
        settings,
        projection=before.projection,
        coastlines=before.coastlines,
        graticule=before.graticule,
        contours=before.contours,
    )
    if image.is_labels or before.colour_map in (LABELS, CYCLIC) or _has_classes(image.base, array):
        return settings
    units = unit_of(image.base, settings.elements), unit_of(array, before.elements)
    is_plain = not (before.is_derived or before.is_blended or settings.is_blended)
    if not (is_plain and units[0] and units[0] == units[1]):
        return settings
    return replace(settings, norm=before.norm, contrast=before.contrast, keeps_range=before.keeps_range)


def _share_a_grid(settings: ViewSettings, mine: ArrayLike, before: ViewSettings, other: ArrayLike) -> bool:
    """Whether the planes of two variables of a group have the same places: named alike, equally long."""
    if mine.dimension_names is None or other.dimension_names is None:
        return False
    one, two = (
        [(each.axes.names[axis], each.axes.shape[axis]) for axis in (each.axes.rows, each.axes.columns)]
        for each in (settings, before)
    )
    return one == two and all(mine.attributes.get(name) == other.attributes.get(name) for name in _OF_GRID)


def _has_classes(*arrays: ArrayLike) -> bool:
    return any(name in array.attributes for array in arrays for name in _OF_CLASSES)
