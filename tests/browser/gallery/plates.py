"""Plates, wells and series, in memory and as an independent writer writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.browser.fakes import FakeArray, FakeGroup


def image(value: float = 7, side: int = 16, **attributes: Any) -> FakeGroup:
    """An image of one level, a ramp that starts at a value."""
    ramp = np.add.outer(np.arange(side), np.arange(side)).astype(np.uint16) + np.uint16(value)
    entry = {"axes": ["y", "x"], "datasets": [{"path": "0"}]}
    return FakeGroup({"0": FakeArray(ramp, ("y", "x"))}, {"multiscales": [entry], **attributes})


def well(*fields: FakeGroup, runs: tuple[int, ...] = ()) -> FakeGroup:
    """A well.

    Args:
        runs: the acquisition of each field.
    """
    images: list[dict[str, Any]] = [{"path": str(number)} for number in range(len(fields))]
    for one, run in zip(images, runs, strict=False):
        one["acquisition"] = run
    children = {str(number): field for number, field in enumerate(fields)}
    return FakeGroup(children, {"well": {"images": images}})


def plate(names: str = "AB", width: int = 3, left_out: tuple[str, ...] = (), **more: Any) -> FakeGroup:
    """A plate whose wells ``left_out`` are listed but do not exist."""
    wells, children = [], {}
    for row, name in enumerate(names):
        below: dict[str, Any] = {}
        for column in range(width):
            path = f"{name}/{column + 1}"
            wells.append({"path": path, "rowIndex": row, "columnIndex": column})
            if path not in left_out:
                below[str(column + 1)] = well(image(100 * row + column), image(9))
        children[name] = FakeGroup(below)
    told = {
        "rows": [{"name": name} for name in names],
        "columns": [{"name": str(column + 1)} for column in range(width)],
        "wells": wells,
        **more,
    }
    return FakeGroup(children, {"plate": told})


def plate_in_runs() -> FakeGroup:
    """Two wells; the first has two fields of acquisition 1 and one of acquisition 4, the second one field of acquisition 1."""
    row = FakeGroup(
        {"1": well(image(0), image(1000), image(2000), runs=(1, 4, 1)), "2": well(image(5), runs=(1,))}
    )
    told = {
        "rows": [{"name": "A"}],
        "columns": [{"name": "1"}, {"name": "2"}],
        "wells": [{"path": f"A/{n + 1}", "rowIndex": 0, "columnIndex": n} for n in range(2)],
        "acquisitions": [{"id": 1, "name": "before"}, {"id": 4}],
    }
    return FakeGroup({"A": row}, {"plate": told})


def model_of(side: int) -> Any:
    """The metadata of an image with two channels and two levels, by the models of yaozarrs."""
    from yaozarrs import v05

    axes = [v05.ChannelAxis(name="c"), *(v05.SpaceAxis(name=name, unit="micrometer") for name in "yx")]
    datasets = [
        v05.Dataset(
            path=str(level),
            coordinateTransformations=[v05.ScaleTransformation(scale=[1.0, 0.5 * 2**level, 0.5 * 2**level])],
        )
        for level in range(2)
    ]
    return v05.Image(multiscales=[v05.Multiscale(axes=axes, datasets=datasets)])


def levels(seed: int, side: int = 64) -> list[Any]:
    finest = np.random.default_rng(seed).integers(0, 1000, (2, side, side)).astype(np.uint16)
    return [finest, finest[:, ::2, ::2]]


def write_plate(path: Path) -> None:
    """A plate of 2 × 2 wells with two fields each, written by yaozarrs."""
    from yaozarrs.write.v05 import write_plate as write

    images = {
        (row, column, field): (model_of(64), levels(number))
        for number, (row, column, field) in enumerate(
            (row, column, field) for row in "AB" for column in "12" for field in "01"
        )
    }
    write(path, images, writer="zarr")


OME_XML = (
    '<?xml version="1.0" encoding="UTF-8"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">'
    '<Image ID="Image:0" Name="left eye"><Description>an overview</Description></Image>'
    '<Image ID="Image:1" Name="right eye"/><Image ID="Image:2"/></OME>'
)


def write_series(path: Path, xml: str | None = OME_XML) -> None:
    """Three images in the layout of bioformats2raw, written by yaozarrs."""
    from yaozarrs.write.v05 import write_bioformats2raw

    images = {str(number): (model_of(32), levels(number, 32)) for number in range(3)}
    write_bioformats2raw(path, images, ome_xml=xml, writer="zarr")
