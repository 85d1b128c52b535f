"""What images become: groups, resolutions, dimensions, codecs, broken nodes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.core.stores.tiff.files import pyramid, store_of, written
from zarrcore.hierarchy.collections.collection import open_place

IMAGE = np.zeros((128, 192), "u2")
LEVELS = [IMAGE, IMAGE[::2, ::2], IMAGE[::4, ::4]]


def document(content: bytes, path: str = "") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(bytes(store_of(content).get(f"{path}zarr.json") or b"{}"))
    return found


def datasets(content: bytes, path: str = "") -> list[Any]:
    told = document(content, path)["attributes"]["ome"]["multiscales"][0]["datasets"]
    return [(each["path"], each["coordinateTransformations"][0]["scale"]) for each in told]


def test_resolutions_are_those_of_subifds_and_of_reduced_pages() -> None:
    wanted = [("0", [1.0, 1.0]), ("1", [2.0, 2.0]), ("2", [4.0, 4.0])]
    for as_pages in (False, True):
        assert datasets(pyramid(LEVELS, as_pages=as_pages, tile=(32, 32), metadata=None)) == wanted


def test_lengths_of_reduced_pages_are_rounded() -> None:
    for rows, columns in ((42, 64), (43, 63), (1, 2)):
        content = pyramid([IMAGE, np.zeros((rows, columns), "u2")], as_pages=True, metadata=None)
        assert [path for path, _ in datasets(content)] == ["0", "1"]


@pytest.mark.parametrize("shape", [(64, 64), (85, 115), (128, 96)])  # the second one nearly has the form
def test_pages_of_another_form_are_images_of_their_own(shape: tuple[int, int]) -> None:
    content = pyramid([IMAGE, np.zeros(shape, "u2")], as_pages=True, metadata=None)
    ome = document(content)["attributes"]["ome"]
    assert ome == {"version": "0.5", "bioformats2raw.layout": 3}
    assert datasets(content, "0/") == datasets(content, "1/") == [("0", [1.0, 1.0])]
    assert sorted(node.path for node in open_place(store_of(content)).walk()) == [
        "/",
        "/0",
        "/0/0",
        "/1",
        "/1/0",
    ]


def test_strips_that_end_with_the_page_make_a_rectilinear_grid() -> None:
    content = written(IMAGE[:70], rowsperstrip=32, compression="zlib")
    grid = document(content, "0/")["chunk_grid"]
    assert grid["configuration"]["chunk_shapes"] == [[[32, 2], 6], 192]
    whole = document(written(IMAGE, rowsperstrip=32, compression="zlib"), "0/")["chunk_grid"]
    assert whole == {"name": "regular", "configuration": {"chunk_shape": [32, 192]}}


def test_colours_are_channels_that_compose_the_picture() -> None:
    content = written(np.zeros((40, 50, 4), "u1"), photometric="rgb", extrasamples=("unassalpha",))
    channels = document(content)["attributes"]["ome"]["omero"]["channels"]
    assert [(each["color"], each["active"]) for each in channels] == [
        ("FF0000", True),
        ("00FF00", True),
        ("0000FF", True),
        ("FFFFFF", False),
    ]
    assert channels[0]["window"] == {"min": 0, "max": 255, "start": 0, "end": 255}
    codecs = document(content, "0/")["codecs"]
    assert codecs[0] == {"name": "transpose", "configuration": {"order": [1, 2, 0]}}


def test_nodata_of_zero_is_told() -> None:
    told = document(written(IMAGE, extratags=[(42113, 2, 0, "0", True)]), "0/")
    assert (told["fill_value"], told["attributes"]) == (0, {"_FillValue": 0})
    assert document(written(IMAGE), "0/")["attributes"] == {}


def test_nodata_that_is_no_number_is_the_fill_value() -> None:
    content = written(IMAGE.astype("f4"), extratags=[(42113, 2, 0, "nan", True)])
    told = document(content, "0/")
    assert told["fill_value"] == "NaN"
    assert told["attributes"] == {"_FillValue": "AAAAAAAA+H8="}
