"""Products with STAC metadata at their root."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore
from zarrcore.conventions import Product, meaning, recognise


def product(stac: Any) -> Any:
    hierarchy = zarrcore.create("memory://", format="v2")
    hierarchy["/"].attributes = {"stac_discovery": stac}
    hierarchy.create_group("measurements")
    return hierarchy["/"]


def test_a_product() -> None:
    properties = {"platform": "sentinel-2a", "instruments": ["msi", 7], "datetime": "2024-05-01T10:00:00Z"}
    found = meaning(product({"type": "Feature", "id": "S2A_MSIL2A", "properties": properties}))
    assert isinstance(found, Product)
    assert found.summary == "EOPF product, S2A_MSIL2A, sentinel-2a msi, 2024-05-01T10:00:00Z"
    assert found.facts() == [("groups", "measurements")]


@pytest.mark.parametrize("stac", [{"id": 7, "properties": [1]}, {"properties": {"start_datetime": None}}])
def test_an_invalid_product_shows_what_is_valid(stac: Any) -> None:
    found = meaning(product(stac))
    assert found is not None
    assert found.summary == "EOPF product"


@pytest.mark.parametrize("stac", [None, {}, "text"])
def test_no_product(stac: Any) -> None:
    assert recognise(product(stac)) is None
