"""Real stores of several writers, opened in one window, with one image beside another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tensorstore as ts
import xarray as xr
import zarr
from pytestqt.qtbot import QtBot

from tests.browser.panes.image.pictures import pane_of
from zarrbrowser.panes.image.beside.beside_area import BesideArea
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.session.sources import Source
from zarrbrowser.window.main_window import MainWindow

FINE = np.arange(64 * 96, dtype=np.uint16).reshape(64, 96)
MONTHS = np.array([f"2020-{month:02}-01" for month in range(1, 7)], "datetime64[ns]")


def write_model(path: Path, latitudes: np.ndarray, longitudes: np.ndarray, times: np.ndarray) -> None:
    """A variable of which each element tells its place: 10000·month + 100·latitude + longitude.

    Written by xarray, as NetCDF or with zarr-python.
    """
    months = times.astype("datetime64[M]").astype(int) % 12 + 1
    values = 10000.0 * months[:, None, None] + 100.0 * latitudes[:, None] + longitudes
    told = {
        "time": times,
        "lat": ("lat", latitudes, {"units": "degrees_north"}),
        "lon": ("lon", longitudes, {"units": "degrees_east"}),
    }
    dataset = xr.Dataset({"tas": (("time", "lat", "lon"), values, {"units": "K"})}, told)
    if path.suffix == ".nc":
        dataset.to_netcdf(path)
    else:
        dataset.to_zarr(path, zarr_format=2)


def write_pyramid(path: Path, nanometres: bool = False) -> None:
    """An OME-NGFF 0.4 pyramid of `FINE` and of every second element, 0.5 µm and 1 µm apart, by zarr-python."""
    group = zarr.open_group(str(path), mode="w", zarr_format=2)
    unit, factor = ("nanometer", 1000.0) if nanometres else ("micrometer", 1.0)
    datasets = []
    for level, step in enumerate((1, 2)):
        group.create_array(str(level), data=np.ascontiguousarray(FINE[::step, ::step]), chunks=(16, 16))
        transformation = {"type": "scale", "scale": [0.5 * step * factor] * 2}
        datasets.append({"path": str(level), "coordinateTransformations": [transformation]})
    axes = [{"name": name, "type": "space", "unit": unit} for name in "yx"]
    group.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": datasets}]


def write_v3(path: Path) -> None:
    """Arrays without any coordinates, by zarr-python."""
    group = zarr.open_group(str(path), mode="w", zarr_format=3)
    group.create_array("fine", data=FINE, chunks=(16, 16))
    group.create_array("half", data=np.ascontiguousarray(FINE[::2, ::2]), chunks=(16, 16))
    group.create_array("crop", data=np.ascontiguousarray(FINE[:20, :50]), chunks=(16, 16))
    group.create_array("stack", data=np.stack([FINE, FINE + 1, FINE + 2]), chunks=(1, 16, 16))


def write_n5(path: Path) -> None:
    """`FINE` as N5, by tensorstore, which counts axes the other way."""
    made = {
        "driver": "n5",
        "kvstore": {"driver": "file", "path": str(path / "raw")},
        "metadata": {
            "dimensions": [*FINE.T.shape],
            "blockSize": [16, 16],
            "dataType": "uint16",
            "compression": {"type": "raw"},
        },
    }
    ts.open(made, create=True).result()[...] = FINE.T
    (path / "attributes.json").write_text('{"n5": "2.0.0"}')


def open_beside(window: MainWindow, qtbot: QtBot, first: str, second: str) -> tuple[ImagePane, BesideArea]:
    """Show the image of one address, and that of another one beside it."""
    open_source(window, qtbot, second.partition("#")[0])
    window.open_text(first)
    path = first.partition("#")[2] or "/"
    qtbot.waitUntil(lambda: window.session.node is not None and window.session.node.path == path)
    pane = pane_of(window, qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete)
    return pane, show_beside(window, qtbot, second)


def open_source(window: MainWindow, qtbot: QtBot, address: str) -> None:
    """Open a source."""
    window.open_text(address)
    qtbot.waitUntil(lambda: any(one.request.address == address for one in window.session.sources))


def source_of(window: MainWindow, address: str) -> Source:
    """The open source of an address."""
    return next(one for one in window.session.sources if one.request.address == address)


def show_beside(window: MainWindow, qtbot: QtBot, second: str) -> BesideArea:
    """Show another image beside the present one, and wait for its picture."""
    address, _, path = second.partition("#")
    window.beside.show(source_of(window, address), path or "/")
    area = area_of(pane_of(window, qtbot))
    qtbot.waitUntil(lambda: area.pane.view.is_complete)
    return area


def area_of(pane: ImagePane) -> BesideArea:
    """The second image."""
    assert pane.beside.area is not None
    return pane.beside.area
