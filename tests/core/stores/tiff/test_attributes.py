"""Tags as attributes."""

from __future__ import annotations

import datetime
import enum
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.core.stores.tiff.files import store_of, written
from zarrcore.stores.tiff.attributes import shown

DATA = np.arange(12, dtype="u1").reshape(3, 4)
GEO = (
    (33550, 12, 3, (30.0, 30.0, 0.0), True),
    (33922, 12, 6, (0.0, 0.0, 0.0, 500000.0, 4000000.0, 0.0), True),
    (34735, 3, 20, (1, 1, 0, 4, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32633, 3076, 0, 1, 9001), True),
)


def attributes(content: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(bytes(store_of(content).get("zarr.json") or b"{}"))["attributes"]
    return found


class Colour(enum.Enum):
    RED = 1


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (Colour.RED, "RED"),
        (np.float32(0.5), 0.5),
        (2**70, str(2**70)),
        (Fraction(1, 4), 0.25),
        (float("inf"), None),
        (b"\0", "AA=="),
        ("x" * 100_000, None),
        (np.zeros(5000), None),
        (np.arange(3), [0, 1, 2]),
        ({1: (True, None)}, {"1": [True, None]}),
        (datetime.datetime(2026, 1, 2, 3, 4), "2026-01-02T03:04:00"),
        (object(), None),
    ],
)
def test_values_become_json(value: Any, wanted: Any) -> None:
    assert shown(value) == wanted


def test_deep_values_end() -> None:
    value: list[Any] = []
    for _ in range(100):
        value = [value]
    assert json.dumps(shown(value)).count("[") < 20


def test_tags_are_attributes() -> None:
    content = written(
        DATA,
        description="a picture",
        software="a program",
        datetime="2026:01:02 03:04:05",
        metadata=None,
        predictor=2,
        compression="lzw",
    )
    assert attributes(content)["tiff"] == {
        "photometric": "minisblack",
        "compression": "lzw",
        "predictor": "horizontal",
        "bits_per_sample": 8,
        "description": "a picture",
        "software": "a program",
        "datetime": "2026:01:02 03:04:05",
        "kind": attributes(content)["tiff"]["kind"],
    }


def test_metadata_of_programs_are_attributes() -> None:
    told = attributes(written(DATA, imagej=True, metadata={"unit": "um"}))
    assert told["imagej"]["unit"] == "um"
    assert "description" not in told["tiff"]
    gdal = "<GDALMetadata><Item name='a'>1</Item></GDALMetadata>"
    told = attributes(written(DATA, extratags=[*GEO, (42112, 2, 0, gdal, True)], metadata=None))
    assert told["gdal"] == gdal
    assert told["geotiff"]["ModelPixelScale"] == [30.0, 30.0, 0.0]
    assert told["geotiff"]["epsg"] == 32633


def test_a_palette_is_an_attribute() -> None:
    palette = np.arange(3 * 256, dtype="u2").reshape(3, 256)
    content = written(DATA, photometric="palette", colormap=palette)
    assert attributes(content)["tiff"]["colormap"] == palette.tolist()
