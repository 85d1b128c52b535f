"""HDF5 files as hierarchies: written by independent writers, compared with what h5py reads."""

from __future__ import annotations

import io
import itertools
import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import anndata
import h5py
import numpy as np
import pytest
import tables
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import zarrcore
from tests.campaigns import ALL
from tests.command import run_inside
from tests.core.stores.hdf5 import files
from tests.core.stores.hdf5.written import WHY_NOT_SHOWN, add_unshown
from tests.servers.distant import distant_server
from zarrcore.errors import BrokenReferenceError, ZarrError
from zarrcore.hierarchy.collections.collection import open_place
from zarrcore.stores import LocalStore, MemoryStore, StatisticsStore
from zarrcore.stores.hdf5.store import Hdf5Store
from zarrcore.stores.virtual.node_names import node_name


def stored(path: Path) -> Hdf5Store:
    """The file as a store."""
    return Hdf5Store(LocalStore(path.parent), path.name, str(path))


@pytest.mark.parametrize("generation", files.GENERATIONS)
def test_every_type_reads_as_with_h5py(generation: str, tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w", **files.GENERATIONS[generation]) as file:
        files.write_types(file)
    assert files.assert_same(tmp_path / "a.h5") == 31


@pytest.mark.parametrize("generation", files.GENERATIONS)
def test_every_layout_reads_as_with_h5py(generation: str, tmp_path: Path) -> None:
    rows = 2000 if ALL else 1000 if generation in ("earliest", "latest") else 200
    with h5py.File(tmp_path / "a.h5", "w", **files.GENERATIONS[generation]) as file:
        files.write_layouts(file, rows)
        files.write_skipped(file)
    assert files.assert_same(tmp_path / "a.h5") == 26


@pytest.mark.parametrize("name", files.FILTERS)
def test_every_filter_reads_as_with_h5py(name: str, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    numbers = random.integers(0, 500, (50, 40))
    with h5py.File(tmp_path / "a.h5", "w", libver="latest") as file:
        for dtype, (shape_name, max_shape) in itertools.product(
            ("u1", "<i4", ">u2", "f4", "f8"), files.MAX_SHAPES.items()
        ):
            options = dict(files.FILTERS[name])
            values = numbers.astype(dtype)
            if "f" in dtype:
                values = (numbers / 100).astype(dtype)
                options = {"scaleoffset": 3} if "scaleoffset" in options else options
            place = f"{dtype}/{shape_name}"
            file.create_dataset(place, data=values, chunks=(16, 7), maxshape=max_shape, **options)
    assert files.assert_same(tmp_path / "a.h5") == 20


DTYPES = st.sampled_from(["i1", "<u2", ">i4", "<i8", "<f4", ">f8", "c8", "S3", "?"])


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_dataset_reads_as_with_h5py(data: st.DataObject) -> None:
    dtype = np.dtype(data.draw(DTYPES))
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=9))
    elements = (
        None if dtype.kind != "S" else st.binary(max_size=3).map(lambda text: text.replace(b"\0", b"x"))
    )
    values = data.draw(hnp.arrays(dtype, shape, elements=elements))
    options: dict[str, Any] = {}
    if shape and 0 not in shape and data.draw(st.booleans()):
        options["chunks"] = tuple(data.draw(st.integers(1, length)) for length in shape)
        options["maxshape"] = tuple(
            data.draw(st.sampled_from([length, length + 5, None])) for length in shape
        )
        options["shuffle"] = data.draw(st.booleans())
        options["compression"] = data.draw(st.sampled_from([None, "gzip", "lzf"]))
        options["fletcher32"] = data.draw(st.booleans())
    generation = data.draw(st.sampled_from([*files.GENERATIONS.values()]))
    memory = io.BytesIO()
    with h5py.File(memory, "w", **generation) as file:
        file.create_dataset("a/b", data=values, **options)
    hierarchy = open_place(Hdf5Store(MemoryStore("", {"a.h5": memory.getvalue()}), "a.h5", "memory://a.h5"))
    with h5py.File(memory) as file:
        files.assert_equal(np.asarray(hierarchy["a/b"][...]), file["a/b"], "a/b")


def test_chunks_are_listed_with_their_sizes(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        sparse = file.create_dataset("a", (4, 6), "i2", chunks=(2, 2))
        sparse[0:2, 2:6] = 1
        file["b"] = 1.0
    with stored(tmp_path / "a.h5") as store:
        found = {entry.key: entry.size for entry in store.list_prefix("")}
        assert found == {
            "zarr.json": None,
            "a/zarr.json": None,
            "a/c/0/1": 8,
            "a/c/0/2": 8,
            "b/zarr.json": None,
            "b/c": 8,
        }
        assert [entry.key for entry in store.list_dir("a/")] == ["a/zarr.json", "a/c/"]
        assert [entry.key for entry in store.list_dir("a/c/")] == ["a/c/0/"]
        assert [entry.key for entry in store.list_dir("a/c/0/")] == ["a/c/0/1", "a/c/0/2"]
        assert store.get("a/c/1/1") is None
        assert store.get("a/c/0/01") is None
        assert store.get("a/c/9/9") is None


def test_values_below_a_prefix_are_those_that_are_found_one_by_one(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w", libver="latest") as file:
        files.write_layouts(file, 200)
        files.write_skipped(file)
        files.write_types(file)
    with stored(tmp_path / "a.h5") as store:
        listed = [*store.list_dir("")]
        for entry in listed:
            if entry.is_prefix:
                expected = {below.key: store.find(below.key) for below in store.list_prefix(entry.key)}
                found = [*store.values_below(entry.key)]
                assert dict(found) == {key: value for key, value in expected.items() if value is not None}
                assert len({key for key, _ in found}) == len(found)
        assert len(listed) > 40


def test_a_slice_of_a_large_dataset_reads_its_range(tmp_path: Path) -> None:
    values = np.arange(3 << 20, dtype="i4").reshape(12, 1 << 18)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["a"] = values
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        assert hierarchy["a"].chunk_shape == (4, 1 << 18)
        assert (hierarchy["a"][5, 100:200] == values[5, 100:200]).all()
        assert (hierarchy["a"][...] == values).all()


def test_a_file_that_is_replaced_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.stores.virtual.parsed_file._CHECKED_EACH_S", -1)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["a"] = [1]
    with stored(tmp_path / "a.h5") as store:
        assert store.get("b/zarr.json") is None
        with h5py.File(tmp_path / "new.h5", "w") as file:
            file["b"] = [1, 2, 3]
        (tmp_path / "new.h5").rename(tmp_path / "a.h5")
        assert store.get("b/zarr.json") is not None
        assert pickle.loads(pickle.dumps(store)).get("b/zarr.json") == store.get("b/zarr.json")


def test_a_chunk_beyond_the_end_is_an_error_and_not_fill_values(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["a"] = np.arange(100_000)
        file.create_dataset("b", data=np.arange(100_000), chunks=(50_000,))
    whole = (tmp_path / "a.h5").read_bytes()
    (tmp_path / "cut.h5").write_bytes(whole[:-1000])
    with zarrcore.open_hierarchy(tmp_path / "cut.h5") as hierarchy:
        with pytest.raises(BrokenReferenceError, match=r"b/c/1 .* which ends at byte"):
            hierarchy["b"][...]
        assert hierarchy["a"][5] == 5


def test_files_of_other_writers(tmp_path: Path) -> None:
    with tables.open_file(tmp_path / "t.h5", "w") as file:
        file.create_array("/", "plain", np.arange(10.0))
        file.create_carray(
            "/",
            "packed",
            obj=np.arange(1000).reshape(10, 100),
            filters=tables.Filters(5, "zlib", fletcher32=True),
        )
        file.create_carray(
            "/", "blosc", obj=np.arange(1000).reshape(10, 100), filters=tables.Filters(5, "blosc:zstd")
        )
        file.create_table(
            "/", "table", np.array([(1, 2.5, b"x"), (2, 3.5, b"yy")], [("a", "i4"), ("b", "f8"), ("c", "S4")])
        )
    assert files.assert_same(tmp_path / "t.h5") == 4
    cells = anndata.AnnData(np.arange(12, dtype="f4").reshape(3, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cells.obs["kind"] = ["a", "b", "a"]
        cells.write_h5ad(tmp_path / "c.h5ad", compression="gzip")
    with zarrcore.open_hierarchy(tmp_path / "c.h5ad") as hierarchy:
        assert hierarchy["/"].attributes["encoding-type"] == "anndata"
        assert (hierarchy["X"][...] == cells.X).all()
    assert files.assert_same(tmp_path / "c.h5ad") >= 5  # more with newer versions


def test_commands_accept_hdf5_files(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("g/a", data=np.arange(6).reshape(2, 3), chunks=(1, 3), compression="lzf")
        add_unshown(file, "wide")
    assert "a  2 × 3  int64" in run_inside("tree", tmp_path / "a.h5").text
    info = json.loads(run_inside("info", tmp_path / "a.h5", "g/a", "--json").text)
    assert info["metadata"]["shape"] == [2, 3]
    assert "3,4,5" in run_inside("cat", tmp_path / "a.h5", "g/a", "--select", "1:2,:", "--as", "csv").text
    broken = run_inside("info", tmp_path / "a.h5", "wide")
    assert WHY_NOT_SHOWN in broken.text + broken.stderr
    assert run_inside("ls", tmp_path / "a.h5", "wide").text.split() == ["wide/zarr.json"]
    assert "/wide" in run_inside("du", tmp_path / "a.h5").text


@pytest.mark.parametrize("name", ["a.h5", "a.nc"])
def test_the_tree_of_a_remote_file_of_one_block_needs_one_request(tmp_path: Path, name: str) -> None:
    (tmp_path / "bucket").mkdir()
    with h5py.File(tmp_path / "bucket" / name, "w") as file:
        for number in range(300):
            file.create_dataset(f"g/d{number}", data=np.arange(10), chunks=(5,))
    with (
        distant_server(tmp_path) as server,
        zarrcore.open_hierarchy(f"{server.url}/bucket/{name}") as hierarchy,
    ):
        assert len([*hierarchy.walk()]) == 302
        assert len(server.requests) == 1
        assert hierarchy["g/d7"][7] == 7


@pytest.mark.parametrize("version", ["earliest", "latest"])
@pytest.mark.parametrize("unlimited", [1, 2])
def test_a_dataset_that_shrank_has_no_chunks_outside(tmp_path: Path, version: str, unlimited: int) -> None:
    most = (None,) * unlimited + (30,) * (2 - unlimited)
    with h5py.File(tmp_path / "a.h5", "w", libver=version) as file:
        dataset = file.create_dataset("x", (20, 30), "i4", maxshape=most, chunks=(3, 7), compression="gzip")
        dataset[...] = np.arange(600).reshape(20, 30)
        dataset.resize((8, 30))
        if unlimited == 2:
            dataset.resize((8, 10))
        expected = dataset[...]
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        np.testing.assert_array_equal(hierarchy["/x"][...], expected)


def test_a_flipped_place_of_a_chunk_is_an_error_and_not_fill_values(tmp_path: Path) -> None:
    """The old B-trees have no checksum, but only certain places are possible."""
    with h5py.File(tmp_path / "a.h5", "w", libver="earliest") as file:
        file.create_dataset("x", data=np.arange(1000.0).reshape(10, 100), chunks=(5, 10), fletcher32=True)
    content = (tmp_path / "a.h5").read_bytes()
    tree = content.index(b"TREE\1")
    first = tree + 24 + 8  # the place of the first chunk, after its size and mask
    for position in (first, first + 8, first + 9, first + 16):
        broken = bytearray(content)
        broken[position] ^= 0x40
        (tmp_path / "b.h5").write_bytes(broken)
        with (
            zarrcore.open_hierarchy(tmp_path / "b.h5") as hierarchy,
            pytest.raises(ZarrError, match=r"B-tree|chunk"),
        ):
            hierarchy["/x"][...]


_ODD_NAMES = ("__x", "...", "..", "zarr.json", ".zarray", ".zgroup", "c", "c0", "0", "%2E", "a%20b", "b")


def test_members_of_any_name_are_shown_read_found_and_written(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for number, name in enumerate(_ODD_NAMES):
            file[name] = number
            file.create_group(f"g/{name}")["0"] = number
        file["g/link"] = h5py.SoftLink("/g/zarr.json/0")
    with h5py.File(tmp_path / "a.h5") as file:
        stored_names: list[str] = []
        file.visit(stored_names.append)
        expected = {
            "/" + "/".join(map(node_name, name.split("/"))): int(node[()])
            for name in [*stored_names, "g/link"]
            if isinstance(node := file[name], h5py.Dataset)
        }
    hierarchy = zarrcore.open_hierarchy(tmp_path / "a.h5")
    found = {node.path: int(node.read()) for node in hierarchy.walk("/") if node.kind == "array"}
    assert found == expected
    assert run_inside("cat", tmp_path / "a.h5", "--output", tmp_path / "b.h5").status == 0
    with h5py.File(tmp_path / "b.h5") as file:
        assert {path: int(file[path][()]) for path in expected} == expected


def test_a_file_says_whether_it_is_of_netcdf_once_its_root_was_read(tmp_path: Path) -> None:
    for name, attributes in (("a", {"_NCProperties": "version=2"}), ("b", {})):
        with h5py.File(tmp_path / name, "w") as file:
            file.attrs.update(attributes)
    counting = StatisticsStore(zarrcore.open_store(tmp_path / "a"))
    assert counting.presents == "HDF5"
    zarrcore.open_hierarchy(counting)
    assert counting.presents == "NetCDF-4"
    assert zarrcore.open_hierarchy(tmp_path / "b").store.presents == "HDF5"
