"""The rules of ``proj:``, ``spatial:`` and "multiscales", after the conventions' own schemas."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from zarrcore.conventions import Find
from zarrcore.conventions.geo.attributes import stated_dimensions, stated_transform
from zarrcore.conventions.georeference import bounds_of
from zarrcore.conventions.values import is_count, items, mapping, numbers, objects, text
from zarrcore.operations.check.conventions.rule import Broken, exists

_PROJ: Final = "proj: version 1, https://github.com/zarr-conventions/proj"
_SPATIAL: Final = "spatial: version 1, https://github.com/zarr-conventions/spatial"
_MULTISCALES: Final = "multiscales version 1, https://github.com/zarr-conventions/multiscales"
_CODE: Final = re.compile(r"[A-Z][A-Za-z_0-9]*:[0-9A-Za-z]+")
_UUIDS: Final = {
    "proj:": ("f17cb550-5864-4468-aeb7-f3180cfb622f", _PROJ),
    "spatial:": ("689b58e2-cf7b-45e0-9fff-9cfc0883d6b4", _SPATIAL),
    "multiscales": ("d35379db-88df-4056-af3a-620245f8e347", _MULTISCALES),
}
_CLOSE: Final = 1e-6


def check_georeference(node: Any, _kind: str, _find: Find) -> Iterator[Broken]:
    """The rules of ``proj:`` and ``spatial:`` that an array or a group breaks."""
    attributes = node.attributes
    yield from _check_registered(attributes, "proj:")
    yield from _check_registered(attributes, "spatial:")
    yield from _check_crs(attributes)
    yield from _check_spatial(node)


def _check_registered(attributes: Mapping[str, Any], name: str) -> Iterator[Broken]:
    """Conventions must be listed in ``zarr_conventions``. STAC's attributes, which came before, have no such list."""
    used = name in attributes or any(member.startswith(name) for member in attributes)
    if not used or "zarr_conventions" not in attributes:
        return
    uuid, rule = _UUIDS[name]
    listed = (text(one.get("uuid")) for one in objects(attributes["zarr_conventions"]))
    if uuid not in listed:
        yield Broken("zarr_conventions", f"does not list the convention {name} ({uuid}), which is used", rule)


def _check_crs(attributes: Mapping[str, Any]) -> Iterator[Broken]:
    code = attributes.get("proj:code")
    if code is not None and not (isinstance(code, str) and _CODE.fullmatch(code)):
        yield Broken(
            "proj:code", f"expected an authority and a code, such as EPSG:4326, found {code!r}", _PROJ
        )
    wkt = attributes.get("proj:wkt2")
    if wkt is not None and not (isinstance(wkt, str) and wkt.rstrip().endswith("]")):
        yield Broken("proj:wkt2", f"expected well-known text, found {str(wkt)[:60]!r}", _PROJ)
    projjson = attributes.get("proj:projjson")
    if projjson is not None and not (isinstance(projjson, Mapping) and isinstance(projjson.get("type"), str)):
        yield Broken("proj:projjson", "expected an object with a type", _PROJ)


def _check_spatial(node: Any) -> Iterator[Broken]:
    attributes = node.attributes
    if not any(member.startswith("spatial:") for member in attributes):
        return
    dimensions = attributes.get("spatial:dimensions")
    names = items(dimensions)
    if not names or not all(isinstance(name, str) and name for name in names):
        yield Broken("spatial:dimensions", f"expected names of dimensions, found {dimensions!r}", _SPATIAL)
    elif (
        node.kind == "array"
        and len(names) == 2
        and stated_dimensions(attributes, node.dimension_names or ()) is None
    ):
        yield Broken(
            "spatial:dimensions",
            f"{[*names]} are not dimensions of the array: {node.dimension_names}",
            _SPATIAL,
        )
    if attributes.get("spatial:registration") not in (None, "pixel", "node"):
        yield Broken(
            "spatial:registration",
            f"expected pixel or node, found {attributes['spatial:registration']!r}",
            _SPATIAL,
        )
    is_affine = text(attributes.get("spatial:transform_type")) in ("", "affine")
    if (
        is_affine
        and "spatial:transform" in attributes
        and numbers(attributes["spatial:transform"], 6) is None
    ):
        yield Broken(
            "spatial:transform", f"expected six numbers, found {attributes['spatial:transform']!r}", _SPATIAL
        )
    yield from _check_extent(attributes, len(names))


def _check_extent(attributes: Mapping[str, Any], ndim: int) -> Iterator[Broken]:
    """The box and the shape, and whether they agree with the grid."""
    box = numbers(attributes.get("spatial:bbox"), 2 * ndim)
    if "spatial:bbox" in attributes:
        if box is None:
            yield Broken(
                "spatial:bbox", f"expected {2 * ndim} numbers, found {attributes['spatial:bbox']!r}", _SPATIAL
            )
        elif any(low > high for low, high in zip(box[:ndim], box[ndim:], strict=True)):
            yield Broken("spatial:bbox", f"a minimum is above its maximum: {[*box]}", _SPATIAL)
    shape = items(attributes.get("spatial:shape"))
    if "spatial:shape" in attributes and (len(shape) != ndim or not all(map(is_count, shape))):
        yield Broken(
            "spatial:shape", f"expected {ndim} lengths, found {attributes['spatial:shape']!r}", _SPATIAL
        )
        return
    transform = stated_transform(attributes)
    if (
        box is None
        or transform is None
        or len(shape) != 2
        or attributes.get("spatial:registration") == "node"
    ):
        return
    expected = bounds_of(transform, shape[0], shape[1])
    size = max(expected[2] - expected[0], expected[3] - expected[1])
    if not all(
        math.isclose(a, b, rel_tol=_CLOSE, abs_tol=_CLOSE * size) for a, b in zip(box, expected, strict=True)
    ):
        yield Broken("spatial:bbox", f"{[*box]} is not the extent of the grid, {[*expected]}", _SPATIAL)


def check_pyramid(node: Any, kind: str, find: Find) -> Iterator[Broken]:
    """The rules of "multiscales" that a group breaks, and those of its georeference.

    Raises:
        StoreError: the store failed.
    """
    yield from check_georeference(node, kind, find)
    told = node.attributes.get("multiscales")
    if not isinstance(told, Mapping):
        return  # ndpyramid's
    yield from _check_registered(node.attributes, "multiscales")
    layout = list(objects(told.get("layout")))
    assets = [text(level.get("asset")) for level in layout]
    for place, level in enumerate(layout):
        member = f"multiscales.layout[{place}]"
        asset, source = assets[place], level.get("derived_from")
        if not asset or asset.startswith("/") or ".." in asset.split("/"):
            yield Broken(
                f"{member}.asset",
                f"expected a path below this group, found {level.get('asset')!r}",
                _MULTISCALES,
            )
        elif not exists(node.path, asset, find):
            yield Broken(f"{member}.asset", f"{asset} does not exist", _MULTISCALES)
        if source is not None and source not in assets:
            yield Broken(f"{member}.derived_from", f"{source!r} is not a level", _MULTISCALES)
        transform = mapping(level.get("transform"))
        if source is not None and not transform:
            yield Broken(f"{member}.transform", "is required beside derived_from", _MULTISCALES)
        for name in ("scale", "translation"):
            if name in transform and numbers(transform[name]) is None:
                yield Broken(
                    f"{member}.transform.{name}", f"expected numbers, found {transform[name]!r}", _MULTISCALES
                )
