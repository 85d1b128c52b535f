"""What is recognised from the node alone, and what is not."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import zarrcore as zc
from tests.core.conventions.described import described
from zarrcore.conventions import conventions, image_of, is_image, meaning, recognise
from zarrcore.errors import MetadataError
from zarrcore.stores import MemoryStore

MULTISCALES = [{"datasets": [{"path": "0"}]}]
VALUES = (
    *("CF-1.8", "NXdata", "NXentry", "csr_matrix", "anndata", "ngff:shapes", "x", "EPSG:4326", 4326, True),
    *([1, 0, 0, 0, -1, 0], [[1, 1]], MULTISCALES, {"version": "1"}, [{"name": "a", "path": "b"}]),
    *({"scene": {}}, {"type": "collection"}, {"layout": [{"asset": "0"}]}, {"images": []}),
)


class Everything(dict[str, Any]):
    """Attributes that hold a value under each name, and collect the names that they are asked for."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value
        self.asked = set[str]()

    def get(self, name: str, default: Any = None) -> Any:
        self.asked.add(name)
        return self.value

    __getitem__ = get

    def __contains__(self, name: object) -> bool:
        return self.get(str(name)) is not None


@pytest.mark.parametrize("kind", ["group", "array"])
def test_what_a_convention_recognises_has_an_attribute_that_the_registry_names(kind: str) -> None:
    def node(attributes: dict[str, Any]) -> Any:
        made = described("/a", attributes, kind=kind)
        made.dimension_names = ("x",)
        return made

    names, recognised = set[str](), set[Any]()
    for convention, value in product(conventions(), VALUES):
        everything = Everything(value)
        convention.recognise(node(everything))
        names |= everything.asked
    for name, value in product(names, VALUES):
        told = node({"namespace": "x", name: value})
        asked = ((convention, convention.recognise(told)) for convention in conventions())
        expected = next(((convention, found) for convention, found in asked if found is not None), None)
        assert recognise(told) == expected, (name, value)
        recognised |= {expected and expected[0]}
    assert len(recognised) > (8 if kind == "group" else 3)


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
