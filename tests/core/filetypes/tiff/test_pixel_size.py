"""The size of pixels in a TIFF file, read with tifffile."""

from __future__ import annotations

import io
from typing import Any

import pytest
import tifffile

import zarrcore
from zarrcore.filetypes import TiffFile, file_type


@pytest.mark.parametrize(
    ("resolution", "is_told"),
    [
        ((1e7, 2.5e6), True),
        ((1e4 / 0.325, 1e4 / 0.65), True),
        ((1.0, 1e-7), True),
        ((1e-30, 1.0), False),
        ((1.0, 1e30), False),
        (None, False),
    ],
)
def test_the_resolution_is_in_pixels_per_centimetre(
    resolution: tuple[float, float] | None, is_told: bool
) -> None:
    array = zarrcore.create("memory://").create_array("/a", shape=(3, 4, 5), dtype="uint8")
    stream = io.BytesIO()
    TiffFile(array, ..., resolution).write_to(stream)
    stream.seek(0)
    with tifffile.TiffFile(stream) as file:
        for page in file.pages:
            unit = tifffile.RESUNIT.CENTIMETER if is_told else tifffile.RESUNIT.NONE
            assert page.resolutionunit == unit
            expected = resolution if is_told and resolution is not None else (1, 1)
            assert page.resolution[::-1] == pytest.approx(expected, rel=1e-6)


def image(unit: str, **attributes: Any) -> Any:
    """An image with two levels, whose pixels are 0.5 high and 0.25 wide at first."""
    hierarchy = zarrcore.create("memory://")
    datasets = []
    for path, factor in (("0", 1), ("1", 2)):
        names = ["c", "y", "x"]
        shape = (3, 16 // factor, 32 // factor)
        hierarchy.create_array(f"/{path}", shape=shape, dtype="u2", dimension_names=names, **attributes)
        scale = {"type": "scale", "scale": [1, 0.5 * factor, 0.25 * factor]}
        datasets.append({"path": path, "coordinateTransformations": [scale]})
    axes = [{"name": "c", "type": "channel"}, *({"name": n, "type": "space", "unit": unit} for n in "yx")]
    hierarchy.attributes["ome"] = {"version": "0.5", "multiscales": [{"axes": axes, "datasets": datasets}]}
    return hierarchy


@pytest.mark.parametrize("suffix", ["tiff", "tif"])
@pytest.mark.parametrize(
    ("path", "selection", "micrometres"),
    [
        ("0", (...,), (0.5, 0.25)),
        ("1", (...,), (1, 0.5)),
        ("0", (1,), (0.5, 0.25)),
        ("0", (slice(2), slice(None, None, 4), slice(None, None, -2)), (2, 0.5)),
    ],
)
def test_the_pixels_of_an_image_have_its_size(
    suffix: str, path: str, selection: Any, micrometres: tuple[float, float]
) -> None:
    assert in_file(suffix, image("micrometer")[path], selection) == pytest.approx(micrometres)


@pytest.mark.parametrize("suffix", ["tiff", "tif"])
def test_a_size_that_is_not_known_is_not_stated(suffix: str) -> None:
    assert in_file(suffix, image("second")["0"]) is None
    assert in_file(suffix, zarrcore.create("memory://").create_array("a", shape=(4, 5), dtype="u1")) is None
    # The second array is a table of channels: its rows are not pixels.
    assert suffix == "tif" or in_file(suffix, image("micrometer")["0"], (slice(None), 1)) is None


def in_file(suffix: str, array: Any, selection: Any = ...) -> tuple[float, float] | None:
    """The height and width of pixels in micrometres, by tifffile."""
    stream = io.BytesIO()
    file_type(suffix).of_array(array, selection).write_to(stream)
    stream.seek(0)
    with tifffile.TiffFile(stream) as file:
        (found,) = {(page.resolution, page.tags.valueof(296)) for page in file.pages if not page.is_reduced}
    (right, down), unit = found
    return (1e4 / down, 1e4 / right) if unit == tifffile.RESUNIT.CENTIMETER else None
