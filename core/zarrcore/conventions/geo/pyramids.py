"""Pyramids of the convention "multiscales", and those of ndpyramid, whose levels are arrays or groups of arrays.

Specification: https://github.com/zarr-conventions/multiscales (version 1). ndpyramid writes a list like that of OME-NGFF, with
``pixels_per_tile`` and a group of variables for each level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from zarrcore.conventions.axis import Axis
from zarrcore.conventions.geo.attributes import (
    stated_crs,
    stated_dimensions,
    stated_georeference,
    stated_transform,
)
from zarrcore.conventions.georeference import CoordinateReferenceSystem
from zarrcore.conventions.image import Level, MultiscaleImage
from zarrcore.conventions.interface import Convention, Find, Meaning, plural
from zarrcore.conventions.level_geometry import (
    MOST_LEVELS,
    DescribedLevel,
    check_levels,
    find_present,
    geometry,
)
from zarrcore.conventions.values import Numbers, mapping, numbers, objects, text
from zarrcore.errors import MetadataError

TITLE: Final = "multiscales"
_NDPYRAMID: Final = "ndpyramid"


@dataclass(frozen=True, slots=True)
class Pyramid(Meaning):
    """Groups of variables at several resolutions."""

    kind: ClassVar[str] = "pyramid"

    levels: tuple[str, ...]
    """The paths of the groups, relative to the pyramid, finest first."""
    variables: tuple[str, ...]
    """The names of the arrays with at least two dimensions in the first level."""
    crs: CoordinateReferenceSystem | None = None
    missing: tuple[str, ...] = ()
    """Levels that are described but missing."""

    def details(self) -> list[str]:
        found = [plural(len(self.levels), "level"), plural(len(self.variables), "variable")]
        return [*found, self.crs.code or self.crs.name] if self.crs is not None else found

    def facts(self) -> list[tuple[str, str]]:
        found = [
            ("levels", ", ".join([*self.levels, *(f"{path} (missing)" for path in self.missing)])),
            ("variables", ", ".join(self.variables)),
            ("CRS", self.crs.title if self.crs is not None else ""),
        ]
        return [(label, words) for label, words in found if words]


def _recognise(node: Any) -> str | None:
    return Pyramid.kind if node.kind == "group" and _assets(node.attributes) else None


def _assets(attributes: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The levels, each with its path as ``asset``."""
    told = attributes.get("multiscales")
    if isinstance(told, Mapping):
        levels = [level for level in objects(told.get("layout")) if isinstance(level.get("asset"), str)]
        return levels[:MOST_LEVELS]
    entry = next(objects(told), {})
    datasets = [one for one in objects(entry.get("datasets")) if isinstance(one.get("path"), str)]
    if not any("pixels_per_tile" in one for one in datasets):
        return []
    return [{**one, "asset": one["path"]} for one in datasets][:MOST_LEVELS]


def _read(group: Any, find: Find) -> Meaning:
    told = group.attributes.get("multiscales")
    title = TITLE if isinstance(told, Mapping) else _NDPYRAMID
    assets = _assets(group.attributes)
    found = find_present(group.path, [asset["asset"] for asset in assets], find)
    if all(node is None or node.kind == "array" for node in found) and found[0] is not None:
        return _image(title, group, assets, found)
    present = [(asset, node) for asset, node in zip(assets, found, strict=True) if node is not None]
    if not present:
        raise MetadataError(f"{group.path}: its metadata describe a pyramid, but its levels are missing")
    variables = [
        child.name
        for child in (present[0][1].children() if present[0][1].kind == "group" else ())
        if child.kind == "array" and child.ndim >= 2
    ]
    return Pyramid(
        title,
        tuple(asset["asset"] for asset, _ in present),
        tuple(variables),
        stated_crs(group.attributes) or _first_crs(assets),
        tuple(asset["asset"] for asset, node in zip(assets, found, strict=True) if node is None),
    )


def _first_crs(assets: Sequence[Mapping[str, Any]]) -> CoordinateReferenceSystem | None:
    for asset in assets:
        code = text(asset.get("crs"))  # ndpyramid's
        found = CoordinateReferenceSystem(code) if code else stated_crs(asset)
        if found is not None:
            return found
    return None


def level_paths(group: Any) -> tuple[str, ...]:
    """The paths of the levels of a pyramid, relative to it, finest first; from its own metadata, so some may be missing."""
    return tuple(asset["asset"] for asset in _assets(group.attributes))


def pyramid_image(group: Any, variable: str, find: Find | None = None) -> MultiscaleImage:
    """One variable of a pyramid of groups, as a multiscale image.

    Raises:
        MetadataError: the first level has no such array.
        NodeNotFoundError: it is missing.
        StoreError: the store failed.
    """
    assets = [{**asset, "asset": f"{asset['asset']}/{variable}"} for asset in _assets(group.attributes)]
    found = find_present(group.path, [asset["asset"] for asset in assets], find or group.hierarchy.node)
    return _image(TITLE, group, assets, found)


def _image(
    title: str, group: Any, assets: Sequence[Mapping[str, Any]], found: Sequence[Any]
) -> MultiscaleImage:
    check_levels(group.path, [node for node in found[:1] if node is not None])
    base = found[0]
    names = base.dimension_names or (None,) * base.ndim
    plane = stated_dimensions(group.attributes, names) or ()
    scales = _scales(assets)
    described = [_described(asset, scales[number], base.ndim) for number, asset in enumerate(assets)]
    placed = geometry(found, described)
    levels = placed.levels if placed is not None else tuple(Level(node, None, None) for node in found)
    return MultiscaleImage(
        title,
        "",
        tuple(level for level in levels if level.node is not None),
        tuple(Axis(name, "space" if name in plane else "") for name in names),
        (),
        (),
        missing=tuple(asset["asset"] for asset, node in zip(assets, found, strict=True) if node is None),
        georeference=stated_georeference(base, [assets[0], group.attributes]),
    )


def _described(asset: Mapping[str, Any], scale: tuple[Numbers, Numbers] | None, ndim: int) -> DescribedLevel:
    """A level with the scale of its last two dimensions, which are those of the plane."""
    if scale is None or ndim < len(scale[0]):
        return DescribedLevel(asset["asset"])
    before = ndim - len(scale[0])
    return DescribedLevel(asset["asset"], (1.0,) * before + scale[0], (0.0,) * before + scale[1])


def _scales(assets: Sequence[Mapping[str, Any]]) -> list[tuple[Numbers, Numbers] | None]:
    """The scale of each level, and the position of the centre of its first element, in one system for all levels.

    Where all levels state their own grid, that counts. Otherwise it follows from the transformations between levels.
    """
    grids = [stated_transform(asset) for asset in assets]
    known = [grid for grid in grids if grid is not None and grid[1] == grid[3] == 0]
    if len(known) == len(assets):
        return [((e, a), (f + e / 2, c + a / 2)) for a, _, c, _, e, f in known]
    found: dict[str, tuple[Numbers, Numbers] | None] = {}
    for number, asset in enumerate(assets):
        transform = mapping(asset.get("transform"))
        scale = numbers(transform.get("scale"))
        if number or scale is not None:
            ndim = len(scale or ())
            source = found.get(text(asset.get("derived_from"))) if number else ((1.0,) * ndim, (0.0,) * ndim)
            found[asset["asset"]] = _derived(source, scale, transform.get("translation"))
        else:
            found[asset["asset"]] = ((1.0, 1.0), (0.0, 0.0))
    return [found[asset["asset"]] for asset in assets]


def _derived(
    source: tuple[Numbers, Numbers] | None, scale: Numbers | None, translation: Any
) -> tuple[Numbers, Numbers] | None:
    """The scale and position of a level, from those of the level that it was made from."""
    if scale is None or source is None or len(source[0]) != len(scale):
        return None
    shift = numbers(translation, len(scale)) or (0.0,) * len(scale)
    steps = tuple(one * step for one, step in zip(source[0], scale, strict=True))
    # Translations are between outer corners; positions are those of centres.
    corners = tuple(start - one / 2 for start, one in zip(source[1], source[0], strict=True))
    moved = zip(corners, shift, source[0], steps, strict=True)
    return steps, tuple(corner + move * one + step / 2 for corner, move, one, step in moved)


PYRAMIDS: Final = Convention(
    "multiscales",
    TITLE,
    "https://github.com/zarr-conventions/multiscales",
    (Pyramid.kind,),
    _recognise,
    _read,
)
