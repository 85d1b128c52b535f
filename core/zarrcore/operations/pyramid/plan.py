"""Planning a pyramid: which levels, of which shapes, under which names, and where their elements are in space.

OME-NGFF 0.4 and 0.5, "multiscales". Coordinates are those of the centres of elements. Element 0 of a level that was reduced by a
factor f stands for elements 0 to f - 1 of the level before, so that its centre is (f - 1) / 2 elements further.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from zarrcore.errors import MetadataError, NodeNotFoundError, SelectionError, UnsupportedError
from zarrcore.hierarchy import ArrayNode, Group, Hierarchy, normalize_path
from zarrcore.metadata import ArrayMetadata, RegularChunkGrid
from zarrcore.operations.pyramid.image import Dataset, Image, new_image, stored_image
from zarrcore.operations.pyramid.reduce import check_method, reduced_shape

_SMALL = 512
"""A level whose spatial axes are not longer than this is the last one."""
_MOST_LEVELS = 32


@dataclass(frozen=True, slots=True)
class LevelPlan:
    """One new level."""

    path: str
    """The path of its array."""
    source_path: str
    """The level that it is made from."""
    factors: tuple[int, ...]
    """Elements of that level for each of its own, per axis."""
    metadata: ArrayMetadata
    """Its metadata."""


@dataclass(frozen=True, slots=True)
class PyramidPlan:
    """All new levels of an image."""

    group_path: str
    """The multiscale group."""
    base_path: str
    """The first level."""
    method: str
    """How elements are reduced."""
    levels: tuple[LevelPlan, ...]
    """The new levels, the finest first."""
    image: Image
    """The image with its new levels."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of a pyramid; None for what suits the image."""

    method: str | None = None
    """How elements are reduced: by default ``mode`` for labels and booleans, else ``mean``."""
    factors: tuple[int, ...] | None = None
    """One factor for all spatial axes, or a factor per axis."""
    levels: int | None = None
    """How many new levels."""
    axes: tuple[str, ...] | None = None
    """Names of the axes of a new image; by default those of the dimensions."""
    scale: tuple[float, ...] | None = None
    """Distances of the elements of a new image, per axis."""
    unit: str | None = None
    """The unit of the spatial axes of a new image."""


def plan_pyramid(hierarchy: Hierarchy, path: str, wanted: Wanted | None = None) -> PyramidPlan:
    """Plan the levels of the image at ``path``: an array, or a multiscale group. Nothing is changed.

    Levels of an array are written beside it, and its group becomes a multiscale group.

    Raises:
        NodeNotFoundError: there is no node at ``path``.
        SelectionError: something wanted does not fit the image.
        MetadataError: the metadata of a multiscale group are not those of OME-NGFF 0.4 or 0.5.
        UnsupportedError: the format, the data type or the chunks do not allow it.
    """
    wanted = wanted or Wanted()
    path = normalize_path(path)
    if hierarchy.format.name not in ("v2", "v3"):
        raise UnsupportedError("format", hierarchy.format.name, "has no OME-Zarr metadata")
    group, image = _image(hierarchy, path, wanted)
    base = _array(hierarchy, f"{group.path}/{image.datasets[-1].path}")
    if len(image.axes) != base.ndim:
        raise MetadataError(
            f"{group.path} has {len(image.axes)} axes, but {base.path} has {base.ndim} dimensions"
        )
    method = wanted.method or ("mode" if image.is_labels or base.dtype.kind == "b" else "mean")
    check_method(method, base.dtype)
    factors = _factors(wanted.factors, image)
    levels: list[LevelPlan] = []
    datasets = list(image.datasets)
    metadata, source_path = base.metadata, base.path
    for number, name in enumerate(_names(datasets)):
        lengths = [
            n for n, axis in zip(metadata.shape, image.axes, strict=True) if axis.get("type") == "space"
        ]
        if number == (_MOST_LEVELS if wanted.levels is None else wanted.levels):
            break
        here = tuple(f if n > 1 else 1 for f, n in zip(factors, metadata.shape, strict=True))
        if (wanted.levels is None and max(lengths) <= _SMALL) or max(here) == 1:
            break
        metadata = _level_metadata(metadata, here, image)
        level = LevelPlan(normalize_path(f"{group.path}/{name}"), source_path, here, metadata)
        levels.append(level)
        datasets.append(datasets[-1].reduced(name, here, centred=method != "nearest"))
        source_path = level.path
    plan_image = replace(image, datasets=tuple(datasets), method=method)
    first = normalize_path(f"{group.path}/{image.datasets[0].path}")
    return PyramidPlan(group.path, first, method, tuple(levels), plan_image)


def _image(hierarchy: Hierarchy, path: str, wanted: Wanted) -> tuple[Group, Image]:
    node = hierarchy[path]
    of_new = {"axes": wanted.axes, "scale": wanted.scale, "unit": wanted.unit}
    if isinstance(node, ArrayNode):
        if node.path == "/":
            raise SelectionError(
                "the levels of an array are written beside it, so that it must be in a group"
            )
        group = hierarchy[path.rpartition("/")[0] or "/"]
        if not isinstance(group, Group):
            raise NodeNotFoundError(path, hierarchy.url)
        image = stored_image(group.attributes, group.path)
        if image is None:
            return group, new_image(node, hierarchy.format.name, wanted.axes, wanted.scale, wanted.unit)
        if node.name not in {dataset.path for dataset in image.datasets}:
            raise SelectionError(
                f"{group.path} is the group of another image: move {path} to a group of its own"
            )
    else:
        group, image = node, stored_image(node.attributes, path)
        if image is None:
            raise SelectionError(f"{path} is a group without an image: name an array")
    for name, value in of_new.items():
        if value is not None:
            raise SelectionError(f"the metadata of {group.path} state the {name} already: omit --{name}")
    return group, image


def _array(hierarchy: Hierarchy, path: str) -> ArrayNode:
    node = hierarchy[normalize_path(path)]
    if not isinstance(node, ArrayNode):
        raise MetadataError(f"{path} is not an array")
    return node


def _factors(factors: Sequence[int] | None, image: Image) -> tuple[int, ...]:
    """A factor per axis; 1 for all but those of space."""
    is_space = [axis.get("type") == "space" for axis in image.axes]
    if factors is None or len(factors) == 1:
        factor = factors[0] if factors else 2
        return tuple(factor if space else 1 for space in is_space)
    if len(factors) != len(is_space):
        raise SelectionError(f"expected 1 or {len(is_space)} factors, found {len(factors)}")
    if any(factor != 1 and not space for factor, space in zip(factors, is_space, strict=True)):
        raise SelectionError("only spatial axes are reduced: the factor of the others is 1")
    return tuple(factors)


def _names(datasets: Sequence[Dataset]) -> list[str]:
    """Names of further levels: ``1`` after ``0``, ``s1`` after ``s0``, ``raw_1`` after ``raw``.

    >>> _names([Dataset("s0", (1.0,), (0.0,))])[:2], _names([Dataset("raw", (1.0,), (0.0,))])[:2]
    (['s1', 's2'], ['raw_1', 'raw_2'])
    """
    last = datasets[-1].path
    match = re.fullmatch(r"(.*?)([0-9]+)", last)
    stem, number = (last + "_", 0) if match is None else (match[1], int(match[2]))
    return [f"{stem}{number + step}" for step in range(1, _MOST_LEVELS + 2)]


def _level_metadata(before: ArrayMetadata, factors: tuple[int, ...], image: Image) -> ArrayMetadata:
    if not isinstance(before.chunk_grid, RegularChunkGrid):
        raise UnsupportedError("chunk grid", "rectilinear", "is not possible for levels of an image")
    names = tuple(str(axis["name"]) for axis in image.axes)
    shape = reduced_shape(before.shape, factors)
    return replace(before, shape=shape, attributes={}, dimension_names=names)
