"""Attributes of a group, an array and its coordinates, for all conventions: a meaning, or an error of ours."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

import zarrcore
from tests.proofs.fuzz.documents import Choices, changed_document
from zarrcore.conventions import conventions, georeference_of, inferred, meaning, recognise
from zarrcore.errors import ZarrError
from zarrcore.stores import MemoryStore

_SCALE = {"type": "scale", "scale": [0.5, 0.25], "input": {"path": "a"}, "output": {"name": "physical"}}
_AXES = [{"name": "y", "type": "space", "unit": "micrometer"}, {"name": "x", "type": "space"}]
_PARTS = [
    {"transformation": {"type": "scale", "scale": [2]}, "inputAxes": [1], "outputAxes": [1]},
    {"transformation": {"type": "translation", "translation": [1]}, "inputAxes": [0], "outputAxes": [0]},
]
_STEPS = [
    {"type": "affine", "affine": [[1, 0, 2], [0, 1, 3]], "output": {"name": "world"}},
    {"type": "rotation", "rotation": [[0, 1], [1, 0]]},
    {"type": "byDimension", "transformations": _PARTS},
    {"type": "bijection", "forward": {"type": "mapAxis", "mapAxis": [0, 1]}},
]
_IMAGE = {
    "version": "0.6",
    "multiscales": [
        {
            "name": "image",
            "coordinateSystems": [{"name": "physical", "axes": _AXES}],
            "datasets": [
                {"path": "a", "coordinateTransformations": [_SCALE]},
                {
                    "path": "b",
                    "coordinateTransformations": [{"type": "sequence", "transformations": [_SCALE, _SCALE]}],
                },
            ],
            "coordinateTransformations": _STEPS,
        }
    ],
    "omero": {"channels": [{"label": "DAPI", "color": "0000FF", "window": {"start": 0, "end": 9}}]},
    "image-label": {
        "colors": [{"label-value": 1, "rgba": [0, 0, 0, 1]}],
        "properties": [{"label-value": 1, "area": 2}],
    },
}
_PLATE = {
    "rows": [{"name": "A"}],
    "columns": [{"name": "1"}],
    "wells": [{"path": "A/1", "rowIndex": 0, "columnIndex": 0}],
    "acquisitions": [{"id": 0, "name": "first"}],
    "field_count": 2,
}
_LAYOUT = [
    {"asset": "a", "transform": {"scale": [1, 1]}, "spatial:transform": [10, 0, 5, 0, -10, 9]},
    {"asset": "b", "derived_from": "a", "transform": {"scale": [2, 2], "translation": [0, 1]}},
]
_CF = {
    "standard_name": "air_temperature",
    "units": "K",
    "scale_factor": 0.5,
    "_FillValue": -9,
    "flag_values": [0, 1],
    "flag_meanings": "land sea",
    "valid_range": [0, 1],
    "grid_mapping": "x",
    "cell_methods": "time: mean",
}
_CRS = {"crs_wkt": 'GEOGCRS["WGS 84",ID["EPSG",4326]]', "GeoTransform": "0 1 0 0 0 -1"}
_TIME = {"units": "days since 2000-01-01 06:00", "calendar": "360_day", "axis": "T"}
_LINK = {"name": "n", "path": "/a", "source": "."}
_ARRAY: Final = {
    "node_type": "array",
    "data_type": "int16",
    "chunk_key_encoding": {"name": "default"},
    "fill_value": 0,
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
}
EXAMPLES: Final[list[dict[str, Any]]] = [
    {"group": {"ome": _IMAGE}},
    {"group": {"ome": {"version": "0.5", "plate": _PLATE}}},
    {"group": {"well": {"images": [{"path": "a", "acquisition": 0}], "version": "0.4"}}},
    {"group": {"bioformats2raw.layout": 3}},
    {"group": {"ome": {"scene": {"coordinateTransformations": _STEPS}}}},
    {"group": {"ome": {"type": "collection", "name": "c", "nodes": [{"type": "multiscale", "path": "a"}]}}},
    {
        "group": {
            "multiscales": {"layout": _LAYOUT},
            "proj:code": "EPSG:32632",
            "spatial:dimensions": ["Y", "X"],
        }
    },
    {"group": {"multiscales": [{"datasets": [{"path": "a", "pixels_per_tile": 128, "crs": "EPSG:3857"}]}]}},
    {
        "group": {
            "downsamplingFactors": [[1, 1], [2, 2]],
            "pixelResolution": {"dimensions": [1, 2], "unit": "um"},
        }
    },
    {"group": {"stac_discovery": {"id": "S2", "properties": {"instruments": ["msi"]}}}},
    {"group": {"Conventions": "CF-1.8", "title": "t"}, "array": _CF, "x": _TIME},
    {"array": {**_CF, "proj:epsg": 4326, "proj:bbox": [0, 0, 1, 1]}, "x": _CRS},
    {
        "array": {
            "spatial:transform": [1, 0, 0, 0, -1, 0],
            "spatial:registration": "node",
            "proj:wkt2": "GEOGCS[]",
        }
    },
    {"group": {"encoding-type": "csr_matrix", "shape": [4, 6]}},
    {"group": {"encoding-type": "dataframe", "column-order": ["a"], "_index": "x"}},
    {"group": {"encoding-type": "anndata"}},
    {"group": {"spatialdata_attrs": {"version": "0.2", "spatialdata_software_version": "0.8"}}},
    {"group": {"namespace": "core", "neurodata_type": "NWBFile", "zarr_link": [_LINK]}},
    {
        "group": {
            "NX_class": "NXdata",
            "signal": "a",
            "axes": ["y", "x"],
            "x_indices": [1],
            "auxiliary_signals": "b",
        }
    },
    {"group": {"NX_class": "NXdata"}, "array": {"signal": 1, "axes": "y:x"}, "x": {"axis": 1, "primary": 1}},
    {"group": {"NX_class": "NXroot", "default": "/"}},
]


def examples() -> Iterable[bytes]:
    """Each example, without changes and with some."""
    for number in range(len(EXAMPLES)):
        yield bytes([number])
        yield bytes([number, 3, 7, 1, 9, 2, 11, 5])


MAX_LENGTH: Final = 64


def check(data: bytes) -> None:
    """Describe a group and its arrays.

    Raises:
        AssertionError: the meaning contradicts itself, or cannot be told.
    """
    choices = Choices(data)
    document = changed_document(choices, EXAMPLES)
    parts = document if isinstance(document, dict) else {}
    values = {"zarr.json": _document({"node_type": "group"}, parts.get("group"))}
    for path, shape in (("a", [4, 6]), ("b", [2, 3]), ("x", [6]), ("y", [4])):
        names = ["y", "x"] if len(shape) == 2 else [path]
        grid = {"name": "regular", "configuration": {"chunk_shape": shape}}
        told = {**_ARRAY, "shape": shape, "dimension_names": names, "chunk_grid": grid}
        values[f"{path}/zarr.json"] = _document(told, parts.get("array" if path == "a" else path))
    hierarchy = zarrcore.open_hierarchy(MemoryStore(values=values))
    for node in hierarchy.walk():
        recognised = recognise(node) or inferred(node)
        try:
            found = meaning(node)
        except ZarrError:
            assert recognised is not None
            continue
        # A group may be a dataset to judge by its arrays.
        assert (found is None) == (recognised is None) or (node.kind == "group" and found is not None)
        assert recognised is None or recognised[0] in conventions()
        if found is not None:
            assert found.summary
            json.dumps(found.document())
            assert all(isinstance(word, str) for fact in found.facts() for word in fact)
        if node.kind == "array":
            _georeference(node)


def _georeference(array: Any) -> None:
    try:
        found = georeference_of(array)
    except ZarrError:
        return
    if found is not None and found.bounds is not None:
        left, bottom, right, top = found.bounds
        assert found.transform is None or (left <= right and bottom <= top)


def _document(told: dict[str, Any], attributes: Any) -> bytes:
    attributes = attributes if isinstance(attributes, dict) else {}
    return json.dumps({"zarr_format": 3, **told, "attributes": attributes}).encode()
