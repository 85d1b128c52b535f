"""The data in the guide's pictures: images of a brain, and computed cells in two and three dimensions, a plate of them,
temperatures of a year, and a sky survey.
"""

from __future__ import annotations

import os
from typing import Any

import demo_hierarchy
import numpy as np
import zarr

_CELLS = 1024
_SPACE = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"]


def write_data(folder: str) -> None:
    """A folder of six hierarchies."""
    os.makedirs(folder)
    demo_hierarchy.write(os.path.join(folder, "brain.zarr"))
    _write_cells(os.path.join(folder, "cells.zarr"))
    _write_nuclei(os.path.join(folder, "nuclei.zarr"))
    _write_climate(os.path.join(folder, "climate.zarr"))
    _write_survey(os.path.join(folder, "sky.zarr"))
    _write_plate(os.path.join(folder, "plate.zarr"))


def _write_cells(path: str) -> None:
    """A pyramid of three channels, and one of labels, as OME-NGFF 0.4 has them."""
    random = np.random.default_rng(1)
    stains, cells = zip(_blobs(50, 14, 1), _blobs(120, 5, 2), _blobs(26, 26, 3), strict=True)
    channels = (np.stack(stains) * 3000 + random.normal(200, 1, (3, _CELLS, _CELLS))).clip(0, 65535)
    colours = {"DAPI": "3060FF", "GFP": "00FF40", "mCherry": "FF2000"}
    levels = range(3)
    group = zarr.create_group(path, zarr_format=2)
    for level in levels:
        group.create_array(
            str(level), data=channels[:, :: 1 << level, :: 1 << level].astype("u2"), chunks=(1, 256, 256)
        )
    group.attrs.update(
        {
            "multiscales": [
                {
                    "version": "0.4",
                    "axes": [{"name": "c", "type": "channel"}, *_SPACE],
                    "datasets": [_dataset(level) for level in levels],
                }
            ],
            "omero": {
                "channels": [
                    {"label": name, "color": value, "active": True} for name, value in colours.items()
                ]
            },
        }
    )
    group.create_group("labels").attrs["labels"] = ["cells"]
    labels = group.create_group("labels/cells")
    for level in levels:
        labels.create_array(str(level), data=cells[2][:: 1 << level, :: 1 << level], chunks=(256, 256))
    datasets = [_dataset(level, 0) for level in levels]
    labels.attrs.update(
        {"multiscales": [{"version": "0.4", "axes": _SPACE, "datasets": datasets}], "image-label": {}}
    )


def _write_nuclei(path: str) -> None:
    """A volume of two channels, as OME-NGFF 0.4 has it: nuclei on a sphere, and the membrane around them."""
    random = np.random.default_rng(6)
    down, across, right = np.mgrid[:48, :128, :128].astype("f4")
    z, y, x = (down - 23.5) * 2.5, across - 63.5, right - 63.5  # planes are further apart than pixels
    far = np.sqrt(z**2 + y**2 + x**2)
    membrane = np.exp(-(((far - 50) / 2.5) ** 2)) * (0.35 + 0.15 * np.sin(x / 6) * np.cos(y / 7))
    nuclei = np.zeros_like(far)
    for _ in range(48):
        direction = random.normal(size=3)
        centre = direction / np.linalg.norm(direction) * random.uniform(20, 42)
        distance = (z - centre[0]) ** 2 + (y - centre[1]) ** 2 + (x - centre[2]) ** 2
        nuclei += random.uniform(0.5, 1) * np.exp(-distance / (2 * random.uniform(3, 5) ** 2))
    channels = (np.stack([nuclei, membrane]) * 4000 + random.normal(180, 12, (2, *far.shape))).clip(0, 65535)
    axes: list[Any] = [
        {"name": "c", "type": "channel"},
        {"name": "z", "type": "space", "unit": "micrometer"},
        *_SPACE,
    ]
    group, datasets = zarr.create_group(path, zarr_format=2), list[Any]()
    for level in range(2):
        step, side = 1 << level, 0.4 * 2**level
        group.create_array(
            str(level), data=channels[..., ::step, ::step].astype("u2"), chunks=(1, 16, 64, 64)
        )
        scale = {"type": "scale", "scale": [1, 1.0, side, side]}
        datasets.append({"path": str(level), "coordinateTransformations": [scale]})
    told = (("DNA", "40A0FF"), ("membrane", "FFA020"))
    group.attrs.update(
        {
            "multiscales": [{"version": "0.4", "axes": axes, "datasets": datasets}],
            "omero": {"channels": [{"label": name, "color": one, "active": True} for name, one in told]},
        }
    )


def _dataset(level: int, channels: int = 1) -> dict[str, Any]:
    side = 0.325 * 2**level
    scale = [*[1] * channels, side, side]
    return {"path": str(level), "coordinateTransformations": [{"type": "scale", "scale": scale}]}


def _blobs(number: int, width: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Intensities, and the number of the blob at each position."""
    random, picture = np.random.default_rng(seed), np.zeros((_CELLS, _CELLS), "f4")
    names = np.zeros(picture.shape, "u2")
    reach = int(4 * width)
    for name in range(1, number + 1):
        y, x = random.integers(0, _CELLS, 2)
        rows, columns = slice(max(0, y - reach), y + reach), slice(max(0, x - reach), x + reach)
        down, right = np.mgrid[rows, columns][:, : _CELLS - rows.start, : _CELLS - columns.start]
        distance = ((down - y) ** 2 + (right - x) ** 2) / (2 * width**2)
        picture[rows, columns] += random.uniform(0.4, 1) * np.exp(-distance)
        names[rows, columns][distance < 1] = name
    return picture, names


def _write_climate(path: str) -> None:
    """Packed temperatures by month, latitude and longitude, following the CF conventions."""
    latitude, longitude = np.linspace(90, -90, 91, dtype="f4"), np.arange(0, 360, 2, dtype="f4")
    zones = 30 * np.cos(np.deg2rad(latitude))[:, None] + 8 * np.sin(np.deg2rad(longitude) * 3)
    months = [
        zones - 12 + 9 * np.sin(month / 12 * 2 * np.pi) * np.sin(np.deg2rad(latitude))[:, None]
        for month in range(12)
    ]
    packed = np.round((np.stack(months) - 10) / 0.01).astype("i2")
    packed[:, 30:45, 100:130] = -32768
    group = zarr.create_group(path, zarr_format=2)
    names = ["time", "lat", "lon"]
    array = group.create_array("tas", data=packed, chunks=(1, 91, 90), fill_value=-32768)
    array.attrs.update({"_ARRAY_DIMENSIONS": names, "_FillValue": -32768, "units": "degC"})
    array.attrs["long_name"] = "near-surface air temperature"
    array.attrs.update({"scale_factor": 0.01, "add_offset": 10.0})
    days = np.arange(12) * 30.4 + 15
    units = ("days since 2000-01-01", "degrees_north", "degrees_east")
    for name, values, unit in zip(names, (days, latitude, longitude), units, strict=True):
        # With a fill value of 0, a coordinate of 0 would be a missing value to xarray.
        axis = group.create_array(name, data=values, chunks=values.shape, fill_value=None)
        axis.attrs.update({"_ARRAY_DIMENSIONS": [name], "units": unit})
    _write_stations(group.create_group("stations"))


def write_weather(path: str) -> None:
    """Pressure around a low over the British Isles, on the curved grid of a regional model."""
    y, x = (
        np.mgrid[-60:60, -80:80] * 0.22 + 0.11
    )  # degrees from the middle of the grid, whose pole lies elsewhere
    middle, y, x = np.radians(52.0), np.radians(y), np.radians(x)
    latitude = np.degrees(np.arcsin(np.sin(y) * np.cos(middle) + np.cos(y) * np.cos(x) * np.sin(middle)))
    longitude = -2 + np.degrees(
        np.arctan2(np.cos(y) * np.sin(x), np.cos(y) * np.cos(x) * np.cos(middle) - np.sin(y) * np.sin(middle))
    )
    away, angle = np.hypot(x + 0.04, (y - 0.05) * 1.3), np.arctan2(y - 0.05, x + 0.04)
    trough = 9 * np.exp(-((away / 0.25) ** 2)) * np.cos(angle + 14 * away)
    pressure = 1022 - 46 * np.exp(-((away / 0.11) ** 2)) + trough - 60 * (y - x / 3).clip(0)
    group = zarr.create_group(path)
    for name, values, told in (
        ("psl", pressure, {"units": "hPa", "coordinates": "lat lon", "long_name": "pressure at sea level"}),
        ("lat", latitude, {"units": "degrees_north"}),
        ("lon", longitude, {"units": "degrees_east"}),
    ):
        array = group.create_array(name, data=values.astype("f4"), dimension_names=["y", "x"])
        array.attrs.update(told)


def _write_stations(group: zarr.Group) -> None:
    """A table of weather stations: its columns are arrays, and one has categories as AnnData does."""
    random, count = np.random.default_rng(4), 5000
    columns = {
        "station": np.arange(10_000, 10_000 + count, dtype="i4"),
        "lat": random.uniform(-90, 90, count).astype("f4").round(3),
        "lon": random.uniform(0, 360, count).astype("f4").round(3),
        "elevation": random.gamma(2, 180, count).astype("f4").round(1),
        "opened": random.integers(0, 40_000, count).astype("f8"),
        "is_automatic": random.random(count) < 0.4,
    }
    above = columns["elevation"] * 0.0065
    for name, warmest, fall in (("winter", 26, 0.62), ("summer", 28, 0.3)):
        at_sea = warmest - fall * np.abs(columns["lat"])
        columns[name] = (at_sea - above + random.normal(0, 2, count)).astype("f4").round(1)
    units = {
        "winter": "degC",
        "summer": "degC",
        "lat": "degrees_north",
        "lon": "degrees_east",
        "elevation": "m",
        "opened": "days since 1900-01-01",
    }
    for name, values in columns.items():
        array = group.create_array(name, data=values, chunks=(1000,), fill_value=None)
        array.attrs["_ARRAY_DIMENSIONS"] = ["station"]
        if name in units:
            array.attrs["units"] = units[name]
    terrain = group.create_group("terrain")
    terrain.attrs.update({"encoding-type": "categorical", "encoding-version": "0.2.0", "ordered": False})
    terrain.create_array("codes", data=random.integers(-1, 3, count).astype("i1"), chunks=(1000,))
    terrain.create_array("categories", data=np.array(["coast", "plain", "mountain"], "U8"), chunks=(3,))


def _write_survey(path: str) -> None:
    """Twelve nights, and a mosaic with missing parts."""
    random = np.random.default_rng(20)
    sky = zarr.create_group(path)
    for night in range(1, 13):
        group = sky.create_group(f"night_{night:02}")
        for name in ("raw", "flat", "dark"):
            group.create_array(name, data=random.poisson(9, (64, 64)).astype("uint16"), chunks=(64, 64))
    shape, names = (2400, 3200), ["dec", "ra"]
    mosaic = sky.create_array(
        "mosaic", shape=shape, chunks=(100, 100), dtype="float32", dimension_names=names
    )
    rows, columns = np.mgrid[0:24, 0:32]
    coverage = 1.15 - np.hypot((rows - 12) / 12, (columns - 14) / 18)
    for row, column in np.argwhere(random.random((24, 32)) < coverage):
        stars = random.exponential(3, (100, 100)) * (random.random((100, 100)) < 0.02)
        field = (stars + random.random((100, 100)) / 4).astype("float32")
        mosaic[row * 100 : (row + 1) * 100, column * 100 : (column + 1) * 100] = field


def _write_plate(path: str) -> None:
    """A plate of 96 wells with two stains, as OME-NGFF 0.5 has them: a drug that kills cells, diluted from left to right."""
    random = np.random.default_rng(7)
    rows, columns = "ABCDEFGH", [str(number) for number in range(1, 13)]
    plate = zarr.create_group(path)
    wells: list[dict[str, Any]] = []
    for row, name in enumerate(rows):
        for column, number in enumerate(columns):
            well = f"{name}/{number}"
            wells.append({"path": well, "rowIndex": row, "columnIndex": column})
            if well in ("C/5", "G/11"):
                continue  # listed, but never acquired
            _write_well(plate, well, 1 / (1 + 2.0 ** (5 - column + row / 4)), random)
    del wells[15], wells[70]
    plate.attrs["ome"] = {
        "version": "0.5",
        "plate": {
            "name": "dilution",
            "rows": [{"name": name} for name in rows],
            "columns": [{"name": name} for name in columns],
            "wells": wells,
            "field_count": 4,
        },
    }


def _write_well(plate: Any, path: str, alive: float, random: np.random.Generator) -> None:
    """One field of view, four in the second row."""
    fields = range(4 if path.startswith("B") else 1)
    group = plate.create_group(path)
    group.attrs["ome"] = {"version": "0.5", "well": {"images": [{"path": str(field)} for field in fields]}}
    channels = [{"label": "nuclei", "color": "4060FF"}, {"label": "actin", "color": "40FF40"}]
    for field in fields:
        image = group.create_group(str(field))
        picture = _cells(round(2 + 9 * alive), random)
        for level in range(2):
            image.create_array(
                str(level), data=picture[:, :: 1 << level, :: 1 << level], chunks=(1, 192, 192)
            )
        axes = [{"name": "c", "type": "channel"}, *_SPACE]
        multiscales = [{"axes": axes, "datasets": [_dataset(level) for level in range(2)]}]
        image.attrs["ome"] = {"version": "0.5", "multiscales": multiscales, "omero": {"channels": channels}}


def _cells(number: int, random: np.random.Generator) -> np.ndarray:
    """Nuclei, and cell bodies around them, shape (2, 192, 192)."""
    side = 192
    picture = random.normal(120, 2, (2, side, side)).astype("f4")
    down, right = np.mgrid[-30:30, -30:30]
    for _ in range(number):
        y, x = random.integers(30, side - 30, 2)
        long, wide, angle = random.uniform(8, 11), random.uniform(5, 8), random.uniform(0, np.pi)
        u, v = down * np.cos(angle) + right * np.sin(angle), right * np.cos(angle) - down * np.sin(angle)
        part = np.s_[y - 30 : y + 30, x - 30 : x + 30]
        picture[0][part] += 2200 / (1 + np.exp(3 * ((u / long) ** 2 + (v / wide) ** 2 - 1)))
        ring = (u / (2.1 * long)) ** 2 + (v / (2.4 * wide)) ** 2
        picture[1][part] += (
            random.uniform(500, 900) * np.exp(-3 * (ring - 0.7) ** 2) / (1 + np.exp(6 * (ring - 1.2)))
        )
    return picture.clip(0, 65535).astype("u2")
