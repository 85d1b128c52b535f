"""Regions as files: GeoJSON (RFC 7946), as QuPath reads and writes it, and CSV.

Coordinates are in elements of the finest level, to the right and then down, from the outer corner of the first element.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from zarrbrowser.image.regions.shapes import Point, Region, Shape
from zarrbrowser.image.regions.statistics import RegionStatistics

MOST_REGIONS = 1000
MOST_POINTS = 20_000
MOST_NBYTES = 16 * 2**20
_CORNER = 0.5
_COLUMNS = (
    "name",
    "shape",
    "points",
    "elements",
    "area",
    "area unit",
    "channel",
    "known elements",
    "mean",
    "standard deviation",
    "minimum",
    "maximum",
)

Measured = tuple[Region, RegionStatistics | None]


class BadRegionsError(ValueError):
    """A sentence that says why a file holds no regions that can be shown."""


def geojson(regions: Sequence[Measured]) -> str:
    """Regions with their statistics as GeoJSON; an ellipse is a polygon with its box in the properties."""
    features = [_feature(region, found) for region, found in regions]
    return json.dumps({"type": "FeatureCollection", "features": features}, indent=1, ensure_ascii=False)


def csv_text(regions: Sequence[Measured]) -> str:
    """Regions with their statistics as CSV: one line for each region and channel."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for region, found in regions:
        points = "; ".join(f"{x!r} {y!r}" for x, y in map(_to_file, region.points))
        start = [_plain(region.name), region.shape.value, points]
        if found is None:
            writer.writerow([*start, *[""] * (len(_COLUMNS) - len(start))])
            continue
        of_region = [found.size, found.area, f"{found.unit}²" if found.unit else ""]
        for one in found.channels:
            numbers = (one.mean, one.deviation, one.minimum, one.maximum)
            cells = ["" if math.isnan(number) else repr(number) for number in numbers]
            writer.writerow([*start, *of_region, _plain(one.channel), one.known, *cells])
    return text.getvalue()


def regions_of(text: str) -> list[Region]:
    """The regions in a file of either kind.

    Raises:
        BadRegionsError: it is neither, or a region has no shape that can be shown.
    """
    found = list(_of_json(text) if text.lstrip()[:1] in ("{", "[") else _of_csv(text))
    if not found:
        raise BadRegionsError("The file holds no regions.")
    if len(found) > MOST_REGIONS:
        raise BadRegionsError(
            f"The file holds {len(found):,} regions; at most {MOST_REGIONS:,} can be shown."
        )
    return found


def _to_file(point: Point) -> tuple[float, float]:
    return point[1] + _CORNER, point[0] + _CORNER


def _of_file(place: Any, which: str) -> Point:
    if not isinstance(place, Sequence) or isinstance(place, str) or len(place) < 2:
        raise BadRegionsError(f"A point of {which} is not a pair of numbers.")
    x, y = place[:2]
    if not all(
        isinstance(one, int | float) and not isinstance(one, bool) and abs(one) < 1e15 for one in (x, y)
    ):
        raise BadRegionsError(f"A point of {which} is not a pair of numbers.")
    return float(y) - _CORNER, float(x) - _CORNER


def _feature(region: Region, found: RegionStatistics | None) -> dict[str, Any]:
    ring = [list(_to_file(point)) for point in region.outline]
    properties: dict[str, Any] = {
        "objectType": "annotation",
        "name": region.name,
        "shape": region.shape.value,
    }
    if region.shape is not Shape.POLYGON:
        top, left, bottom, right = region.box
        properties["box"] = [*_to_file((top, left)), *_to_file((bottom, right))]
    if found is not None:
        properties |= {"elements": found.size, "area": found.area}
        properties |= {"area_unit": f"{found.unit}²"} if found.unit else {}
        properties["channels"] = [
            {
                "name": one.channel,
                "known_elements": one.known,
                **{
                    name: None if math.isnan(number) else number
                    for name, number in (
                        ("mean", one.mean),
                        ("standard_deviation", one.deviation),
                        ("minimum", one.minimum),
                        ("maximum", one.maximum),
                    )
                },
            }
            for one in found.channels
        ]
    geometry = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _of_json(text: str) -> Iterator[Region]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise BadRegionsError("The file is not valid JSON.") from None
    features = [document] if isinstance(document, Mapping) and document.get("type") == "Feature" else document
    if isinstance(document, Mapping) and document.get("type") == "FeatureCollection":
        features = document.get("features")
    if not isinstance(features, list):
        raise BadRegionsError("The file is not a GeoJSON collection of features.")
    for number, feature in enumerate(features, 1):
        yield _region(feature, number)


def _region(feature: Any, number: int) -> Region:
    which = f"region {number}"
    geometry = feature.get("geometry") if isinstance(feature, Mapping) else None
    if not isinstance(geometry, Mapping) or geometry.get("type") != "Polygon":
        raise BadRegionsError(f"The geometry of {which} is not a polygon.")
    rings = geometry.get("coordinates")
    if not isinstance(rings, list) or len(rings) != 1 or not isinstance(rings[0], list):
        raise BadRegionsError(f"The polygon of {which} does not have exactly one outline.")
    told = feature.get("properties")
    properties: Mapping[str, Any] = told if isinstance(told, Mapping) else {}
    name = properties.get("name")
    name = name if isinstance(name, str) and name else which
    shape, box = properties.get("shape"), properties.get("box")
    if shape in (Shape.RECTANGLE.value, Shape.ELLIPSE.value) and isinstance(box, list) and len(box) == 4:
        return _checked(name, Shape(shape), [_of_file(box[:2], which), _of_file(box[2:], which)])
    points = [_of_file(place, which) for place in rings[0][: MOST_POINTS + 2]]
    if len(points) > 1 and points[0] == points[-1]:
        points.pop()
    return _checked(name, Shape.POLYGON, points)


def _of_csv(text: str) -> Iterator[Region]:
    reader = csv.DictReader(io.StringIO(text))
    try:
        lines = list(reader)
    except csv.Error:
        raise BadRegionsError("The file is neither GeoJSON nor CSV.") from None
    if not {"name", "shape", "points"} <= set(reader.fieldnames or ()):
        raise BadRegionsError("The file is neither GeoJSON nor CSV with the columns name, shape and points.")
    before = None
    for line in lines:
        told = (line["name"], line["shape"], line["points"])
        if told == before:
            continue  # another channel of the same region
        before = told
        name, shape, places = told
        which = f"the region {name}"
        if shape not in {one.value for one in Shape}:
            raise BadRegionsError(f"{shape} is not a shape that can be shown.")
        points = [_of_file(_numbers(place), which) for place in (places or "").split(";")]
        yield _checked(name.removeprefix("'"), Shape(shape), points)


def _numbers(place: str) -> list[Any]:
    try:
        return [float(one) for one in place.split()]
    except ValueError:
        return []


def _checked(name: str, shape: Shape, points: Sequence[Point]) -> Region:
    least = 3 if shape is Shape.POLYGON else 2
    if not least <= len(points) <= MOST_POINTS or not all(
        math.isfinite(one) for point in points for one in point
    ):
        raise BadRegionsError(
            f"The region {name} does not have {least} to {MOST_POINTS:,} points with finite numbers."
        )
    return Region(name[:200], shape, tuple(points))


def _plain(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
