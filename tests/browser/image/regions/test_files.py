"""Regions in files: they read back as they were, and bad files say what is wrong."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.image.regions.files import BadRegionsError, csv_text, geojson, regions_of
from zarrbrowser.image.regions.shapes import Region, Shape
from zarrbrowser.image.regions.statistics import ChannelStatistics, RegionStatistics

NUMBER = st.floats(-1e9, 1e9).map(lambda one: round(one * 8) / 8)
POINT = st.tuples(NUMBER, NUMBER)
NAME = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(
    lambda name: not name.startswith("'")
)
REGION = st.one_of(
    st.builds(
        Region, NAME, st.just(Shape.POLYGON), st.lists(POINT, min_size=3, max_size=6, unique=True).map(tuple)
    ),
    st.builds(Region, NAME, st.sampled_from([Shape.RECTANGLE, Shape.ELLIPSE]), st.tuples(POINT, POINT)),
)
FOUND = RegionStatistics(
    12,
    3.0,
    "micrometer",
    (ChannelStatistics("DAPI", 12, 5.5, 1.25, 3.0, 9.0), ChannelStatistics("=GFP", 0, *[math.nan] * 4)),
)


@given(st.lists(REGION, min_size=1, max_size=4, unique_by=lambda one: one.name))
@pytest.mark.parametrize("write", [geojson, csv_text])
def test_regions_read_back(write: Any, regions: list[Region]) -> None:
    found = regions_of(write([(one, FOUND) for one in regions]))
    assert [one.name for one in found] == [one.name for one in regions]
    for one, other in zip(found, regions, strict=True):
        assert one.shape is other.shape
        assert one.box == other.box
        if one.shape is Shape.POLYGON:
            assert one.points == other.points


def test_geojson_is_what_other_programs_expect() -> None:
    region = Region("nucleus", Shape.ELLIPSE, ((0.0, 0.0), (10.0, 20.0)))
    document = json.loads(geojson([(region, FOUND), (region, None)]))
    first, second = document["features"]
    (ring,) = first["geometry"]["coordinates"]
    assert ring[0] == ring[-1]
    assert max(x for x, _ in ring) == 20.5
    assert max(y for _, y in ring) == 10.5
    assert first["properties"]["box"] == [0.5, 0.5, 20.5, 10.5]
    assert first["properties"]["area_unit"] == "micrometer²"
    assert first["properties"]["channels"][1]["mean"] is None
    assert "channels" not in second["properties"]


def test_csv_has_a_line_for_each_channel_and_no_formulas() -> None:
    region = Region("+evil()", Shape.RECTANGLE, ((-0.5, -0.5), (4.5, 9.5)))
    lines = list(csv.DictReader(io.StringIO(csv_text([(region, FOUND)]))))
    assert [line["channel"] for line in lines] == ["DAPI", "'=GFP"]
    assert lines[0]["name"] == "'+evil()"
    assert lines[0]["points"] == "0.0 0.0; 10.0 5.0"
    assert (lines[0]["mean"], lines[1]["mean"]) == ("5.5", "")
    assert regions_of(csv_text([(region, FOUND)])) == [region]


def feature(coordinates: Any, **properties: Any) -> str:
    geometry = {"type": "Polygon", "coordinates": coordinates}
    return json.dumps({"type": "Feature", "geometry": geometry, "properties": properties})


def test_polygons_of_other_programs_are_read() -> None:
    ring = [[0.5, 0.5, 7], [10.5, 0.5, 7], [10.5, 5.5, 7], [0.5, 0.5, 7]]
    assert regions_of(feature([ring])) == [Region("region 1", Shape.POLYGON, ((0, 0), (0, 10), (5, 10)))]
    assert regions_of(f"[{feature([ring], name='a')}]")[0].name == "a"
    assert regions_of(feature([ring], shape="ellipse", box="round"))[0].shape is Shape.POLYGON


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "neither GeoJSON nor CSV"),
        ("a,b\n1,2\n", "neither GeoJSON nor CSV"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ('{"type": "Topology"}', "not a GeoJSON collection"),
        ('{"type": "FeatureCollection", "features": 7}', "not a GeoJSON collection"),
        ('{"type": "FeatureCollection", "features": []}', "holds no regions"),
        ("[7]", "geometry of region 1 is not a polygon"),
        ('[{"geometry": {"type": "Point", "coordinates": [1, 2]}}]', "is not a polygon"),
        (feature("all"), "exactly one outline"),
        (feature([[[0, 0]], [[1, 1]]]), "exactly one outline"),
        (feature([[[0, 0], [1, 1]]]), "does not have 3 to"),
        (feature([["here", "there", "where"]]), "not a pair of numbers"),
        (feature([[[0, True], [1, 1], [2, 0]]]), "not a pair of numbers"),
        (feature([[[0, float("nan")], [1, 1], [2, 0]]]), "not a pair of numbers"),
        (feature([[[0, 1e300], [1, 1], [2, 0]]]), "not a pair of numbers"),
        (feature([[[0, "1"], [1, 1], [2, 0]]]), "not a pair of numbers"),
        (feature([[[0, 0]]], shape="ellipse", box=[0, 0, None, 1]), "not a pair of numbers"),
        ("name,shape,points\na,star,1 1; 2 2\n", "star is not a shape"),
        ("name,shape,points\na,ellipse,1 1\n", "does not have 2 to"),
        ("name,shape,points\na,ellipse,one two; 1 1\n", "not a pair of numbers"),
        ("name,shape,points\na,ellipse\n", "not a pair of numbers"),
        ("name,shape,points\na,ellipse,inf 1; nan 1\n", "not a pair of numbers"),
    ],
)
def test_bad_files_say_what_is_wrong(text: str, why: str) -> None:
    with pytest.raises(BadRegionsError, match=why):
        regions_of(text)


def test_too_many_regions_are_refused() -> None:
    ring = [[0, 0], [1, 0], [1, 1]]
    with pytest.raises(BadRegionsError, match="holds 1,001 regions; at most 1,000"):
        regions_of("[" + ",".join([feature([ring])] * 1001) + "]")
