"""The value of missing elements: as GDAL reads it, in every spelling that programs write."""

from __future__ import annotations

import base64
import io
import logging
from typing import Any

import numpy as np
import pytest
import rasterio
import tifffile
from rasterio.session import DummySession

from tests.core.stores.tiff.files import array
from zarrcore.stores.tiff.no_data import no_data

NUMBERS = (
    *(
        "0",
        "0.0",
        "-0",
        "1",
        "255",
        "255.0",
        "256",
        "-1",
        "-9999",
        "-9999.0",
        "9999",
        "007",
        "+5",
        "7 ",
        " 7",
    ),
    *("1e3", "1E+3", "2147483647", "-2147483648", "-3.4028234663852886e+38", "-3.40282346638529e+38"),
    *("3.4e38", "1e39", "-1.7976931348623157e+308", "-3.402823e+38", "nan", "NaN", "inf", "-inf", "", "1,5"),
    *("1.#QNAN", "-1.#QNAN", "1.#SNAN", "-1.#IND", "-1.#IND00", "1.#INF", "-1.#INF", "1.#INF000"),
)
TYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8")


def written(text: str, dtype: str) -> bytes:
    file = io.BytesIO()
    tag = (42113, 2, len(text) + 1, text, True)
    tifffile.imwrite(file, np.zeros((16, 16), dtype), tile=(16, 16), extratags=[tag])
    return file.getvalue()


@pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")
@pytest.mark.parametrize("dtype", TYPES)
def test_each_spelling_means_what_gdal_reads(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger("rasterio"), "disabled", True)
    for text in NUMBERS:
        content = written(text, dtype)
        # Without a session, rasterio makes one of AWS for each file, as there are keys in the environment.
        with rasterio.Env(DummySession()), rasterio.MemoryFile(content) as memory, memory.open() as file:
            expected = file.nodata
        if expected is not None and np.dtype(dtype).kind in "iu" and expected % 1:
            expected = None  # GDAL gives 1.5 for integers, which none of them is
        attributes = array(content).attributes
        found = no_data(text, np.dtype(dtype))
        assert found == expected or (found != found and expected != expected), text
        assert ("_FillValue" in attributes) == (expected is not None), text


@pytest.mark.parametrize("text", ["none", "abc", "0x10", "5abc"])
def test_what_is_not_a_number_names_no_value(text: str) -> None:
    assert no_data(text, np.dtype("f4")) is None
    assert "_FillValue" not in array(written(text, "f4")).attributes


@pytest.mark.parametrize(
    ("text", "dtype", "value"),
    [
        ("18446744073709551615", "u8", 2**64 - 1),
        ("9223372036854775807", "i8", 2**63 - 1),
        ("65504", "f2", 65504.0),
        ("1", "?", 1),
        ("2", "?", None),
        (None, "u1", None),
    ],
)
def test_types_that_gdal_reads_otherwise(text: Any, dtype: str, value: Any) -> None:
    """GDAL has no float16 in TIFF before 3.11, and loses digits of integers of 64 bits."""
    assert no_data(text, np.dtype(dtype)) == value


def test_zeros_are_elements_and_the_least_float_is_missing() -> None:
    least = np.finfo("f4").min
    data = np.array([[0, 1], [least, 2]], "f4")
    file = io.BytesIO()
    tifffile.imwrite(file, data, extratags=[(42113, 2, 0, str(float(least)), True)])
    node = array(file.getvalue())
    assert node.metadata.fill_value == least
    assert np.array_equal(node[...], data)
    assert xarray_missing(node) == least


def xarray_missing(node: Any) -> float:
    """The value that xarray takes for missing: base64 of a float64 in its form of attributes."""
    raw = base64.standard_b64decode(node.attributes["_FillValue"])
    return float(np.frombuffer(raw, "<f8")[0])
