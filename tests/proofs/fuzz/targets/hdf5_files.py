"""HDF5 and NetCDF-4 files of any metadata: UnsupportedError, or a file from which h5py and netCDF4 read the elements."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Iterable
from typing import Any

import h5py
import netCDF4
import numpy as np

from tests.proofs.fuzz.documents import Choices, changed_document
from tests.proofs.fuzz.nodes import read_all, small_array
from tests.proofs.fuzz.seen import has_passed, passed
from tests.proofs.fuzz.targets import documents_v3
from zarrcore.errors import (
    HierarchyNotFoundError,
    MetadataError,
    NodeNotFoundError,
    UnsupportedError,
    ZarrError,
)
from zarrcore.filetypes import HDF5File
from zarrcore.filetypes.hdf5.attributes import LEFT_OUT_ATTRIBUTE
from zarrcore.hierarchy import ArrayNode, Group, open_hierarchy
from zarrcore.stores import MemoryStore

_GROUP = {
    "zarr_format": 3,
    "node_type": "group",
    "attributes": {"title": "é", "list": [1, 2], "texts": ["a", "b"], "x": None},
}
_LINE = {
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [6]}},
    "shape": [6],
    "dimension_names": ["y"],
}
_PLANE = {
    "dimension_names": ["y", "x"],
    "attributes": {"coordinates": "y", "_FillValue": 0, "units": "m", "scale_factor": 0.5},
}
_TYPES: tuple[Any, ...] = (
    *("float32", "bool", "float16", "complex64", "int4", "bfloat16", "uint64", "r24"),
    {"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}},
    {"name": "numpy.timedelta64", "configuration": {"unit": "M", "scale_factor": 3}},
    {"name": "fixed_length_utf32", "configuration": {"length_bytes": 12}},
    {"name": "null_terminated_bytes", "configuration": {"length_bytes": 3}},
    {"name": "struct", "configuration": {"fields": [["a", "int32"], ["b", "complex64"], ["c", "bool"]]}},
    {"name": "zarrs.optional", "configuration": {"name": "int16", "configuration": {}}},
)
EXAMPLES: list[dict[str, Any]] = [
    {
        "": _GROUP,
        "y": documents_v3.array("int16", 1, **_LINE),
        "a": documents_v3.array(data_type, None, **_PLANE),
        "g": {"zarr_format": 3, "node_type": "group", "attributes": {}},
        "g/a": documents_v3.array("uint8", 3, **_PLANE),
    }
    for data_type in _TYPES
]
MAX_LENGTH = 80
_MAX_NBYTES = 1 << 22
WORDS = (
    *(
        "",
        "a",
        "y",
        "x",
        "g",
        "g/a",
        "g/b/c",
        "attributes",
        "dimension_names",
        "coordinates",
        "_FillValue",
        "missing_value",
    ),
    *(
        "CLASS",
        "NAME",
        "DIMENSION_LIST",
        "_Netcdf4Dimid",
        "_NCProperties",
        "phony_dim_0",
        "units",
        "calendar",
        "shape",
        "data_type",
    ),
    *(
        "a b",
        "a/b",
        "é",
        "é",
        "\x00",
        "\n",
        "9",
        "-",
        "_",
        " ",
        "a" * 300,
        "n" * 33_000,
        "int64",
        "string",
        "fill_value",
    ),
)


def check(data: bytes) -> None:
    """The first byte is the kind of file; the rest changes the documents of a hierarchy."""
    if not data:
        return
    documents = changed_document(Choices(data[1:]), EXAMPLES, WORDS)
    whole = f"{data[0] & 3} {documents!r}"
    if isinstance(documents, dict) and not has_passed(whole):
        _check_file(data[0], documents)
        passed(whole)


def _check_file(kind: int, documents: dict[str, Any]) -> None:
    values = {
        f"{path}/zarr.json".lstrip("/"): json.dumps(document).encode() for path, document in documents.items()
    }
    try:
        hierarchy = open_hierarchy(MemoryStore("", values), format="v3")
        node = hierarchy.node("/" if kind & 2 else "/a")
    except (HierarchyNotFoundError, MetadataError, NodeNotFoundError, ZarrError):
        return
    if not isinstance(node, ArrayNode | Group):
        return
    below = [node] if isinstance(node, ArrayNode) else [*hierarchy.walk("/")]
    if any(isinstance(one, ArrayNode) and small_array(one) is None for one in below):
        return
    netcdf = bool(kind & 1)
    try:
        file = HDF5File(node, netcdf=netcdf)
        if file.size > _MAX_NBYTES:  # a coordinate may be larger than the array
            return
        content = bytes(file.read(0, file.size))
    except (UnsupportedError, ZarrError):
        return
    assert len(content) == file.size
    _check_h5py(content, node)
    if netcdf:
        _check_netcdf(content)


def _check_h5py(content: bytes, node: ArrayNode | Group) -> None:
    with h5py.File(io.BytesIO(content), "r") as file:
        file.visititems(_read_attributes)
        left_out = LEFT_OUT_ATTRIBUTE in file.attrs
        if isinstance(node, ArrayNode) and not left_out:
            name = node.name or "array"
            # NetCDF-4 names a variable so if one of its several dimensions has its name.
            hidden = f"_nc4_non_coord_{name}"
            _check_elements(file[hidden if hidden in file else name], node)


def _read_attributes(name: str, found: Any) -> None:
    for attribute in found.attrs:
        found.attrs[attribute]


def _check_elements(dataset: Any, array: ArrayNode) -> None:
    """The elements are those of the array, if their type is the same."""
    assert tuple(dataset.shape[: array.ndim]) == array.shape
    found = dataset[...]
    values = read_all(array)
    if (
        values is not None
        and found.dtype == values.dtype
        and found.dtype.kind in "biufcS"
        and found.shape == values.shape
    ):
        assert found.tobytes() == np.ascontiguousarray(values).tobytes()


def _check_netcdf(content: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with netCDF4.Dataset("a.nc", memory=content) as data:
            data.set_auto_maskandscale(False)
            for variable in data.variables.values():
                variable.ncattrs()
                variable[...]


def examples() -> Iterable[bytes]:
    """Each type, alone and in its group, as HDF5 and as NetCDF."""
    return [bytes([kind, number]) for number in range(len(EXAMPLES)) for kind in range(4)]
