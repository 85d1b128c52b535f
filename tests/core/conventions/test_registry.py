"""What is recognised from the node alone, and what is not."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore as zc
from tests.core.conventions.described import described
from zarrcore.conventions import image_of, is_image, meaning, recognise
from zarrcore.errors import MetadataError
from zarrcore.stores import MemoryStore

MULTISCALES = [{"datasets": [{"path": "0"}]}]


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"multiscales": MULTISCALES}, ("ome-ngff", "image")),
        ({"ome": {"multiscales": MULTISCALES, "image-label": {}}}, ("ome-ngff", "label image")),
        ({"ome": {"plate": {}}}, ("ome-ngff", "plate")),
        ({"well": {"images": []}}, ("ome-ngff", "well")),
        ({"bioformats2raw.layout": 3}, ("ome-ngff", "series of images")),
        ({"ome": {"bioformats2raw.layout": 3}}, ("ome-ngff", "series of images")),
        ({"ome": {"scene": {}}}, ("ome-ngff", "scene")),
        ({"ome": {"type": "collection"}}, ("ome-ngff", "collection")),
        ({"type": "collection"}, None),
        ({"scales": [[1, 1]]}, ("n5-pyramid", "image")),
        ({"multiScale": True}, ("n5-pyramid", "image")),
        (
            {"multiscales": [{"datasets": [{"path": "0", "pixels_per_tile": 128}]}]},
            ("multiscales", "pyramid"),
        ),
        ({"multiscales": {"layout": [{"asset": "0"}]}}, ("multiscales", "pyramid")),
        ({"stac_discovery": {"id": "S2"}}, ("eopf", "product")),
        ({"Conventions": "CF-1.8"}, ("cf", "dataset")),
        ({"multiscales": [], "plate": "none", "ome": 7}, None),
        ({}, None),
    ],
)
def test_groups(attributes: dict[str, Any], expected: tuple[str, str] | None) -> None:
    found = recognise(described("/a", attributes))
    assert found is None or found[1] in found[0].kinds
    assert (found and (found[0].name, found[1])) == expected
    assert is_image(described("/a", attributes)) == (
        expected is not None and "image" in expected[1].split(" of ")[0]
    )


@pytest.mark.parametrize("kind", ["array", "collection", "broken"])
def test_only_groups_are_images(kind: str) -> None:
    assert recognise(described("/a", {"multiscales": MULTISCALES}, kind=kind)) is None


def test_a_group_without_a_convention() -> None:
    assert meaning(zc.create(MemoryStore())["/"]) is None
    with pytest.raises(MetadataError, match="/a: its metadata describe no image"):
        image_of(described("/a", {"plate": {}}), lambda _: None)
