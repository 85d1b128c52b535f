"""PNG: other readers see the plane; grey levels of any values."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest
import zarr

import zarrcore
from tests.core.filetypes.elements import DATA, RGB
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.png import stretch_to_bytes


def png_pixels(data: bytes) -> np.ndarray:
    from PySide6.QtGui import QImage

    image = QImage.fromData(data, "PNG")
    assert not image.isNull()
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), "u1").reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def test_other_readers_see_the_plane_in_a_png(arrays: zarrcore.Hierarchy) -> None:
    file = zarrcore.virtual_file(arrays["rgb"], suffix="png")
    data = bytes(file.read(0, 1 << 20))
    assert len(data) == file.size
    assert np.array_equal(png_pixels(data), RGB)
    grey = zarrcore.virtual_file(arrays["float"], (2,), "png")
    pixels = png_pixels(bytes(grey.read(0, 1 << 20)))
    assert np.array_equal(pixels[..., 0], stretch_to_bytes(DATA[2]))
    assert bytes(grey.read(5, 9)) == bytes(grey.read(0, 1 << 20))[5:14]


def test_png_of_a_large_plane_has_many_blocks(tmp_path: Path) -> None:
    plane = np.random.default_rng(0).integers(0, 255, (700, 900)).astype("u1")
    zarr.create_array(tmp_path / "a.zarr", data=plane)
    file = zarrcore.virtual_file(zarrcore.open_hierarchy(tmp_path / "a.zarr")["/"], suffix="png")
    data = bytes(file.read(0, file.size + 10))
    assert len(data) == file.size
    start = data.index(b"IDAT") + 4
    rows = zlib.decompress(data[start : start + int.from_bytes(data[start - 8 : start - 4], "big")])
    assert np.array_equal(np.frombuffer(rows, "u1").reshape(700, 901)[:, 1:], plane)


@pytest.mark.parametrize(
    "plane",
    [
        np.array([[np.nan, 1.0], [2.0, np.inf]]),
        np.full((2, 2), np.nan),
        np.full((2, 2), 7),
        np.array([["NaT", "2020-01-01"]], "M8[s]"),
        np.array([[1 + 1j, 2]]),
    ],
)
def test_odd_values_have_grey_levels(plane: np.ndarray) -> None:
    levels = stretch_to_bytes(plane)
    assert levels.shape == plane.shape
    assert levels.dtype == np.uint8


def test_pictures_are_bounded(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", shape=(9000, 9000), chunks=(1000, 1000), dtype="f4", fill_value=1)
    array = zarrcore.open_hierarchy(tmp_path / "a.zarr")["/"]
    with pytest.raises(UnsupportedError, match="too large for one picture: select a part"):
        zarrcore.virtual_file(array, suffix="png")
    part = zarrcore.virtual_file(array, slice(0, 1000), "png")
    assert part.size == len(part.read(0, part.size + 1))


def test_grey_levels_of_a_large_plane_agree_with_all_its_values() -> None:
    plane = np.random.default_rng(0).normal(size=(1500, 1700)).astype("f4")
    levels = stretch_to_bytes(plane)
    low, high = np.percentile(plane, (1, 99))
    assert np.abs(levels - np.clip((plane - low) * 255 / (high - low), 0, 255)).max() < 4
