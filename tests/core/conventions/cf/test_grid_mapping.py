"""Coordinate reference systems and grids, as rioxarray, GDAL and CF write them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from zarrcore.conventions import CoordinateReferenceSystem
from zarrcore.conventions.cf.grid_mapping import (
    cf_georeference,
    code_in_wkt,
    geo_transform,
    grid_mapping_crs,
    plane_dimensions,
)
from zarrcore.errors import NodeNotFoundError

UTM = 'PROJCRS["WGS 84 / UTM zone 33N",BASEGEOGCRS["WGS 84",ID["EPSG",4326]],ID["EPSG",32633]]'


def array(names: Any = ("time", "y", "x"), **attributes: Any) -> Any:
    return SimpleNamespace(path="/group/v", attributes=attributes, dimension_names=names, shape=(2, 100, 200))


def beside(**nodes: dict[str, Any]) -> Any:
    def find(path: str) -> Any:
        name = path.removeprefix("/group/")
        if name not in nodes:
            raise NodeNotFoundError(path, "memory:")
        return SimpleNamespace(attributes=nodes[name])

    return find


@pytest.mark.parametrize("told", ["spatial_ref", "spatial_ref: x y", "spatial_ref x"])
def test_a_grid_mapping(told: str) -> None:
    mapping = {"crs_wkt": UTM, "GeoTransform": "500000 10 0 4600000 0 -10"}
    found = cf_georeference(array(grid_mapping=told), beside(spatial_ref=mapping))
    assert found is not None
    assert found.crs == CoordinateReferenceSystem("EPSG:32633", UTM)
    assert found.transform == (10, 0, 500000, 0, -10, 4600000)
    assert found.bounds == (500000, 4599000, 502000, 4600000)
    assert found.dimensions == ("y", "x")


@pytest.mark.parametrize(
    "attributes", [{}, {"grid_mapping": "gone"}, {"grid_mapping": 7}, {"grid_mapping": "empty"}]
)
def test_no_grid_mapping(attributes: dict[str, Any]) -> None:
    assert cf_georeference(array(**attributes), beside(empty={})) is None


def test_a_grid_without_known_dimensions_has_no_bounds() -> None:
    mapping = {"spatial_ref": UTM, "GeoTransform": [500000, 10, 0, 4600000, 0, -10]}
    found = cf_georeference(array(names=None, grid_mapping="g"), beside(g=mapping))
    assert found is not None
    assert found.transform is not None
    assert (found.bounds, found.dimensions) == (None, None)


@pytest.mark.parametrize(
    ("attributes", "code", "name"),
    [
        ({"crs_wkt": UTM}, "EPSG:32633", "WGS 84 / UTM zone 33N"),
        ({"spatial_ref": 'GEOGCS["x"]', "epsg_code": "4326"}, "EPSG:4326", "x"),
        (
            {"grid_mapping_name": "lambert_conformal_conic", "standard_parallel": 25},
            "",
            "lambert_conformal_conic",
        ),
        ({"projjson": {"name": "local"}}, "", "local"),
        ({"proj:code": "EPSG:3857"}, "EPSG:3857", ""),
    ],
)
def test_crs(attributes: dict[str, Any], code: str, name: str) -> None:
    found = grid_mapping_crs(attributes)
    assert found is not None
    assert (found.code, found.name) == (code, name)


def test_parameters_of_cf_are_kept_where_nothing_else_tells() -> None:
    parameters = {"grid_mapping_name": "rotated_latitude_longitude", "grid_north_pole_latitude": 32.5}
    found = grid_mapping_crs(parameters)
    assert found is not None
    assert (found.parameters, found.input_text()) == (parameters, "")
    assert grid_mapping_crs({"long_name": "no CRS"}) is None


@pytest.mark.parametrize(
    ("wkt", "code"),
    [
        ('GEOGCS["a",AUTHORITY["EPSG","4326"]]', "EPSG:4326"),
        ('GEOGCRS["a",ID["OGC","CRS84"]] \n', "OGC:CRS84"),
        ('PROJCS["a",GEOGCS["b",AUTHORITY["EPSG","4326"]],UNIT["metre",1]]', ""),
        ("", ""),
    ],
)
def test_codes_in_wkt(wkt: str, code: str) -> None:
    assert code_in_wkt(wkt) == code


@pytest.mark.parametrize("told", ["1 2 3", "a b c d e f", [1, 2, 3, 4, 5], None, 7, [1, 2, 3, 4, 5, "6"]])
def test_invalid_grids(told: Any) -> None:
    assert geo_transform(told) is None


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("time", "lat", "lon"), ("lat", "lon")),
        (("Y", "X", "band"), ("Y", "X")),
        (("x",), None),
        (("a", "b"), None),
        (None, None),
        ((None, "x", "y"), ("y", "x")),
    ],
)
def test_dimensions_of_planes(names: Any, expected: Any) -> None:
    assert plane_dimensions(SimpleNamespace(dimension_names=names)) == expected
