"""Types and values in the terms of Zarr."""

from __future__ import annotations

import warnings
from pathlib import Path

import h5py
import numpy as np
import pytest
import zarr

import zarrcore
from tests.core.stores.hdf5.written import WHY_NOT_SHOWN, node, wide_integer, written
from tests.zarr_python import has_data_type
from zarrcore.errors import CodecError
from zarrcore.stores.hdf5.elements import UnshownError, text_of

WIDE = wide_integer()


def in_structure(kind: h5py.h5t.TypeID) -> h5py.h5t.TypeID:
    structure = h5py.h5t.create(h5py.h5t.COMPOUND, kind.get_size())
    structure.insert(b"a", 0, kind)
    return structure


BEYOND = {
    "wide": WIDE,
    "vlen of wide": h5py.h5t.vlen_create(WIDE),
    "vlen of vlen of structures": h5py.h5t.vlen_create(h5py.h5t.vlen_create(in_structure(WIDE))),
    "vlen of arrays in a structure": in_structure(h5py.h5t.vlen_create(h5py.h5t.array_create(WIDE, (2,)))),
}


@pytest.mark.parametrize("name", BEYOND)
def test_types_without_a_counterpart_are_named(name: str) -> None:
    space = h5py.h5s.create_simple((2,))
    file = written(lambda file: h5py.h5d.create(file.id, b"a", BEYOND[name], space))
    with pytest.raises(UnshownError, match=WHY_NOT_SHOWN):
        _ = node(file, "a").dataset


@pytest.mark.parametrize(
    ("dtype", "value", "told"),
    [
        ("f4", np.nan, "0x7fc00000"),
        (">f8", 1.5, 1.5),
        ("c8", 1 + 2j, [1.0, 2.0]),
        ("i2", -3, -3),
        ("S4", b"ab", "YWI="),
        ("?", True, True),
    ],
)
def test_fill_values_are_spelled_as_in_zarr(dtype: str, value: object, told: object) -> None:
    file = written(lambda file: file.create_dataset("a", (2,), dtype, fillvalue=value))
    assert node(file, "a").dataset.document({}, None)["fill_value"] == told


def test_zarr_python_opens_copies_of_opaque_elements(tmp_path: Path) -> None:
    elements = np.frombuffer(b"abcdefghijkl", [("n", "u1"), ("o", "V3")])
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["structures"] = elements
        file["opaque"] = np.ascontiguousarray(elements["o"])
        file.create_dataset("missing", (2,), "V2", fillvalue=np.void(b"ab"))
    zarrcore.copy(tmp_path / "a.h5", tmp_path / "a.zarr")
    with warnings.catch_warnings(action="ignore"):
        theirs = zarr.open_group(tmp_path / "a.zarr", mode="r")
        if has_data_type(
            {"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "int8"}]}}
        ):
            assert theirs["structures"][...].tobytes() == elements.tobytes()
        assert theirs["opaque"][...].tobytes() == elements["o"].tobytes()
        assert theirs["missing"][...].tobytes() == b"abab"


def test_padding_of_texts() -> None:
    assert [text_of(b" a\0b  ", padding) for padding in (0, 1, 2)] == [b" a", b" a\0b  ", b" a\0b"]


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_texts_that_are_not_utf8(encoding: str, tmp_path: Path) -> None:
    """As old programs wrote them, with a type that they marked as ASCII."""
    texts = ["°C".encode("latin-1"), "°F".encode(), b"K", b""]
    dtype = h5py.string_dtype(encoding)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("a", data=np.array(texts, object), dtype=dtype)
        file["a"].attrs.create("unit", texts[0], dtype=dtype)
        file["a"].attrs.create("fixed", texts[0], dtype=h5py.string_dtype(encoding, 2))
    array = zarrcore.open_hierarchy(tmp_path / "a.h5")["a"]
    if encoding == "ascii":
        assert array[...].tolist() == ["°C", "°F", "K", ""]
        assert array.attributes == {"unit": "°C", "fixed": "°C"}
    else:
        with pytest.raises(CodecError, match="utf-8"):
            array[...]
        assert array.attributes == {"unit": "\ufffdC", "fixed": "\ufffdC"}
