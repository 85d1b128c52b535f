"""References in Parquet: by kerchunk, VirtualiZarr and zarrscope, and broken ones."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any, cast

import fsspec
import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

import zarrcore as zc
from tests.any_store import AnyStore, open_store
from tests.core.stores.reference.conftest import kerchunk_references
from tests.core.stores.reference.test_store import array_documents
from zarrcore.errors import StoreError
from zarrcore.stores.reference import partitions as module


@pytest.mark.parametrize("record_size", [7, 10_000])
@pytest.mark.parametrize("name", ["day0.nc", "plain.h5", "classic.nc"])
def test_folders_of_kerchunk_have_the_keys_and_bytes_of_the_document(
    files: Path, documents: Path, tmp_path: Path, name: str, record_size: int
) -> None:
    from kerchunk.df import refs_to_dataframe

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # kerchunk names an engine that pandas will drop
        refs_to_dataframe(
            kerchunk_references(files / name), str(tmp_path / "a.parq"), record_size=record_size
        )
    theirs = fsspec.filesystem("reference", fo=str(documents / f"{name}.refs.json"), skip_instance_cache=True)
    with open_store(tmp_path / "a.parq") as folder, zc.open_hierarchy(tmp_path / "a.parq") as hierarchy:
        store = cast(AnyStore, hierarchy.store)
        assert folder.get(".zmetadata") is not None
        keys = [entry.key for entry in store.list()]
        assert sorted(keys) == sorted(theirs.find(""))
        for key in keys:
            value, expected = bytes(store.get(key)), theirs.cat_file(key)
            assert value == expected or json.loads(value) == json.loads(expected)


def write_folder(folder: Path, table: pyarrow.Table | bytes | None, record_size: object = 100) -> Path:
    """A folder with an array ``x`` of one chunk, whose partition is given."""
    (folder / "x").mkdir(parents=True)
    metadata = {key: json.loads(text) for key, text in array_documents().items()}
    (folder / ".zmetadata").write_text(json.dumps({"metadata": metadata, "record_size": record_size}))
    if isinstance(table, bytes):
        (folder / "x" / "refs.0.parq").write_bytes(table)
    elif table is not None:
        parquet.write_table(table, folder / "x" / "refs.0.parq")
    return folder


def rows(
    path: object = None, offset: object = 0, size: object = 0, raw: object = None, count: int = 1
) -> pyarrow.Table:
    columns = {"path": [path], "offset": [offset], "size": [size], "raw": [raw]}
    return pyarrow.table({name: values * count for name, values in columns.items()})


def test_absent_partitions_and_rows_are_fill_values_and_own_bytes_are_values(tmp_path: Path) -> None:
    assert zc.open_hierarchy(write_folder(tmp_path / "a", None))["x"][...].tolist() == [7, 7]
    assert zc.open_hierarchy(write_folder(tmp_path / "b", rows()))["x"][...].tolist() == [7, 7]
    raw = np.array([1, 2], "<i8").tobytes()
    assert zc.open_hierarchy(write_folder(tmp_path / "c", rows(raw=raw)))["x"][...].tolist() == [1, 2]
    (tmp_path / "x.bin").write_bytes(b"12345678" + raw)
    assert zc.open_hierarchy(write_folder(tmp_path / "d", rows("x.bin", 8, 16)))["x"][...].tolist() == [1, 2]


@pytest.mark.parametrize(
    "table",
    [
        b"",
        b"PAR1" + bytes(50) + b"PAR1",
        rows("x", -5, 8),
        rows("x", "a", 8),
        rows(raw=b"", count=101),
        rows("absent", 0, 16),
    ],
)
def test_broken_partitions_are_errors_and_never_fill_values(
    tmp_path: Path, table: pyarrow.Table | bytes
) -> None:
    with zc.open_hierarchy(write_folder(tmp_path / "a", table)) as hierarchy, pytest.raises(StoreError):
        hierarchy["x"][...]


@pytest.mark.parametrize("record_size", [0, -1, 1 << 40, "many", None, True])
def test_a_broken_record_size_is_refused(tmp_path: Path, record_size: object) -> None:
    with pytest.raises(StoreError, match="record_size"):
        zc.open_hierarchy(write_folder(tmp_path / "a", None, record_size))


def test_few_partitions_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEPT_NBYTES", 5000)
    (tmp_path / "x").mkdir()
    array = json.loads(array_documents()["x/.zarray"]) | {"shape": [2000]}
    metadata = {".zgroup": {"zarr_format": 2}, "x/.zarray": array}
    (tmp_path / ".zmetadata").write_text(json.dumps({"metadata": metadata, "record_size": 10}))
    for record in range(100):
        raw = [np.array([record, row], "<i8").tobytes() for row in range(10)]
        table = pyarrow.table(
            {"path": pyarrow.nulls(10, pyarrow.string()), "offset": [0] * 10, "size": [0] * 10, "raw": raw}
        )
        parquet.write_table(table, tmp_path / "x" / f"refs.{record}.parq")
    with zc.open_hierarchy(tmp_path) as hierarchy:
        values = hierarchy["x"][...].reshape(100, 10, 2)
        assert np.array_equal(values[:, 0, 0], np.arange(100))
        store = cast(Any, hierarchy.store)
        references = store._references
        assert 0 < len(references._kept) < 10
        assert len([*store.list_dir("x/")]) == 1001
