"""Steps, units and channels of OME-XML, ImageJ, GeoTIFF and tags."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.core.stores.tiff.files import written
from tests.core.stores.tiff.test_attributes import GEO, attributes
from zarrcore.stores.tiff.scales import Scales

STACK = np.zeros((2, 3, 4, 8, 9), "u1")


def told(content: bytes) -> tuple[list[Any], list[Any], list[dict[str, Any]]]:
    """Scale, units and channels."""
    ome = attributes(content)["ome"]
    scale = ome["multiscales"][0]["datasets"][0]["coordinateTransformations"][0]["scale"]
    units = [axis.get("unit") for axis in ome["multiscales"][0]["axes"]]
    return scale, units, ome.get("omero", {}).get("channels", [])


def test_ome_xml() -> None:
    metadata = {
        "axes": "TCZYX",
        "PhysicalSizeX": 0.25,
        "PhysicalSizeY": 250,
        "PhysicalSizeYUnit": "nm",
        "PhysicalSizeZ": 2,
        "PhysicalSizeZUnit": "mm",
        "TimeIncrement": 5,
        "TimeIncrementUnit": "min",
        "Channel": {"Name": ["a", "b", "c"], "Color": [-16776961, 16711935, 255]},
    }
    scale, units, channels = told(written(STACK, ome=True, metadata=metadata))
    assert scale == [5, 1, 2, 250, 0.25]
    assert units == ["minute", None, "millimeter", "nanometer", "micrometer"]
    assert [(each["label"], each["color"]) for each in channels] == [
        ("a", "FF0000"),
        ("b", "00FF00"),
        ("c", "000000"),
    ]


def test_imagej() -> None:
    metadata = {
        "axes": "TZCYX",
        "unit": "micron",
        "spacing": 3.0,
        "finterval": 0.5,
        "Ranges": (0, 10, 1, 20, 2, 30),
    }
    content = written(STACK.swapaxes(1, 2), imagej=True, resolution=(4, 2), metadata=metadata)
    scale, units, channels = told(content)
    assert scale == [0.5, 1, 3, 0.5, 0.25]
    assert units == ["second", None, "micrometer", "micrometer", "micrometer"]
    assert [each["window"]["end"] for each in channels] == [10, 20, 30]


def test_geotiff() -> None:
    scale, units, _ = told(written(STACK[0, 0, 0], extratags=GEO, metadata=None))
    assert (scale, units) == ([30, 30], ["meter", "meter"])


def test_tags_of_resolution() -> None:
    scale, units, _ = told(written(STACK[0, 0, 0], resolution=(100, 50), resolutionunit="centimeter"))
    assert (scale, units) == ([0.02, 0.01], ["centimeter", "centimeter"])
    scale, units, _ = told(written(STACK[0, 0, 0], resolution=(100, 50), resolutionunit="none"))
    assert (scale, units) == ([1, 1], [None, None])


@pytest.mark.parametrize("step", [None, "x", float("nan"), 0, -1, 10**400])
def test_steps_that_are_no_positive_numbers_are_left_out(step: Any) -> None:
    scales = Scales()
    scales.put("x", step, "m")
    assert (scales.steps, scales.units) == ({}, {})
