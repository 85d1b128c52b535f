"""Converting Zarr v2 to v3 where it is, as zarr-python reads it."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from numcodecs import Delta

import zarrcore as zc
from zarrcore.errors import (
    HierarchyNotFoundError,
    MetadataError,
    NodeExistsError,
    NodeNotFoundError,
    ReadOnlyError,
    StoreError,
    UnsupportedError,
)
from zarrcore.operations.convert import convert, plan_conversion
from zarrcore.stores.memory import MemoryStore

VALUES = np.arange(70, dtype="i4").reshape(7, 10)


def write(path: Path, *, consolidate: bool = False) -> dict[str, Any]:
    """A hierarchy by zarr-python, and the elements of its arrays."""
    with warnings.catch_warnings(action="ignore"):
        root = zarr.create_group(path, zarr_format=2, attributes={"title": "t"})
        elements = {
            "g/big": VALUES.astype(">i4"),
            "g/order": VALUES.astype("f8"),
            "slashes": VALUES.astype("u2"),
            "text": np.array(["a", "bcd"]),
            "filtered": np.arange(20, dtype="i8"),
            "yes": np.array([True, False, True]),
        }
        more: dict[str, dict[str, Any]] = {
            "g/big": {"fill_value": 5, "attributes": {"_ARRAY_DIMENSIONS": ["y", "x"], "unit": "m"}},
            "g/order": {"order": "F", "compressors": None},
            "slashes": {"chunk_key_encoding": {"name": "v2", "separator": "/"}},
            "filtered": {"filters": [Delta("i8")]},
        }
        for name, values in elements.items():
            options = more.get(name, {})
            chunks = tuple(max(1, length // 2) for length in values.shape)
            array = root.create_array(name, shape=values.shape, dtype=values.dtype, chunks=chunks, **options)
            array[...] = values
        if consolidate:
            zarr.consolidate_metadata(path)
    return elements


def files(path: Path) -> dict[str, bytes]:
    return {
        file.relative_to(path).as_posix(): file.read_bytes() for file in path.rglob("*") if file.is_file()
    }


def converted(path: Path, at: str = "/", *, remove_v2: bool = False) -> None:
    hierarchy = zc.open_hierarchy(path, "r+", "v2")
    convert(hierarchy, plan_conversion(hierarchy, at), remove_v2=remove_v2)


@pytest.mark.parametrize("remove_v2", [False, True])
@pytest.mark.parametrize("consolidate", [False, True])
def test_zarr_python_reads_the_same_elements_as_v3(
    tmp_path: Path, remove_v2: bool, consolidate: bool
) -> None:
    elements = write(tmp_path / "a", consolidate=consolidate)
    before = files(tmp_path / "a")
    converted(tmp_path / "a", remove_v2=remove_v2)
    after = files(tmp_path / "a")
    kept = {key: value for key, value in before.items() if not remove_v2 or "/.z" not in f"/{key}"}
    assert {key: value for key, value in after.items() if not key.endswith("zarr.json")} == kept
    with warnings.catch_warnings(action="ignore"):
        root = zarr.open_group(tmp_path / "a", mode="r", zarr_format=3)
        assert root.attrs.asdict() == {"title": "t"}
        assert (root.metadata.consolidated_metadata is not None) == consolidate
        for name, values in elements.items():
            assert np.array_equal(root[name][...], values), name
        assert root["g/big"].metadata.dimension_names == ("y", "x")
        assert root["g/big"].attrs.asdict() == {"unit": "m", "_FillValue": 5}
        assert root["g/big"].fill_value == 5
    opened = zc.open_hierarchy(tmp_path / "a")
    assert opened.format.name == "v3"
    assert all(np.array_equal(opened[name][...], values) for name, values in elements.items())


def test_it_is_read_as_v2_until_everything_is_there(tmp_path: Path) -> None:
    write(tmp_path / "a")
    hierarchy = zc.open_hierarchy(tmp_path / "a", "r+", "v2")
    plan = plan_conversion(hierarchy)
    assert [*plan.documents][-1] == "zarr.json"
    for key in [*plan.documents][:-1]:
        (tmp_path / "a" / key).write_bytes(plan.documents[key])
    assert zc.open_hierarchy(tmp_path / "a").format.name == "v2"
    again = plan_conversion(hierarchy)
    assert (len(again.documents), again.present) == (1, len(plan.documents) - 1)
    convert(hierarchy, again)
    assert zc.open_hierarchy(tmp_path / "a").format.name == "v3"
    done = plan_conversion(hierarchy)
    assert (done.documents, done.present) == ({}, len(plan.documents))


def test_a_part_of_a_hierarchy(tmp_path: Path) -> None:
    write(tmp_path / "a", consolidate=True)
    converted(tmp_path / "a", "/g")
    assert not (tmp_path / "a/zarr.json").exists()
    assert zc.open_hierarchy(tmp_path / "a").format.name == "v2"
    assert zc.open_hierarchy(tmp_path / "a/g").format.name == "v3"
    converted(tmp_path / "a", "/g", remove_v2=True)
    assert not (tmp_path / "a/.zmetadata").exists()  # which names nodes that are none in Zarr v2 any more
    assert not (tmp_path / "a/g/big/.zarray").exists()
    assert (tmp_path / "a/slashes/.zarray").exists()


def test_folders_that_hold_no_node_stay_as_they_are(tmp_path: Path) -> None:
    write(tmp_path / "a")
    (tmp_path / "a/notes").mkdir()
    (tmp_path / "a/notes/todo.txt").write_text("x")
    (tmp_path / "a/g/.zgroup").unlink()
    converted(tmp_path / "a")
    assert not (tmp_path / "a/notes/zarr.json").exists()
    assert json.loads((tmp_path / "a/g/zarr.json").read_text())["node_type"] == "group"


def test_a_document_that_differs_is_not_replaced(tmp_path: Path) -> None:
    write(tmp_path / "a")
    with zc.create(tmp_path / "b") as other:
        other.create_array("/yes", shape=(3,), dtype="bool", fill_value=True)
    (tmp_path / "a/yes/zarr.json").write_bytes((tmp_path / "b/yes/zarr.json").read_bytes())
    before = files(tmp_path / "a")
    for broken in (False, True):
        if broken:
            (tmp_path / "a/yes/zarr.json").write_text("{")
            before = files(tmp_path / "a")
        with pytest.raises(NodeExistsError):
            converted(tmp_path / "a")
        assert files(tmp_path / "a") == before


def test_what_cannot_be_converted_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    write(tmp_path / "a")
    (tmp_path / "a/yes/.zarray").write_text("{")
    with pytest.raises(MetadataError):
        converted(tmp_path / "a")
    (tmp_path / "a/yes").rename(tmp_path / "yes")
    (tmp_path / "a/__reserved").mkdir()
    (tmp_path / "a/__reserved/.zgroup").write_text('{"zarr_format": 2}')
    with pytest.raises(UnsupportedError):
        converted(tmp_path / "a")
    assert not any(tmp_path.rglob("zarr.json"))
    with pytest.raises(NodeNotFoundError):
        converted(tmp_path / "a", "/no")


def test_codecs_that_v3_does_not_have_are_refused(tmp_path: Path) -> None:
    dtype = np.dtype([("a", ">i4"), ("b", "<i4")])  # Zarr v3 has one byte order for all members
    with warnings.catch_warnings(action="ignore"):
        root = zarr.create_group(tmp_path / "a", zarr_format=2)
        root.create_array("mixed", shape=(2,), dtype=dtype, fill_value=None)[...] = np.ones(2, dtype)
    with pytest.raises(UnsupportedError, match="/mixed"):
        converted(tmp_path / "a")
    assert not any(tmp_path.rglob("zarr.json"))


def test_a_hierarchy_that_is_not_v2_or_cannot_be_written_is_refused() -> None:
    store = MemoryStore()
    zc.create(store).create_array("/g/x", shape=(2,), dtype="i1")
    hierarchy = zc.open_hierarchy(store, "r+", "v2")
    with pytest.raises(HierarchyNotFoundError):
        plan_conversion(hierarchy)
    zc.create(store, "v2", overwrite=True)
    plan = plan_conversion(zc.open_hierarchy(store, "r", "v2"))
    with pytest.raises(ReadOnlyError):
        convert(zc.open_hierarchy(zc.stores.ReadOnlyStore(store), "r", "v2"), plan)


class Occupied(MemoryStore):
    """A store in which another writer is faster."""

    def set(self, key: str, value: Any, *, if_absent: bool = False) -> bool:
        if key == "x/zarr.json":
            super().set(key, b"{}")
        return super().set(key, value, if_absent=if_absent)


def test_a_document_of_another_writer_is_kept() -> None:
    store = Occupied()
    zc.create(store, "v2").create_array("/x", shape=(2,), dtype="i1")
    hierarchy = zc.open_hierarchy(store, "r+", "v2")
    with pytest.raises((NodeExistsError, StoreError)):
        convert(hierarchy, plan_conversion(hierarchy), remove_v2=True)
    assert store.get("x/zarr.json") == b"{}"
    assert store.get("x/.zarray") is not None
