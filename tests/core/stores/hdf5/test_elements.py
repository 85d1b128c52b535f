"""Types and values in the terms of Zarr."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

import zarrcore
from tests.core.stores.hdf5.written import node, written
from zarrcore.errors import CodecError
from zarrcore.stores.hdf5.elements import UnshownError, text_of

BEYOND = {
    "vlen of texts": (
        h5py.vlen_dtype(h5py.string_dtype()),
        "holds variable-length arrays of elements of variable length, for which",
    ),
    "vlen of texts in a structure": (
        np.dtype([("a", h5py.vlen_dtype(h5py.string_dtype()))]),
        "holds variable-length arrays of elements of variable length, for which",
    ),
}


@pytest.mark.parametrize("name", BEYOND)
def test_types_without_a_counterpart_are_named(name: str) -> None:
    dtype, why = BEYOND[name]
    file = written(lambda file: file.create_dataset("a", (2,), dtype))
    with pytest.raises(UnshownError, match=why):
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
