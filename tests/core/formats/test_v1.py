"""Version 1: arrays of zarr-python 1.1, and such as the text alone describes."""

from __future__ import annotations

import contextlib
import json
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
import zarr.dtype
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from tests.archives import unpack
from tests.core.formats.strategies import broken
from tests.core.formats.zarr_python_1_arrays import ARCHIVE, ARRAYS, values
from zarrcore.errors import HierarchyNotFoundError, MetadataError, ReadOnlyError, ZarrError
from zarrcore.formats import Format
from zarrcore.metadata import ArrayMetadata
from zarrcore.operations.check import check
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores import LocalStore, MemoryStore
from zarrcore.typing import AnyArray

META: dict[str, Any] = {
    "zarr_format": 1,
    "shape": [5, 7],
    "chunks": [2, 3],
    "dtype": "<i2",
    "compression": "zlib",
    "compression_opts": 1,
    "fill_value": 9,
    "order": "C",
}


def parse(**members: Any) -> ArrayMetadata:
    document = {name: value for name, value in {**META, **members}.items() if value is not ...}
    node = Format.V1.parse((json.dumps(document).encode(), b"{}"))
    assert isinstance(node, ArrayMetadata)
    return node


def written(elements: AnyArray, chunks: tuple[int, int], **members: Any) -> MemoryStore:
    """A store with an array of two dimensions, as the text says."""
    store = MemoryStore()
    told = {"shape": elements.shape, "chunks": chunks, "dtype": elements.dtype.str, **members}
    store.set("meta", json.dumps({**META, **told}).encode())
    store.set("attrs", b'{"unit": "mm"}')
    padded = np.zeros([-(-n // c) * c for n, c in zip(elements.shape, chunks, strict=True)], elements.dtype)
    padded[: elements.shape[0], : elements.shape[1]] = elements
    for i, j in np.ndindex(padded.shape[0] // chunks[0], padded.shape[1] // chunks[1]):
        chunk = padded[i * chunks[0] : (i + 1) * chunks[0], j * chunks[1] : (j + 1) * chunks[1]]
        store.set(f"{i}.{j}", zlib.compress(chunk.tobytes(order=members.get("order", "C"))))
    return store


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack(ARCHIVE, tmp_path_factory.mktemp("zarr-python-1"))


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_zarr_python_1_read(archive: Path, tmp_path: Path, name: str) -> None:
    hierarchy = zarrcore.open_hierarchy(archive / name)
    assert hierarchy.format is Format.V1
    array = hierarchy["/"]
    assert isinstance(array, zarrcore.Array)
    assert array.attributes == {"name": name}
    assert array[...].tobytes() == values(name).astype(array.dtype).tobytes()
    assert {finding.what for finding in check(hierarchy)} == {"missing-chunks"}
    execute(plan_copy(hierarchy, to=Format.V3), hierarchy, LocalStore(tmp_path / "copy", create=True))
    with warnings.catch_warnings(action="ignore"):  # of data types and codecs that few know
        # Of records zarr-python 3.1 knows the first name only, so a copy of the copy has to do.
        if name == "record" and not hasattr(zarr.dtype, "Struct"):
            copied = zarrcore.open_hierarchy(tmp_path / "copy")
            execute(plan_copy(copied, to=Format.V2), copied, LocalStore(tmp_path / "copy2", create=True))
            theirs = zarr.open_array(tmp_path / "copy2", mode="r")
        else:
            theirs = zarr.open_array(tmp_path / "copy", mode="r")
        assert theirs[...].tobytes() == array[...].tobytes()
    assert dict(theirs.attrs) == {"name": name}


@given(
    st.tuples(*[st.integers(1, 6)] * 2),
    st.tuples(*[st.integers(1, 4)] * 2),
    st.sampled_from(["C", "F"]),
    st.sampled_from([">i4", "<f8", "|S3", "|u1"]),
)
def test_arrays_as_the_specification_defines_them(
    shape: tuple[int, int], chunks: tuple[int, int], order: str, dtype: str
) -> None:
    elements = np.arange(shape[0] * shape[1]).reshape(shape).astype(dtype)
    array = zarrcore.open_hierarchy(written(elements, chunks, order=order, fill_value=None))["/"]
    assert isinstance(array, zarrcore.Array)
    assert array.attributes == {"unit": "mm"}
    assert (array[...] == elements).all()


def test_version_1_is_read_and_not_written() -> None:
    store = written(np.arange(6, dtype="<i2").reshape(2, 3), (2, 2))
    with pytest.raises(ReadOnlyError, match="Zarr v1, which is read-only"):
        zarrcore.open_hierarchy(store, "r+")
    array = zarrcore.open_hierarchy(store, format="v1")["/"]
    assert array.stored_document() == {
        "meta": {**META, "shape": [2, 3], "chunks": [2, 2]},
        "attrs": {"unit": "mm"},
    }
    store.erase("attrs")
    assert zarrcore.open_hierarchy(store)["/"].attributes == {}


def test_fill_values() -> None:
    assert parse(dtype="|S4", fill_value="ab").fill_value.tobytes() == b"ab\0\0"
    assert np.isnan(parse(dtype="<f4", fill_value=float("nan")).fill_value)
    assert parse(fill_value=None).fill_value == 0
    with pytest.raises(MetadataError, match="fill_value: expected text"):
        parse(dtype="|S4", fill_value="\ud800")


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"zarr_format": 2}, "zarr_format: expected 1, found the number 2"),
        ({"order": "K"}, "order: expected 'C' or 'F'"),
        ({"compression": 3}, "compression: expected a name or null, found the number 3"),
        ({"compression_opts": "fast"}, "compression_opts: expected an integer, an object or null"),
        ({"compression_opts": True}, "compression_opts: expected an integer, an object or null"),
        ({"chunks": [2]}, "chunks: expected"),
        *(({member: ...}, f"{member}: the member is missing") for member in META if member != "zarr_format"),
    ],
)
def test_errors_of_broken_documents_say_what_and_where(members: dict[str, Any], words: str) -> None:
    with pytest.raises(MetadataError, match=words):
        parse(**members)


def test_an_unknown_compressor_is_named() -> None:
    store = written(np.zeros((2, 2), "<i2"), (2, 2), compression="zoom")
    with pytest.raises(ZarrError, match="zoom"):
        zarrcore.open_hierarchy(store)["/"]


@pytest.mark.parametrize("document", [b"[1]", b"no JSON", b'{"zarr_format": 2}', b"{}"])
def test_other_files_with_the_name_of_a_document(document: bytes) -> None:
    store = MemoryStore()
    store.set("meta", document)
    with pytest.raises(HierarchyNotFoundError):
        zarrcore.open_hierarchy(store)


@given(st.data())
def test_broken_documents_only_raise_our_errors(data: st.DataObject) -> None:
    store = written(np.arange(6, dtype="<i2").reshape(2, 3), (2, 2))
    for key in ("meta", "attrs"):
        document = data.draw(broken(json.loads(store.get(key) or b"")))
        store.set(key, json.dumps(document).encode())
    with contextlib.suppress(ZarrError):
        node = zarrcore.open_hierarchy(store, format="v1").node("/")
        assert "cannot be understood" not in str(getattr(node, "error", ""))
        if isinstance(node, zarrcore.Array) and node.size < 1000:
            node[...]
