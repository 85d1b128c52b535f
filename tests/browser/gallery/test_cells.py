"""The images of groups, from real and from invalid metadata."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.gallery.plates import image, plate, plate_in_runs, well, write_plate, write_series
from zarrbrowser.gallery.cells import FIRST_FIELD, Cell, FieldChoice, Gallery, gallery_of, has_gallery
from zarrbrowser.session.sources import SourceRequest, open_source


def of(group: FakeGroup) -> Gallery:
    return gallery_of(group, group.find)


def test_a_plate_has_its_wells_at_their_places() -> None:
    found = of(plate(width=2))
    assert (found.rows, found.columns, found.noun) == (("A", "B"), ("1", "2"), "well")
    assert found.cells[2] == Cell("B1", "/B/1", "B/1", (1, 0))
    assert found.title == "4 wells on 2 × 2 positions"
    assert found.note == ""


def test_wells_without_a_place_are_counted() -> None:
    group = plate(width=2)
    group.attributes["plate"]["wells"] += [
        {"path": "A/1", "rowIndex": 0, "columnIndex": 0},
        {"path": "Z/9", "rowIndex": 25, "columnIndex": 8},
    ]
    found = of(group)
    assert len(found.cells) == 4
    assert found.note == "2 wells of the metadata have no place on the plate, or the place of another well."
    group.attributes["plate"]["wells"].pop()
    assert of(group).note.startswith("1 well of the metadata has no place")


@pytest.mark.parametrize(
    "axes", [{"rows": [], "columns": []}, {"rows": [{"name": "r"}] * 1001}, {"columns": 7}]
)
def test_a_plate_without_usable_rows_and_columns_is_a_list(axes: dict[str, Any]) -> None:
    found = of(plate(**axes))
    assert not found.is_plate
    assert [cell.name for cell in found.cells][:2] == ["A/1", "A/2"]


@pytest.mark.parametrize(
    "told",
    [
        {"wells": 7},
        {"wells": [7, {"path": 3}, None, {"rowIndex": 0}]},
        {"wells": [{"path": ["A"]}], "rows": "AB", "columns": {"name": 1}},
    ],
)
def test_wells_of_wrong_types_are_left_out(told: dict[str, Any]) -> None:
    assert of(FakeGroup({}, {"plate": told})).cells == ()


def test_a_well_has_its_fields() -> None:
    group = FakeGroup({"w": well(image(), image())})
    found = gallery_of(group.find("/w"), group.find)
    assert [cell.path for cell in found.cells] == ["/w/0", "/w/1"]
    assert [cell.name for cell in found.cells] == ["field 0", "field 1"]
    assert found.title == "2 fields"


def test_acquisitions_are_told_where_there_are_several() -> None:
    images = [{"path": "0", "acquisition": 1}, {"path": "1", "acquisition": 4}, {"path": "2"}]
    cells = of(FakeGroup({}, {"well": {"images": images}})).cells
    assert [cell.detail for cell in cells] == ["0, acquisition 1", "1, acquisition 4", "2"]


def test_members_elsewhere_are_counted() -> None:
    nodes = [
        {"name": "far", "path": "https://example.org/a.zarr"},
        {"name": "near", "path": "./a"},
        {"name": "none"},
    ]
    found = of(FakeGroup({"a": image()}, {"ome": {"version": "0.x", "type": "collection", "nodes": nodes}}))
    assert found.cells == (Cell("near", "/a", "./a"),)
    assert found.note.startswith("2 members of the metadata cannot be shown here")


def test_only_groups_of_images_have_a_gallery() -> None:
    assert has_gallery(plate())
    assert not has_gallery(image())
    assert not has_gallery(FakeGroup())
    assert not has_gallery(FakeArray([1]))
    assert of(FakeGroup()).cells == ()


def test_a_plate_of_another_writer(tmp_path: Path) -> None:
    write_plate(tmp_path / "plate.zarr")
    source = open_source(SourceRequest(str(tmp_path / "plate.zarr")))
    assert has_gallery(source.root)
    found = gallery_of(source.root, source.hierarchy.node)
    assert [cell.name for cell in found.cells] == ["A1", "A2", "B1", "B2"]
    inside = gallery_of(source.hierarchy.node("/B/2"), source.hierarchy.node)
    assert [cell.path for cell in inside.cells] == ["/B/2/0", "/B/2/1"]


@pytest.mark.parametrize(
    ("xml", "names"),
    [
        (None, ["0", "1", "2"]),
        ("<OME><Image Name='a'/>", ["0", "1", "2"]),
        ('<!DOCTYPE OME [<!ENTITY a "b">]><OME><Image Name="&a;"/></OME>', ["0", "1", "2"]),
    ],
)
def test_a_series_without_readable_names_has_numbers(
    tmp_path: Path, xml: str | None, names: list[str]
) -> None:
    write_series(tmp_path / "a.zarr", None)
    if xml is not None:
        (tmp_path / "a.zarr" / "OME" / "METADATA.ome.xml").write_text(xml)
    source = open_source(SourceRequest(str(tmp_path / "a.zarr")))
    found = gallery_of(source.root, source.hierarchy.node)
    assert [cell.name for cell in found.cells] == names


def test_a_series_of_another_writer_has_the_names_in_its_xml(tmp_path: Path) -> None:
    write_series(tmp_path / "a.zarr")
    source = open_source(SourceRequest(str(tmp_path / "a.zarr")))
    assert has_gallery(source.root)
    found = gallery_of(source.root, source.hierarchy.node)
    assert [cell.name for cell in found.cells] == ["left eye", "right eye", "2"]
    assert found.title == "3 images"


def test_a_plate_tells_its_acquisitions_and_the_number_of_fields() -> None:
    assert of(plate()).acquisitions == ()
    assert of(plate()).most_fields == 1, "it does not tell"
    assert of(plate(field_count=9)).most_fields == 9
    assert of(plate_in_runs()).acquisitions == ((1, "before"), (4, "Acquisition 4"))
    assert of(plate(rows=[], field_count=3)).most_fields == 3


def test_the_fields_of_a_well_are_chosen_by_acquisition() -> None:
    group = plate_in_runs()
    found = gallery_of(group.find("/A/1"), group.find)
    assert found.acquisitions == ((1, "Acquisition 1"), (4, "Acquisition 4"))
    assert [cell.path for cell in found.of_acquisition(1).cells] == ["/A/1/0", "/A/1/2"]
    assert found.of_acquisition(4).title == "1 field"
    assert found.of_acquisition(None) is found
    assert gallery_of(group.find("/A/2"), group.find).acquisitions == ()
    assert of(group).of_acquisition(4).title == "2 wells on 1 × 2 positions", "wells stay"
    assert FIRST_FIELD.fields(found.cells) == list(found.cells)
    assert FieldChoice(acquisition=9).fields(found.cells) == []
