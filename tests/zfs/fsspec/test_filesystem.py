"""The trees through fsspec: equal to a real mount, and used by the programs that people use with fsspec."""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fsspec
import h5py
import numpy as np
import pandas
import pytest
import xarray
import zarr
from fsspec.tests.abstract import AbstractFixtures, AbstractGetTests
from hypothesis import given
from hypothesis import strategies as st
from zarr.storage import FsspecStore

import zarrcore as zc
from tests.servers import S3Server
from tests.zfs.conftest import TIME, Mounter
from zarrcore.errors import ReadOnlyError, StoreError

VALUES = np.arange(4 * 50 * 60, dtype="int32").reshape(4, 50, 60)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fsspec") / "a.zarr"
    hierarchy = zc.create(path)
    hierarchy.create_array("g/x", shape=VALUES.shape, dtype="int32", chunks=(1, 25, 60))[...] = VALUES
    return path


@pytest.fixture
def fs(written: Path) -> fsspec.AbstractFileSystem:
    return fsspec.filesystem("zarrscope", source=written)


# Releases of fsspec before 2026.7 define its fixtures so.
@pytest.mark.filterwarnings("ignore:Class-scoped fixtures:pytest.PytestRemovedIn10Warning")
class TestGet(AbstractFixtures, AbstractGetTests):
    """fsspec's own tests of file systems, as far as they only read: the files are written below the tree of keys."""

    test_get_directory_recursive = None  # writes through the file system itself

    @pytest.fixture
    def fs(self, tmp_path: Path) -> fsspec.AbstractFileSystem:
        return fsspec.filesystem("zarrscope", source=tmp_path, metadata_ttl=0, view="keys")

    @pytest.fixture
    def fs_path(self) -> str:
        return "a"

    @pytest.fixture
    def local_path(self, tmp_path_factory: pytest.TempPathFactory) -> str:
        return str(tmp_path_factory.mktemp("target"))

    def _written(self, write: Callable[..., str], tmp_path: Path, local_fs: Any) -> Iterator[str]:
        source = write(local_fs, os.path.join, str(tmp_path / "a"))
        yield os.path.relpath(source, tmp_path)
        shutil.rmtree(source)

    @pytest.fixture
    def fs_bulk_operations_scenario_0(self, tmp_path: Path, local_fs: Any) -> Iterator[str]:
        yield from self._written(self._bulk_operations_scenario_0, tmp_path, local_fs)

    @pytest.fixture
    def fs_glob_edge_cases_files(self, tmp_path: Path, local_fs: Any) -> Iterator[str]:
        yield from self._written(self._glob_edge_cases_files, tmp_path, local_fs)

    @pytest.fixture
    def fs_dir_and_file_with_same_name_prefix(self, tmp_path: Path, local_fs: Any) -> Iterator[str]:
        yield from self._written(self._dir_and_file_with_same_name_prefix, tmp_path, local_fs)

    @pytest.fixture
    def fs_10_files_with_hashed_names(self, tmp_path: Path, local_fs: Any) -> Iterator[str]:
        yield from self._written(self._10_files_with_hashed_names, tmp_path, local_fs)


def test_all_files_are_those_of_a_mount(ocean: Path, mounter: Mounter) -> None:
    mount = mounter(ocean)
    fs = fsspec.filesystem("zarrscope", source=ocean)
    for tree in ("arrays", "hdf5", "keys", "zarr3"):
        mounted = {
            os.path.relpath(os.path.join(folder, name), mount.path): os.path.join(folder, name)
            for folder, _, names in os.walk(mount.path / tree)
            for name in names
        }
        found = fs.find(tree, detail=True)
        assert found.keys() == mounted.keys()
        contents = fs.cat_ranges([*mounted], None, None, on_error="raise")
        for (name, path), content in zip(mounted.items(), contents, strict=True):
            assert len(content) == found[name]["size"] == os.path.getsize(path)
            assert content == Path(path).read_bytes(), name


def test_selections_and_other_file_types_open_by_name(fs: Any) -> None:
    assert np.array_equal(np.load(fs.open("arrays/g/x/[3,:,0:10].npy")), VALUES[3, :, :10])
    assert np.array_equal(np.load(fs.open("/arrays/g/x/3,_,0-10.npy")), VALUES[3, :, :10])
    assert fs.cat_file("arrays/g/x/slices/2.png").startswith(b"\x89PNG")
    assert fs.info("arrays/g/x/data.tiff")["size"] > VALUES.nbytes


def test_listings_and_facts(fs: Any, written: Path) -> None:
    assert fs.ls("", detail=False) == ["keys", "arrays", "zarr3", "hdf5"]
    assert fs.ls("zarrscope://arrays/g/", detail=False) == [
        f"arrays/g/{name}" for name in ("x", "metadata.json", "attributes.json")
    ]
    file = fs.info("arrays/g/x/data.raw")
    assert (file["name"], file["size"], file["type"]) == ("arrays/g/x/data.raw", VALUES.nbytes, "file")
    assert fs.ls("arrays/g/x/data.raw") == [file]
    assert fs.ls("arrays/g/x/data.raw", detail=False) == ["arrays/g/x/data.raw"]
    mtime_s = (written / "g/x/zarr.json").stat().st_mtime
    assert fs.modified("keys/g/x/zarr.json") == datetime.fromtimestamp(mtime_s, UTC)
    with pytest.raises(NotImplementedError):
        fs.modified("keys/g")
    assert fs.isdir("arrays/g")
    assert fs.isfile("hdf5/g/x.h5")
    assert not fs.exists("arrays/g/y")
    assert fs.size("hdf5/__all__.h5") == len(fs.cat_file("hdf5/__all__.h5"))
    for path in ("arrays/g/y", "arrays/g/x/data.raw/z", "keys/g//x", "keys/../x"):
        with pytest.raises(FileNotFoundError):
            fs.info(path)
        with pytest.raises(FileNotFoundError):
            fs.cat_file(path)
    with pytest.raises(IsADirectoryError):
        fs.open("arrays/g")


RAW = VALUES.tobytes()
OFFSETS = st.none() | st.integers(-len(RAW) - 9, len(RAW) + 9)


@given(start=OFFSETS, end=OFFSETS)
def test_any_range_is_that_of_the_whole(written: Path, start: int | None, end: int | None) -> None:
    fs = fsspec.filesystem("zarrscope", source=written)
    assert fs.cat_file("arrays/g/x/data.raw", start, end) == RAW[start:end]
    assert fs.cat_ranges(["arrays/g/x/data.raw"] * 2, [start, 0], [end, 5]) == [RAW[start:end], RAW[:5]]


@pytest.mark.parametrize("cache", ["none", "readahead", "blockcache", "bytes"])
def test_files_open_with_the_caches_of_fsspec(fs: Any, cache: str) -> None:
    with fs.open("arrays/g/x/data.raw", cache_type=cache, block_size=1000) as file:
        copy = pickle.loads(pickle.dumps(file))
        for opened in (file, copy):
            for offset in (40_000, 7, 999, len(RAW) - 3):
                opened.seek(offset)
                # The cache of blocks failed beyond the end before fsspec 2026.7.
                length = 2500 if cache != "blockcache" else min(2500, len(RAW) - offset)
                assert opened.read(length) == RAW[offset : offset + 2500]
        copy.close()


def test_reading_a_header_decodes_no_chunk(written: Path) -> None:
    fs = fsspec.filesystem("zarrscope", source=written, cache_size=1 << 20)
    with fs.open("arrays/g/x/data.npy") as file:
        assert file.read(6) == b"\x93NUMPY"
    assert fs._shown().trees.stats()["decoded"]["chunks"] == 0


def test_ranges_of_files_that_fail_are_errors_or_raise(fs: Any) -> None:
    answers = fs.cat_ranges(["arrays/g/x/data.raw", "arrays/none"], 0, 4)
    assert answers[0] == RAW[:4]
    assert isinstance(answers[1], FileNotFoundError)
    with pytest.raises(FileNotFoundError):
        fs.cat_ranges(["arrays/none"], 0, 4, on_error="raise")
    with pytest.raises(NotImplementedError):
        fs.cat_ranges(["arrays/none"], 0, 4, max_gap=3)


def test_threads_share_the_trees_and_read_at_once(written: Path) -> None:
    def read(number: int) -> tuple[int, bytes]:
        mine = fsspec.filesystem("zarrscope", source=written)
        return id(mine._shown().trees), mine.cat_file(f"arrays/g/x/slices/{number % 4}.raw")

    with ThreadPoolExecutor(16) as threads:
        answers = [*threads.map(read, range(64))]
    assert len({trees for trees, _ in answers}) == 1
    assert all(content == VALUES[number % 4].tobytes() for number, (_, content) in enumerate(answers))


def test_file_systems_pickle(fs: Any) -> None:
    copy = pickle.loads(pickle.dumps(fs))
    assert copy.cat_file("arrays/g/x/data.raw") == RAW


def test_nothing_can_be_changed(fs: Any, tmp_path: Path) -> None:
    (tmp_path / "local").write_bytes(b"1")
    changes: list[Callable[[], Any]] = [
        lambda: fs.open("keys/new", "wb"),
        lambda: fs.pipe("keys/new", b"1"),
        lambda: fs.touch("keys/new"),
        lambda: fs.mkdir("keys/new"),
        lambda: fs.makedirs("keys/new/more"),
        lambda: fs.rm("keys/g", recursive=True),
        lambda: fs.rmdir("keys/g"),
        lambda: fs.mv("keys/zarr.json", "keys/new"),
        lambda: fs.copy("keys/zarr.json", "keys/new"),
        lambda: fs.put(str(tmp_path / "local"), "keys/new"),
    ]
    for change in changes:
        with pytest.raises(ReadOnlyError):
            change()
    assert not fs.exists("keys/new")


def test_invalidating_shows_what_the_source_now_holds(tmp_path: Path) -> None:
    hierarchy = zc.create(tmp_path / "b.zarr")
    fs = fsspec.filesystem("zarrscope", source=tmp_path / "b.zarr", metadata_ttl=float("inf"))
    assert not fs.exists("arrays/new/metadata.json")
    hierarchy.create_group("new")
    assert not fs.exists("arrays/new/metadata.json")
    fs.invalidate_cache()
    assert fs.exists("arrays/new/metadata.json")


def test_a_source_that_does_not_open_is_told_when_it_is_used(tmp_path: Path) -> None:
    fs = fsspec.filesystem("zarrscope", source=tmp_path / "none")
    with pytest.raises(StoreError, match="none"):
        fs.ls("")


def test_chains_of_urls(written: Path, s3: S3Server) -> None:
    with fsspec.open(f"zarrscope://arrays/g/x/data.raw::file://{written}") as file:
        assert file.read() == RAW
    fs, path = fsspec.url_to_fs(f"zarrscope::file://{written}")
    assert (fs.ls(path, detail=False), path) == (["keys", "arrays", "zarr3", "hdf5"], "")
    memory = fsspec.filesystem("memory")
    memory.put(f"{written}/", "/copy.zarr/", recursive=True)
    with fsspec.open("simplecache::zarrscope://arrays/g/x/data.raw::memory://copy.zarr") as file:
        assert file.read() == RAW
    s3.upload(written, "bucket/fsspec.zarr")
    remote = fsspec.filesystem("zarrscope", source="s3://bucket/fsspec.zarr", **s3.options)
    assert remote.cat_file("arrays/g/x/data.raw") == RAW


def test_h5py_xarray_and_pandas_read_through_it(ocean: Path, tmp_path: Path) -> None:
    fs = fsspec.filesystem("zarrscope", source=ocean)
    with fs.open("hdf5/sea/wave.h5") as file, h5py.File(file) as opened:
        assert np.array_equal(opened["wave"][2], np.arange(60, 90))
    with fs.open("hdf5/sea/wave.nc") as file, xarray.open_dataset(file, engine="h5netcdf") as dataset:
        assert np.array_equal(dataset["wave"].values.ravel(), np.arange(180))
        assert np.array_equal(dataset["time"], np.datetime64("2020-01-01") + TIME.astype("m8[D]"))
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    table = pandas.read_csv("zarrscope://keys/table.csv", storage_options={"source": str(tmp_path)})
    assert table.to_dict("list") == {"a": [1], "b": [2]}


def test_zarr_python_reads_n5_through_it(tmp_path: Path) -> None:
    hierarchy = zc.create(tmp_path / "a.n5", format="n5")
    hierarchy.create_array("g/x", shape=VALUES.shape, dtype="int32", chunks=(3, 20, 60))[...] = VALUES
    store = FsspecStore.from_url(
        "zarrscope://zarr3", storage_options={"source": str(tmp_path / "a.n5")}, read_only=True
    )
    assert np.array_equal(zarr.open_group(store, mode="r")["g/x"][...], VALUES)
    chained = zarr.open_group(f"zarrscope://zarr3::file://{tmp_path}/a.n5", mode="r")
    assert np.array_equal(chained["g/x"][1, ::7], VALUES[1, ::7])
