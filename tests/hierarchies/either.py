"""Arrays for both formats: shapes and chunkings, fill values, names and attributes."""

from __future__ import annotations

import warnings

import numpy as np

from tests.hierarchies.values import ramp, values
from tests.hierarchies.writer import ATTRIBUTES, SHAPE, HierarchyWriter


def write_shapes(h: HierarchyWriter) -> None:
    for name, value in {"int16": np.int16(-5), "float64": np.float64(np.pi), "bool": np.True_}.items():
        h.add(f"shapes/scalar-{name}", np.asarray(value), chunks=())
    h.add("shapes/scalar-missing", np.zeros((), "u2"), chunks=(), stored=[], fill_value=7)
    h.add("shapes/empty", np.zeros((0,), "i4"), chunks=(1,))
    h.add("shapes/empty-axis", np.zeros((3, 0, 2), "f4"), chunks=(2, 1, 2))
    h.add("shapes/one-element", values("i8", (1,)), chunks=(1,))
    h.add("shapes/vector", values("u4", (100,)), chunks=(37,))
    h.add("shapes/chunk-larger-than-array", values("i2", (5, 3)), chunks=(8, 9))
    h.add("shapes/single-chunk", values("i2", (6, 8)), chunks=(6, 8))
    h.add("shapes/one-element-chunks", values("i2", (4, 3)), chunks=(1, 1))
    h.add("shapes/five-axes", values("u1", (3, 4, 2, 5, 6)), chunks=(2, 3, 1, 5, 4))
    h.add("shapes/rgb", values("u1", (20, 30, 3)), chunks=(8, 16, 3))
    h.add("shapes/volume", ramp("u2", (3, 40, 50)), chunks=(2, 16, 32))


def write_fills(h: HierarchyWriter) -> None:
    corner = [(slice(0, 3), slice(4, 8))]
    payload = np.uint32(0x7FC12345).view(np.float32)
    for name, dtype, fill in (
        ("int", "i4", -7),
        ("largest-uint64", "u8", 2**64 - 1),
        ("true", "bool", True),
        ("nan", "f4", np.float32("nan")),
        ("infinity", "f8", np.inf),
        ("minus-infinity", "f2", -np.inf),
        ("minus-zero", "f8", -0.0),
        ("tenth", "f8", 0.1),
        ("complex", "c8", complex(1.5, -2.5)),
    ):
        h.add(f"fill/{name}", values(dtype, SHAPE), stored=corner, fill_value=np.dtype(dtype).type(fill))
    h.add("fill/nothing-stored", np.zeros(SHAPE, "i2"), stored=[], fill_value=-1)
    if h.zarr_format == 3:
        document = {"fill_value": "0x7fc12345"}
        h.add(
            "fill/nan-with-payload",
            values("f4", SHAPE),
            stored=corner,
            fill_value=np.nan,
            document=document,
            fill=payload,
        )
        document = {"fill_value": ["0x7ff8000000000001", "-Infinity"]}
        odd = np.array([0x7FF8000000000001, 0xFFF0000000000000], "u8").view("c16")[0]
        h.add("fill/complex-with-payload", values("c16", SHAPE), stored=corner, document=document, fill=odd)
    else:
        h.add("fill/undefined", values("i4", SHAPE), stored=corner, document={"fill_value": None})


def write_names(h: HierarchyWriter) -> None:
    for name in ("with space", "größe", "漢字", "100%", "%2E", "a.b", "[0]", "metadata.json", "slices", "c0"):
        h.add(f"names/{name}", values("i2", SHAPE))
    h.add("names/attributes", values("i2", SHAPE), attributes=ATTRIBUTES)
    h.add("names/deep/er/and/deeper/array", values("i2", SHAPE))
    with warnings.catch_warnings(action="ignore"):
        h.group.require_group("names/empty-group").attrs["only"] = "attributes"
    if h.zarr_format == 3:
        h.add(
            "names/dimensions", values("f4", (2, 3, 4)), chunks=(1, 2, 3), dimension_names=["time", None, "x"]
        )
