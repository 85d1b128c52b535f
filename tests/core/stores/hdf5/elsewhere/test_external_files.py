"""Datasets whose elements are in external files, compared with what h5py reads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import zarrcore
from tests.core.stores.hdf5 import files
from tests.core.stores.hdf5.written import written
from tests.servers.distant import distant_server
from zarrcore.errors import BrokenReferenceError, StoreError
from zarrcore.stores.hdf5.elsewhere.external_files import parse_segments
from zarrcore.stores.virtual.file_reader import BrokenFileError
from zarrcore.stores.wrapper.interface import listable

VALUES = np.arange(3 << 20, dtype="<i4").reshape(12, 1 << 18)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, where the HDF5 library looks for external files."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, **options: Any) -> None:
    """``whole`` in one file, ``parts`` in three, ``short`` in one that lacks its end."""
    with h5py.File(path, "w", **options) as file:
        whole = file.create_dataset(
            "whole", (12, 1 << 18), "i4", external=[("w.raw", 100, h5py.h5f.UNLIMITED)]
        )
        whole[...] = VALUES
        segments = [("p0.raw", 0, 5_000_000), ("p1.raw", 10, 1000), ("p0.raw", 5_000_100, 8_000_000)]
        file.create_dataset("parts", (12, 1 << 18), "<i4", external=segments)[...] = VALUES
        file.create_dataset("short", (100,), ">i2", external=[("s.raw", 0, 200)])[...] = 7
    os.truncate("s.raw", 101)


@pytest.mark.parametrize("generation", files.GENERATIONS)
def test_elements_in_external_files(folder: Path, generation: str) -> None:
    write(folder / "a.h5", **files.GENERATIONS[generation])
    assert files.assert_same(folder / "a.h5") == 3
    with zarrcore.open_hierarchy(folder / "a.h5") as hierarchy:
        assert (hierarchy["parts"][4, 180_000:190_000] == VALUES[4, 180_000:190_000]).all()
        sizes = {entry.key: entry.size for entry in listable(hierarchy.store).list_prefix("parts/c/")}
        assert sizes == {f"parts/c/{i}/0": 4 << 20 for i in range(3)}


def test_external_files_on_a_server(folder: Path) -> None:
    (folder / "bucket").mkdir()
    os.chdir(folder / "bucket")
    write(folder / "bucket/a.h5")
    with distant_server(folder) as server, zarrcore.open_hierarchy(f"{server.url}/bucket/a.h5") as hierarchy:
        assert hierarchy["whole"][5, 77] == VALUES[5, 77]
        assert np.array_equal(hierarchy["parts"][3:6], VALUES[3:6])


def test_an_external_file_that_is_missing_is_an_error(folder: Path) -> None:
    write(folder / "a.h5")
    (folder / "w.raw").unlink()
    with zarrcore.open_hierarchy(folder / "a.h5") as hierarchy:
        with pytest.raises(BrokenReferenceError, match=r"'w\.raw'.* does not exist"):
            hierarchy["whole"][0]
        assert hierarchy["short"][3] == 7


def test_external_files_elsewhere_are_read_for_local_files_only(folder: Path) -> None:
    (folder / "secret").mkdir()
    (folder / "bucket").mkdir()
    for name, target in (("absolute", str(folder / "secret/s.raw")), ("above", "../secret/s.raw")):
        with h5py.File(folder / "bucket" / f"{name}.h5", "w") as file:
            file.create_dataset("a", (4,), "u1", external=[(target, 0, 4)])
    (folder / "secret/s.raw").write_bytes(b"\1\2\3\4")
    for name in ("absolute", "above"):
        with zarrcore.open_hierarchy(folder / f"bucket/{name}.h5") as hierarchy:
            assert hierarchy["a"][...].tolist() == [1, 2, 3, 4]
    with distant_server(folder / "bucket") as server:
        with (
            zarrcore.open_hierarchy(f"{server.url}/absolute.h5") as hierarchy,
            pytest.raises(BrokenReferenceError, match=f"--allow-targets {folder}/secret allows it"),
        ):
            hierarchy["a"][...]
        with zarrcore.open_hierarchy(f"{server.url}/above.h5") as hierarchy, pytest.raises(StoreError):
            hierarchy["a"][...]
        with zarrcore.open_hierarchy(
            f"{server.url}/absolute.h5", allow_targets=(str(folder / "secret"),)
        ) as hierarchy:
            assert hierarchy["a"][...].tolist() == [1, 2, 3, 4]


def test_a_list_of_another_version_is_refused() -> None:
    file = written(lambda file: file.create_group("g"))
    with pytest.raises(BrokenFileError, match="version 2"):
        parse_segments(file.reader, bytes((2, *bytes(15))))
    with pytest.raises(BrokenFileError, match="no local heap"):
        parse_segments(file.reader, bytes((1, *bytes(5), 1, 0)) + (8).to_bytes(8, "little"))
