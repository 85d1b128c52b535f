"""Plates, wells, series, scenes and collections, as real and as invalid metadata describe them."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore
from tests.core.conventions.described import described
from zarrcore.conventions import (
    Acquisition,
    Field,
    ImageCollection,
    Member,
    Plate,
    PlateWell,
    Well,
    meaning,
    recognise,
)
from zarrcore.errors import MetadataError
from zarrcore.stores import MemoryStore

PLATE = {
    "version": "0.4",
    "name": "drug screen",
    "rows": [{"name": "A"}, {"name": "B"}],
    "columns": [{"name": "1"}, {"name": "2"}],
    "wells": [{"path": "A/1", "rowIndex": 0, "columnIndex": 0}, {"path": "B/2"}],
    "acquisitions": [{"id": 0, "name": "before"}, {"id": 2, "description": "after a day"}],
    "field_count": 3,
}


def read(attributes: dict[str, Any], path: str = "/") -> Any:
    return meaning(described(path, attributes), lambda path: pytest.fail(f"asked for {path}"))


@pytest.mark.parametrize("attributes", [{"plate": PLATE}, {"ome": {"version": "0.4", "plate": PLATE}}])
def test_a_plate(attributes: dict[str, Any]) -> None:
    plate = read(attributes)
    assert plate == Plate(
        "OME-NGFF 0.4",
        "drug screen",
        ("A", "B"),
        ("1", "2"),
        (PlateWell("A/1", 0, 0), PlateWell("B/2", 1, 1)),
        (Acquisition(0, "before"), Acquisition(2, "", "after a day")),
        3,
    )
    assert plate.summary == "OME-NGFF 0.4 plate, 2 × 2 positions, 2 wells, up to 3 fields, 2 acquisitions"
    assert ("acquisitions", "before, 2") in plate.facts()


def test_a_plate_of_bioformats2raw_is_a_plate() -> None:
    assert isinstance(read({"plate": PLATE, "bioformats2raw.layout": 3}), Plate)


@pytest.mark.parametrize(
    "told",
    [
        {"wells": 7, "rows": "AB", "columns": None, "acquisitions": {}},
        {"wells": [7, {"path": 1}, {"path": "Z/9", "rowIndex": True, "columnIndex": -1}], "field_count": -1},
        {"acquisitions": [{"id": "0"}, {"id": True}]},
    ],
)
def test_an_invalid_plate_is_read_as_far_as_it_is_valid(told: dict[str, Any]) -> None:
    plate = read({"plate": told})
    assert plate.field_count is None
    assert not plate.acquisitions
    assert all((well.row, well.column) == (0, 0) for well in plate.wells)


def test_a_well() -> None:
    images = [{"path": "0", "acquisition": 1}, {"path": "1", "acquisition": 2}, {"path": 3}, {"path": "4"}]
    well = read({"ome": {"version": "0.5", "well": {"images": images}}})
    assert well == Well("OME-NGFF 0.5", (Field("0", 1), Field("1", 2), Field("4")))
    assert well.summary == "OME-NGFF 0.5 well, 3 fields, 2 acquisitions"


def test_a_list_of_labels() -> None:
    labels = read({"labels": ["cells", 7, "more/nuclei"]}, "/image/labels")
    assert [member.path for member in labels.members] == ["cells", "more/nuclei"]
    assert labels.summary == "OME-NGFF list of labels, 2 members"
    assert recognise(described("/image/other", {"labels": ["cells"]})) is None


XML = (
    b'<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">'
    b'<Instrument ID="i"/><Image ID="Image:0" Name="overview"/><Image ID="Image:1"/></OME>'
)


def series(xml: bytes | None, listed: list[str] | None, group: str = "/") -> ImageCollection:
    store = MemoryStore()
    hierarchy = zarrcore.create(store)
    if group != "/":
        hierarchy.create_group(group)
    hierarchy[group].attributes = {"bioformats2raw.layout": 3}
    for path in ("0", "1"):
        hierarchy.create_group(f"{group}/{path}")
    if listed is not None:
        hierarchy.create_group(f"{group}/OME").attributes = {"series": listed}
    if xml is not None:
        store.set(f"{group}/OME/METADATA.ome.xml".strip("/"), xml)
    found = meaning(hierarchy[group])
    assert isinstance(found, ImageCollection)
    return found


@pytest.mark.parametrize("group", ["/", "/inside"])
def test_a_series_with_names(group: str) -> None:
    assert series(XML, ["0", "1"], group).members == (
        Member("overview", "0", "image"),
        Member("1", "1", "image"),
    )


def test_a_series_without_a_list_is_numbered() -> None:
    assert [member.path for member in series(None, None).members] == ["0", "1"]


@pytest.mark.parametrize(
    "xml", [b"", b"<OME>", b'<!DOCTYPE OME [<!ENTITY a "aaaa">]><OME><Image Name="&a;"/></OME>', b"<OME/>"]
)
def test_a_series_whose_names_cannot_be_read_shows_paths(xml: bytes) -> None:
    assert [member.name for member in series(xml, ["0", "1"]).members] == ["0", "1"]


def test_a_scene() -> None:
    step = {
        "type": "affine",
        "input": {"path": "a", "name": "physical"},
        "output": {"path": "b", "name": "physical"},
    }
    odd = {"type": 7, "input": "a", "output": {"name": "world"}}
    scene = read({"ome": {"version": "0.6", "scene": {"coordinateTransformations": [step, odd, 7]}}})
    assert [member.path for member in scene.members] == ["a", "b"]
    assert scene.relations == ("a#physical → b#physical: affine", "? → world: ")
    assert scene.summary == "OME-NGFF 0.6 scene, 2 members, 2 transformations"


def test_a_collection_with_another_inside() -> None:
    inner = {
        "type": "collection",
        "name": "views",
        "nodes": [{"type": "multiscale", "name": "v", "path": "v.zarr"}],
    }
    nodes = [{"type": "multiscale", "name": "raw", "path": {"type": "zarr", "path": "./raw"}}, inner, 7]
    found = read({"ome": {"version": "0.7", "type": "collection", "name": "experiment", "nodes": nodes}})
    assert found.members == (
        Member("raw", "./raw", "multiscale"),
        Member("views", "", "collection"),
        Member("v", "v.zarr", "multiscale"),
    )
    assert ("name", "experiment") in found.facts()


def test_collections_nested_without_end_are_refused() -> None:
    node: dict[str, Any] = {"type": "collection", "name": "n"}
    for _ in range(40):
        node = {"type": "collection", "name": "n", "nodes": [node]}
    with pytest.raises(MetadataError, match="more than 16 deep"):
        read({"ome": node})
