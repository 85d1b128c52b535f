"""Hierarchies that references describe, compared with what independent readers read."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path

import fsspec
import h5py
import netCDF4
import numpy as np
import pytest
import zstandard

import zarrcore as zc
from tests.any_store import open_store
from tests.command import run_inside
from tests.core.stores.reference.conftest import kerchunk_references
from zarrcore.errors import BrokenReferenceError, StoreError
from zarrcore.stores import MemoryStore
from zarrcore.stores.reference.store import open_document


@pytest.mark.parametrize("name", ["day0.nc", "plain.h5", "classic.nc"])
def test_values_are_those_of_the_files(files: Path, documents: Path, name: str) -> None:
    compared = 0
    with zc.open_hierarchy(documents / f"{name}.refs.json") as hierarchy:
        for node in hierarchy.walk():
            if node.kind == "array":
                expected = _read(files / name, node.path)
                assert np.array_equal(node[...].reshape(expected.shape), expected), node.path
                compared += 1
    assert compared >= 2


def _read(path: Path, node: str) -> np.ndarray:
    try:
        with h5py.File(path) as file:
            return file[node][...]
    except OSError:
        with netCDF4.Dataset(path) as file:
            return file[node][...].data


@pytest.mark.parametrize("name", ["day1.nc", "plain.h5", "classic.nc"])
def test_keys_and_bytes_are_those_of_fsspec(documents: Path, name: str) -> None:
    path = documents / f"{name}.refs.json"
    theirs = fsspec.filesystem("reference", fo=str(path), skip_instance_cache=True)
    with open_store(path) as store:
        keys = [entry.key for entry in store.list()]
        assert sorted(keys) == sorted(theirs.find(""))
        assert len(keys) == len(set(keys))
        for key in keys:
            assert store.get(key) == theirs.cat_file(key)
            assert store.stat(key).size == len(store.get(key))


def test_a_combination_along_a_dimension_is_one_array(files: Path, tmp_path: Path) -> None:
    from kerchunk.combine import MultiZarrToZarr

    parts = [kerchunk_references(files / f"day{day}.nc") for day in range(2)]
    combined = MultiZarrToZarr(parts, concat_dims=["time"], identical_dims=["lat", "lon"]).translate()
    (tmp_path / "air.refs.json").write_text(json.dumps(combined))
    with zc.open_hierarchy(tmp_path / "air.refs.json") as hierarchy:
        expected = np.concatenate([_read(files / f"day{day}.nc", "air") for day in range(2)])
        assert np.array_equal(hierarchy["air"][...], expected)
        assert hierarchy["time"][...].tolist() == [*range(6)]


@pytest.mark.parametrize("name", ["a.json", "a.refs.json", "a", "a.json.gz", "a.json.zst", "a.data"])
def test_documents_open_whatever_their_names(documents: Path, tmp_path: Path, name: str) -> None:
    data = (documents / "plain.h5.refs.json").read_bytes()
    if name.endswith(".gz"):
        data = gzip.compress(data)
    elif name.endswith(".zst"):
        data = zstandard.compress(data)
    (tmp_path / name).write_bytes(data)
    with zc.open_hierarchy(tmp_path / name) as hierarchy:
        assert hierarchy["y"].shape == (1000,)


def test_folders_list_documents_by_their_suffix_only(documents: Path, tmp_path: Path) -> None:
    data = (documents / "plain.h5.refs.json").read_bytes()
    for name in ("a.refs.json", "b.json"):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "notes.json").write_text('{"name": "x"}')
    with zc.open_hierarchy(tmp_path) as hierarchy:
        assert list(hierarchy.child_names("/")) == ["a.refs.json"]
        assert hierarchy["a.refs.json/y"].shape == (1000,)


def test_commands_and_pipelines_read_references(documents: Path) -> None:
    path = documents / "plain.h5.refs.json"
    assert "group" in run_inside("tree", path).text
    assert run_inside("check", path).status == 0
    assert run_inside("info", f"{path}|reference:", "y").status == 0


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        (["missing.bin", 0, 8], "does not exist"),
        (["data.bin", 8, 16], "ends at byte 16"),
        (["missing.bin"], "does not exist"),
        (["../../../../../../../../../../etc/hostname-of-nobody", 0, 8], "does not exist"),
        (["redis-less://x/y", 0, 8], "scheme"),
        (["", 0, 8], "not the address"),
    ],
)
def test_targets_that_cannot_be_read_are_errors_and_never_fill_values(
    tmp_path: Path, reference: list, expected: str
) -> None:
    (tmp_path / "data.bin").write_bytes(bytes(16))
    (tmp_path / "a.json").write_text(
        json.dumps({"version": 1, "refs": array_documents() | {"x/0": reference}})
    )
    with zc.open_hierarchy(tmp_path / "a.json") as hierarchy, pytest.raises(StoreError, match=expected):
        hierarchy["x"][...]


def array_documents() -> dict[str, str]:
    """A group with an array ``x`` of two numbers in one chunk."""
    array = {"shape": [2], "chunks": [2], "dtype": "<i8", "compressor": None, "filters": None, "order": "C"}
    return {
        ".zgroup": '{"zarr_format": 2}',
        "x/.zarray": json.dumps({**array, "zarr_format": 2, "fill_value": 7}),
    }


def test_relative_targets_are_beside_the_document(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "x.bin").write_bytes(np.array([3, 4, 5], "<i8").tobytes())
    (tmp_path / "documents").mkdir()
    refs = array_documents() | {"x/0": ["../data/x.bin", 8, 16]}
    (tmp_path / "documents" / "a.json").write_text(json.dumps({"version": 1, "refs": refs}))
    assert zc.open_hierarchy(tmp_path / "documents" / "a.json")["x"][...].tolist() == [4, 5]


def test_a_store_survives_pickling_and_refreshing(documents: Path) -> None:
    with open_store(documents / "plain.h5.refs.json") as store:
        other = pickle.loads(pickle.dumps(store))
        store.refresh()
        assert [*other.list()] == [*store.list()]
        assert other.identity == store.identity


def test_a_remote_document_is_not_read_before_a_key_is_requested() -> None:
    source = MemoryStore(values={"a.json": b"broken"})
    source.is_remote = True
    store = open_document(source, "a.json", "s3://bucket/a.json")
    with pytest.raises(StoreError, match=r"s3://bucket/a\.json is not a reference document"):
        store.get("x")


def test_a_document_that_becomes_shorter_is_an_error() -> None:
    source = MemoryStore(values={"a.json": b'{"version": 1, "refs": {' + b" " * (5 << 20) + b"}}"})
    stat = source.stat
    source.stat = lambda key: stat(key) and type(stat(key))(10 << 20)
    with pytest.raises(BrokenReferenceError, match="became shorter"):
        open_document(source, "a.json", "memory://a.json")
