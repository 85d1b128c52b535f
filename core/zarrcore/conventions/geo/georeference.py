"""The georeference of an array, from all places that may state it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from zarrcore.conventions.cf.grid_mapping import cf_georeference
from zarrcore.conventions.geo.attributes import stated_georeference
from zarrcore.conventions.geo.grids import grid_of_coordinates
from zarrcore.conventions.georeference import Georeference
from zarrcore.conventions.interface import Find
from zarrcore.conventions.values import mapping, objects
from zarrcore.errors import NodeNotFoundError


def georeference_of(array: Any, find: Find | None = None) -> Georeference | None:
    """The CRS and the grid of an array; None if nothing states them.

    In this order: the attributes of the array, its level in a pyramid, the attributes of its group (``proj:`` and ``spatial:``
    apply to the arrays directly in a group), the grid mapping of CF, and evenly spaced coordinate variables.

    Raises:
        ZarrError: a coordinate variable cannot be read.
        StoreError: the store failed.
    """
    look = find or array.hierarchy.node
    stated = stated_grid(array, look)
    if stated is not None and stated.transform is not None and stated.crs is not None:
        return stated
    found = [stated, cf_georeference(array, look)]
    if not any(one is not None and one.transform is not None for one in found):
        crs = next((one.crs for one in found if one is not None and one.crs is not None), None)
        found.append(grid_of_coordinates(array, look, crs))
    known = [one for one in found if one is not None]
    if not known:
        return None
    placed = next((one for one in known if one.transform is not None), known[0])
    return replace(placed, crs=next((one.crs for one in known if one.crs is not None), None))


def stated_grid(array: Any, find: Find | None = None) -> Georeference | None:
    """What ``proj:`` and ``spatial:`` attributes state about an array, those of its group and of its pyramid included.

    Raises:
        ZarrError: a group above cannot be read.
    """
    return stated_georeference(array, list(_places(array, find or array.hierarchy.node)))


def _places(array: Any, find: Find) -> Iterator[Mapping[str, Any]]:
    """The attributes that apply to an array, those that count most first."""
    yield array.attributes
    above = array.path.rpartition("/")[0]
    asset = array.name
    group: Mapping[str, Any] = {}
    for is_own in (True, False):
        attributes = _attributes(above or "/", find)
        yield from _levels(attributes, asset)
        if is_own:
            group = _without_grid(attributes) if _is_coarser(attributes, asset) else attributes
        if not above:
            break
        above, _, name = above.rpartition("/")
        asset = f"{name}/{asset}"
    yield group


def _levels(attributes: Mapping[str, Any], asset: str) -> Iterator[Mapping[str, Any]]:
    """The levels of a pyramid that an asset is, or is in; a pyramid states the CRS for all its levels."""
    assets = asset, asset.rpartition("/")[0]
    for level in _layout(attributes):
        if level.get("asset") in assets:
            yield level
            yield _without_grid(attributes)
    for entry in objects(attributes.get("multiscales")):
        for dataset in objects(entry.get("datasets")):
            if dataset.get("path") in assets and "crs" in dataset:  # ndpyramid's
                yield {"proj:code": dataset["crs"]}


def _layout(attributes: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return objects(mapping(attributes.get("multiscales")).get("layout"))


def _is_coarser(attributes: Mapping[str, Any], asset: str) -> bool:
    """Whether an asset is a level of a pyramid other than its first: the grid of the group is that of the first."""
    return asset in [level.get("asset") for level in _layout(attributes)][1:]


def _without_grid(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: value for name, value in attributes.items() if not name.endswith(("transform", "bbox"))}


def _attributes(path: str, find: Find) -> Mapping[str, Any]:
    try:
        return mapping(getattr(find(path), "attributes", {}))
    except NodeNotFoundError:
        return {}
