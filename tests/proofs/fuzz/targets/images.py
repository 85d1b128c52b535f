"""OME-NGFF, N5 pyramids and CF attributes: MetadataError, or an image for the window, and for OME-TIFF as tifffile reads it."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
import tifffile

import zarrcore
from tests.proofs.fuzz.documents import Choices, changed_document
from tests.proofs.fuzz.seen import has_passed, passed
from zarrbrowser.coordinates.coordinates import coordinates_of, decoded, scale_along
from zarrbrowser.image.labels import label_names
from zarrbrowser.image.levels import proportion
from zarrbrowser.image.multiscales import image_of_group, is_image
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.nodes.describe import array_facts, codec_facts, group_facts, json_text, summary
from zarrbrowser.values.elements import fill_of
from zarrcore.conventions.cf import packing_of
from zarrcore.errors import MetadataError, NodeNotFoundError, SelectionError, UnsupportedError, ZarrError
from zarrcore.filetypes.registry import file_type
from zarrcore.hierarchy import ArrayNode, Group
from zarrcore.stores import MemoryStore

_AXES = [
    {"name": "c", "type": "channel"},
    {"name": "y", "type": "space", "unit": "micrometer"},
    {"name": "x", "type": "space"},
]
_SCALE = {"type": "scale", "scale": [1, 0.5, 0.5]}
_CHANNEL = {
    "label": "a",
    "color": "00FF7A",
    "window": {"start": 0, "end": 10, "min": 0, "max": 255},
    "active": True,
}
_MULTISCALES = [
    {
        "version": "0.4",
        "name": "image",
        "axes": _AXES,
        "datasets": [
            {"path": "0", "coordinateTransformations": [_SCALE]},
            {
                "path": "1",
                "coordinateTransformations": [
                    {**_SCALE, "scale": [1, 1.0, 1.0]},
                    {"type": "translation", "translation": [0, 0.25, 0.25]},
                ],
            },
        ],
        "coordinateTransformations": [{"type": "scale", "scale": [1, 2, 2]}],
    }
]
_CF = {
    "units": "days since 2000-01-01 12:00:00",
    "calendar": "standard",
    "scale_factor": 0.5,
    "add_offset": [1],
    "_FillValue": -1,
    "missing_value": [3, "AAAAAAAA+H8="],
}
EXAMPLES: list[dict[str, Any]] = [
    {
        "group": {"multiscales": _MULTISCALES, "omero": {"channels": [_CHANNEL, _CHANNEL]}},
        "array": {},
        "line": _CF,
    },
    {
        "group": {"ome": {"version": "0.5", "multiscales": _MULTISCALES, "labels": ["a"], "image-label": {}}},
        "array": _CF,
        "line": {},
    },
    {
        "group": {
            "multiscales": [
                {"datasets": [{"path": "0", "transform": {"scale": [1, 2, 3], "translate": [0, 0, 0]}}]}
            ]
        },
        "array": {},
        "line": {},
    },
    {
        "group": {
            "downsamplingFactors": [[1, 1, 1], [2, 2, 1]],
            "pixelResolution": {"unit": "um", "dimensions": [1, 2, 3]},
        },
        "array": {},
        "line": {},
    },
    {
        "group": {"scales": [[1, 1, 1], [2, 2, 1]], "resolution": [4, 4, 40]},
        "array": {"downsamplingFactors": [2, 2, 1]},
        "line": {},
    },
    {
        "group": {"multiScale": True},
        "array": {"units": "hours since 1970-1-1T0:0Z"},
        "line": {"units": "degrees_north"},
    },
]
MAX_LENGTH = 80
WORDS = (
    *(
        "multiscales",
        "ome",
        "omero",
        "channels",
        "labels",
        "image-label",
        "axes",
        "datasets",
        "path",
        "coordinateTransformations",
    ),
    *(
        "scale",
        "translation",
        "type",
        "name",
        "unit",
        "channel",
        "space",
        "time",
        "micrometer",
        "angstrom",
        "window",
        "start",
        "end",
    ),
    *(
        "color",
        "0",
        "1",
        "s0",
        "s1",
        "..",
        "/",
        "line",
        "units",
        "calendar",
        "seconds since 9999-12-31",
        "days since 0001-01-01",
    ),
    *(
        "months since 2000-1-1",
        "noleap",
        "scale_factor",
        "add_offset",
        "_FillValue",
        "missing_value",
        "downsamplingFactors",
    ),
    *(
        "pixelResolution",
        "dimensions",
        "resolution",
        "transform",
        "translate",
        "K",
        "degC",
        "active",
        "label",
        "FF",
        "#ffffff",
    ),
)


@cache
def _values() -> dict[str, bytes]:
    """Levels of an image, and lines of coordinates; attributes are given by each input."""
    store = MemoryStore()
    hierarchy = zarrcore.create(store)
    hierarchy.create_group("/image")
    for name in ("0", "s0"):
        hierarchy.create_array(
            f"/image/{name}", shape=(2, 8, 6), dtype="int16", dimension_names=("c", "y", "x")
        )
    for name in ("1", "s1"):
        hierarchy.create_array(f"/image/{name}", shape=(2, 4, 3), dtype="int16")
    line = hierarchy.create_array("/image/x", shape=(6,), dtype="int32", dimension_names=("x",))
    line[...] = [0, 1, 2, 5, 1000, 1 << 30]
    floats = hierarchy.create_array("/image/y", shape=(8,), dtype="float64")
    floats[...] = [-1e300, -1.5, 0, 1e-300, 1, 2, 1e18, np.nan]
    return {entry.key: bytes(store.get(entry.key) or b"") for entry in store.list_prefix("")}


def _with_attributes(values: dict[str, bytes], path: str, attributes: Any) -> None:
    key = f"{path}/zarr.json"
    values[key] = json.dumps({**json.loads(values[key]), "attributes": attributes}).encode()


def check(data: bytes) -> None:
    """The attributes of a group, of the arrays in it, and of coordinates."""
    document = changed_document(Choices(data), EXAMPLES, WORDS)
    with_tiff = len(data) % 4 == 1  # the examples, and some of the others, since it takes longest
    if not isinstance(document, dict) or has_passed(whole := f"{with_tiff} {document!r}"):
        return
    values = dict(_values())
    _with_attributes(values, "image", document.get("group"))
    for path, name in (("image/0", "array"), ("image/s0", "array"), ("image/x", "line"), ("image/y", "line")):
        _with_attributes(values, path, document.get(name))
    hierarchy = zarrcore.open_hierarchy(MemoryStore("", values), format="v3")
    try:
        group = hierarchy["/image"]
        arrays = [hierarchy[f"/image/{name}"] for name in ("0", "x", "y")]  # "s0" is as "0"
    except ZarrError:
        return
    assert isinstance(group, Group)
    group_facts(group, "Zarr v3", hierarchy.url)
    summary(group)
    json_text(group.attributes)
    for array, name in zip(arrays, ("array", "line", "line"), strict=True):
        assert isinstance(array, ArrayNode)
        told = repr(document.get(name))
        if not has_passed(array.path, told):  # its check reads nothing else that inputs change
            _check_array(array)
            passed(array.path, told)
    if is_image(group):
        _check_image(group, hierarchy.node)
        if with_tiff:
            _check_tiff(group, hierarchy.node)
    passed(whole)


def _check_array(array: ArrayNode) -> None:
    """All that the window shows of an array."""
    array_facts(array, "Zarr v3")
    codec_facts(array)
    summary(array)
    values = np.asarray(array[...])
    packing = packing_of(array)
    if packing is not None:
        with np.errstate(all="ignore"):
            assert packing.unpacked(values).shape == values.shape
    fill_of(array)
    if array.ndim == 1:
        with np.errstate(all="ignore"):
            coordinate = decoded(array, array.name)
            for position in range(array.size):
                assert isinstance(coordinate.text(position), str)
            for low, high, most in ((0, array.size, 5), (0.5, 1.5, 3), (-3, 100, 1), (2, 2.0001, 7)):
                _check_ticks(coordinate.ticks(low, high, most))


def _check_ticks(ticks: list[tuple[float, str]]) -> None:
    assert len(ticks) < 1000
    assert all(isinstance(text, str) for _, text in ticks)


def _check_image(group: Group, find: Any) -> None:
    """The group as one image in the window."""
    try:
        image = image_of_group(group, find)
    except (MetadataError, NodeNotFoundError, SelectionError):
        image = None
    if image is not None:
        settings = initial_settings(image)
        settings.describe(image)
        settings.planes(image)
        assert len(image.names) == image.base.ndim
        assert proportion(image, 1, 2) >= 0
        for level in image.levels:
            for axis in range(image.base.ndim):
                assert 0 <= level.position(axis, 1.0) < max(1, level.array.shape[axis])
        for axis in range(image.base.ndim):
            scale_along(image, axis)
        with np.errstate(all="ignore"):
            for coordinate in coordinates_of(image, find).values():
                coordinate.text(0)
                _check_ticks(coordinate.ticks(0, 5, 4))
        label_names(image, find)


def _check_tiff(group: Group, find: Any) -> None:
    """The group as OME-TIFF, read by tifffile."""
    try:
        file = file_type("ome.tiff").of_group(group, find=find)
    except (UnsupportedError, MetadataError, NodeNotFoundError, SelectionError):
        return
    content = bytes(file.read(0, file.size))
    with tifffile.TiffFile(io.BytesIO(content)) as tiff:
        text = tiff.ome_metadata
        assert text is not None
        ElementTree.fromstring(text)
        assert len(tiff.pages) >= 1


def examples() -> Iterable[bytes]:
    """Each of `EXAMPLES`."""
    return [bytes([number]) for number in range(len(EXAMPLES))]
