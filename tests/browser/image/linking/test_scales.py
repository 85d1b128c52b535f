"""The scale of an image by itself, and of an array that is a level of a pyramid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.fakes import FakeArray, FakeGroup
from tests.browser.panes.image.beside.pictures import FINE, write_pyramid, write_v3
from zarrbrowser.image.levels import image_of_array
from zarrbrowser.image.linking.scales import scale_of
from zarrbrowser.image.multiscales import image_of_group
from zarrbrowser.session.sources import Source, SourceRequest, open_source
from zarrcore.errors import StoreError


@pytest.fixture
def source(tmp_path: Path) -> Source:
    write_pyramid(tmp_path / "a.zarr")
    return open_source(SourceRequest(str(tmp_path / "a.zarr")))


def test_a_pyramid_tells_its_scale(source: Source) -> None:
    scale = scale_of(image_of_group(source.root, source.hierarchy.node), source.hierarchy.node, "")
    assert scale is not None
    assert (scale.spacing, scale.units) == ((0.5, 0.5), ("micrometer", "micrometer"))


@pytest.mark.parametrize(("level", "spacing", "origin"), [(0, 0.5, 0.0), (1, 1.0, 0.25)])
def test_a_level_has_the_scale_of_its_pyramid(
    source: Source, level: int, spacing: float, origin: float
) -> None:
    find = source.hierarchy.node
    scale = scale_of(image_of_array(find(f"/{level}")), find, "")
    assert scale is not None
    assert scale.spacing == (spacing, spacing)
    # An element of the coarser level is the middle of the four that it covers.
    assert scale.origin == pytest.approx((origin, origin))


def test_an_array_that_is_no_level_has_none(tmp_path: Path) -> None:
    write_v3(tmp_path / "b.zarr")
    source = open_source(SourceRequest(str(tmp_path / "b.zarr")))
    assert scale_of(image_of_array(source.hierarchy.node("/fine")), source.hierarchy.node, "") is None


def pyramid(**attributes: Any) -> FakeGroup:
    """A pyramid without units, and an array beside its levels."""
    datasets = [{"path": "0"}, {"path": "1"}]
    told = {"multiscales": [{"axes": ["y", "x"], "datasets": datasets}], **attributes}
    return FakeGroup({"0": FakeArray(FINE), "1": FakeArray(FINE[::2, ::2]), "further": FakeArray(FINE)}, told)


def test_levels_without_units_are_measured_in_elements_of_their_own_pyramid() -> None:
    root = pyramid()
    whole, level = image_of_group(root, root.find), image_of_array(root.find("/1"))
    for image, spacing in ((whole, 1.0), (level, 2.0)):
        scale = scale_of(image, root.find, "here")
        assert scale is not None
        assert scale.spacing == (spacing, spacing)
        assert scale.units == ("elements of here#/",) * 2
    assert scale_of(image_of_array(root.find("/further")), root.find, "here") is None


def test_a_group_that_cannot_be_read_tells_nothing() -> None:
    root = pyramid()
    level = image_of_array(root.find("/1"))

    def fail(_path: str) -> Any:
        raise StoreError("the store does not answer")

    assert scale_of(level, fail, "") is None
