"""Conventions without rules of their own, and the place of a finding."""

from __future__ import annotations

import zarrcore
from tests.core.operations.check.conventions.broken_rules import hierarchy_of
from zarrcore.operations.check import check


def findings(hierarchy: zarrcore.Hierarchy) -> list[tuple[str, str]]:
    found = check(hierarchy, decode=False, conventions=True)
    return [(finding.key, finding.sentence) for finding in found if finding.what == "convention"]


def test_a_meaning_that_cannot_be_read_is_a_finding() -> None:
    ((key, sentence),) = findings(hierarchy_of({"encoding-type": "csr_matrix", "shape": [2, 3]}))
    assert key == "zarr.json"
    assert sentence.startswith("AnnData: /: it is csr_matrix, but its array data is missing (https://")


def test_the_attributes_of_zarr_v2_are_at_fault_not_its_array() -> None:
    hierarchy = zarrcore.create("memory://", format="v2")
    hierarchy.create_array(
        "a", shape=(2,), dtype="uint8", dimension_names=["x"], attributes={"units": "m", "axis": "Q"}
    )
    ((key, _),) = findings(hierarchy)
    assert key == "a/.zattrs"


def test_georeferences_beside_cf_are_checked() -> None:
    hierarchy = hierarchy_of({})
    attributes = {"units": "m", "standard_name": "altitude", "proj:code": 4326}
    hierarchy.create_array(
        "a", shape=(2, 2), dtype="uint8", dimension_names=["y", "x"], attributes=attributes
    )
    ((_, sentence),) = findings(hierarchy)
    assert sentence.startswith(
        "CF: proj:code: expected an authority and a code, such as EPSG:4326, found 4326"
    )


def test_nodes_without_a_convention_and_checks_without_conventions() -> None:
    hierarchy = hierarchy_of({"title": "plain"}, a=(2,))
    assert findings(hierarchy) == []
    broken = hierarchy_of({"encoding-type": "csr_matrix"})
    assert [finding for finding in check(broken, decode=False) if finding.what == "convention"] == []
