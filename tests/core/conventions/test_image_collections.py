"""Summaries and facts of groups of images."""

from __future__ import annotations

import json

from zarrcore.conventions import Acquisition, Field, ImageCollection, Member, Plate, PlateWell, Well


def test_a_plate_without_names_and_counts() -> None:
    plate = Plate("OME-NGFF 0.2", "", ("A",), ("1",), (PlateWell("A/1", 0, 0),))
    assert plate.summary == "OME-NGFF 0.2 plate, 1 × 1 positions, 1 well"
    assert plate.facts() == [("rows", "A"), ("columns", "1")]


def test_a_plate_of_one_acquisition() -> None:
    plate = Plate("OME-NGFF", "p", ("A", "B"), (), (), (Acquisition(7),), 1)
    assert plate.summary == "OME-NGFF plate, 2 × 0 positions, 0 wells, up to 1 field"
    assert plate.facts() == [("name", "p"), ("rows", "A, B"), ("columns", ""), ("acquisitions", "7")]


def test_a_well() -> None:
    assert Well("OME-NGFF", (Field("0", 1), Field("1", 1))).summary == "OME-NGFF well, 2 fields"
    assert Well("OME-NGFF", (Field("0"), Field("1"))).facts() == [("fields", "0, 1")]


def test_a_collection() -> None:
    members = (Member("overview", "0", "image"), Member("1", "1"))
    found = ImageCollection("OME-NGFF 0.6", "scene", "mouse", members, ("0 → 1: affine",))
    assert found.summary == "OME-NGFF 0.6 scene, 2 members, 1 transformation"
    assert found.facts() == [
        ("name", "mouse"),
        ("members", "0  overview  image\n1"),
        ("relations", "0 → 1: affine"),
    ]
    assert ImageCollection("OME-NGFF", "list of labels", "", members[:1]).facts() == [
        ("members", "0  overview  image")
    ]


def test_documents_are_json() -> None:
    plate = Plate("OME-NGFF", "", ("A",), ("1",), (PlateWell("A/1", 0, 0),))
    assert json.loads(json.dumps(plate.document()))["wells"] == [{"path": "A/1", "row": 0, "column": 0}]
