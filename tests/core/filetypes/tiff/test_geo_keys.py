"""GDAL reads the CRS and the grid that were written, whatever the metadata name the CRS by."""

from __future__ import annotations

import json
import sys
from itertools import product
from typing import Any

import numpy as np
import pyproj
import pytest

import zarrcore
from tests.core.filetypes.tiff.maps import array_in, opened
from zarrcore.conventions import CoordinateReferenceSystem
from zarrcore.filetypes.tiff.geo_keys import crs_text, is_usable, resolved

TRANSFORM = (10.0, 0.0, 500000.0, 0.0, -10.0, 4600000.0)
LAMBERT = "+proj=lcc +lat_1=63.3 +lat_2=63.3 +lat_0=63.3 +lon_0=15 +R=6371000 +units=m"
ROTATED = "+proj=ob_tran +o_proj=longlat +o_lon_p=0 +o_lat_p=39.25 +lon_0=18 +R=6371000"
STEREOGRAPHIC = {
    "grid_mapping_name": "polar_stereographic",
    "straight_vertical_longitude_from_pole": -45.0,
    "latitude_of_projection_origin": 90.0,
    "standard_parallel": 70.0,
    "false_easting": 0.0,
    "false_northing": 0.0,
    "semi_major_axis": 6378273.0,
    "inverse_flattening": 298.279411123064,
}


def read(attributes: dict[str, Any], grid_mapping: dict[str, Any] | None = None) -> Any:
    """The CRS and the transform that GDAL reads of an array with these attributes."""
    hierarchy = zarrcore.create("memory://")
    if grid_mapping is not None:
        hierarchy.create_array("crs", shape=(), dtype="i4", attributes=grid_mapping)
        attributes = {**attributes, "grid_mapping": "crs"}
    array = array_in(hierarchy, "a", np.zeros((4, 6), "u1"), ["y", "x"], attributes=attributes)
    with opened(zarrcore.virtual_file(array, suffix="tif")) as dataset:
        return dataset.crs, dataset.transform


def wkt(text: Any, version: str = "WKT2_2019") -> str:
    return str(pyproj.CRS.from_user_input(text).to_wkt(version))


@pytest.mark.parametrize(
    "code", ["EPSG:4326", "EPSG:4283", "EPSG:32633", "EPSG:3857", "EPSG:2056", "EPSG:4978"]
)
def test_codes_of_epsg(code: str) -> None:
    crs, transform = read({"proj:code": code, "spatial:transform": TRANSFORM})
    assert crs.to_string() == code
    assert transform[:6] == TRANSFORM


@pytest.mark.parametrize(
    ("text", "version"),
    [
        *product(["EPSG:4326", "EPSG:25832", LAMBERT, "+proj=igh +ellps=WGS84"], ["WKT2_2019", "WKT1_GDAL"]),
        (ROTATED, "WKT2_2019"),  # version 1 has no rotated poles
    ],
)
def test_well_known_text(text: str, version: str) -> None:
    crs, _ = read({}, {"crs_wkt": wkt(text, version)})
    assert pyproj.CRS(crs.to_wkt()).equals(pyproj.CRS(text), ignore_axis_order=True)


@pytest.mark.parametrize("text", ["EPSG:32633", LAMBERT])
def test_projjson(text: str) -> None:
    crs, _ = read({"proj:projjson": pyproj.CRS(text).to_json_dict()})
    assert pyproj.CRS(crs.to_wkt()).equals(pyproj.CRS(text))


def test_parameters_of_cf() -> None:
    crs, _ = read({}, STEREOGRAPHIC)
    assert pyproj.CRS(crs.to_wkt()).equals(pyproj.CRS.from_cf(STEREOGRAPHIC))


def test_codes_of_other_registries() -> None:
    crs, _ = read({"proj:code": "ESRI:102008"})
    assert pyproj.CRS(crs.to_wkt()).equals(pyproj.CRS("ESRI:102008"))
    assert read({"proj:code": "OGC:CRS84"})[0].to_string() == "EPSG:4326"


@pytest.mark.parametrize(
    "attributes",
    [
        {"proj:code": "EPSG:32633"},
        {"proj:wkt2": wkt(LAMBERT)},
        {"proj:projjson": pyproj.CRS("EPSG:32633").to_json_dict()},
    ],
    ids=["code", "text", "projjson"],
)
def test_most_crs_need_no_pyproj(attributes: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with_pyproj, _ = read(attributes)
    monkeypatch.setitem(sys.modules, "pyproj", None)
    without, _ = read(attributes)
    assert with_pyproj == without


def test_without_pyproj_only_the_name_of_other_crs_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyproj", None)
    crs, transform = read({"proj:code": "ESRI:102008", "spatial:transform": TRANSFORM})
    assert crs.to_wkt().startswith('LOCAL_CS["ESRI:102008"')
    assert transform[:6] == TRANSFORM
    assert resolved(CoordinateReferenceSystem(parameters=STEREOGRAPHIC)).wkt == ""


@pytest.mark.parametrize(
    "broken",
    [
        CoordinateReferenceSystem("EPSG:0"),
        CoordinateReferenceSystem("nonsense"),
        CoordinateReferenceSystem(projjson={"type": "ProjectedCRS", "id": 7}),
        CoordinateReferenceSystem(parameters={"grid_mapping_name": "unheard_of"}),
        CoordinateReferenceSystem(parameters={"grid_mapping_name": "lambert_conformal_conic"}),
        CoordinateReferenceSystem(
            parameters={"grid_mapping_name": "geostationary", "sweep_angle_axis": None}
        ),
    ],
    ids=lambda crs: crs.input_text() or str(crs.parameters),
)
def test_a_crs_that_nobody_knows_stays_as_it_is(broken: CoordinateReferenceSystem) -> None:
    assert resolved(broken) == broken


def test_text_with_characters_beyond_ascii_and_bars() -> None:
    text = wkt(LAMBERT).replace('PROJCRS["unknown"', 'PROJCRS["größe | b"')
    crs, _ = read({"proj:wkt2": text})
    assert pyproj.CRS(crs.to_wkt()).equals(pyproj.CRS(LAMBERT))


def test_rotated_grids() -> None:
    rotated = (7.0, 7.0, 500000.0, 7.0, -7.0, 4600000.0)
    _, transform = read({"proj:code": "EPSG:32633", "spatial:transform": rotated})
    assert transform[:6] == rotated


@pytest.mark.parametrize("numbers", [(0, 0, 5, 0, -1, 5), (1, 1, 0, 1, 1, 0)])
def test_grids_without_an_extent_are_not_used(numbers: tuple[float, ...]) -> None:
    assert not is_usable(numbers)
    _, transform = read({"proj:code": "EPSG:32633", "spatial:transform": numbers})
    assert transform.is_identity


def test_the_text_for_other_files_of_gdal() -> None:
    assert crs_text(CoordinateReferenceSystem("urn:ogc:def:crs:EPSG::32633")) == "EPSG:32633"
    projjson = pyproj.CRS(LAMBERT).to_json_dict()
    assert json.loads(crs_text(CoordinateReferenceSystem(projjson=projjson))) == projjson
    assert crs_text(CoordinateReferenceSystem(wkt=wkt(LAMBERT))) == wkt(LAMBERT)
