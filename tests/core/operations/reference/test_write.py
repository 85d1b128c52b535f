"""References that zarrscope writes, read by fsspec with zarr-python, by xarray, and by zarrscope."""

from __future__ import annotations

import json
import shutil
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path

import fsspec
import h5py
import imagecodecs.numcodecs
import nibabel
import numpy as np
import pytest
import xarray
import zarr

import zarrcore as zc
from tests.core.operations.reference.records import Records
from zarrcore.errors import NodeExistsError, UnsupportedError
from zarrcore.formats import Format
from zarrcore.operations.reference import ReferenceResult, write_references
from zarrcore.stores import MemoryStore, ReadableStore, open_store


@pytest.mark.parametrize("name", ["a.refs.json", "a.parq"])
@pytest.mark.parametrize("inline_nbytes", [0, 40])
def test_parts_of_a_file_become_references(
    records: ReadableStore, tmp_path: Path, name: str, inline_nbytes: int
) -> None:
    source = zc.open_hierarchy(records)
    expected = source["x"][...]
    assert expected[30:40].tolist() == [0] * 10
    result = _written(source, tmp_path / name, inline_nbytes=inline_nbytes)
    assert (result.arrays, result.references, result.inlined) == (
        (1, 4, 1) if inline_nbytes == 0 else (1, 0, 5)
    )
    assert np.array_equal(zc.open_hierarchy(tmp_path / name)["x"][...], expected)
    for found in _by_others(tmp_path / name):
        assert np.array_equal(found["x"][...], expected)


def _written(source: zc.Hierarchy, path: Path, **options: object) -> ReferenceResult:
    folder = path.name.endswith(".parq")
    store = open_store(path if folder else path.parent, create=True)
    return write_references(source, store, "" if folder else path.name, **options)


def _filesystem(path: Path) -> fsspec.AbstractFileSystem:
    return fsspec.filesystem(
        "reference", fo=str(path), remote_protocol="file", asynchronous=True, skip_instance_cache=True
    )


def _by_others(path: Path) -> Iterator[zarr.Group]:
    """The hierarchy as zarr-python and xarray read it through fsspec."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        filesystem = _filesystem(path)
        yield zarr.open_group(
            zarr.storage.FsspecStore(filesystem, read_only=True, path=""), mode="r", zarr_format=2
        )
        with xarray.open_dataset(str(path), engine="kerchunk", mask_and_scale=False) as dataset:
            yield {name: dataset[name].to_numpy() for name in dataset.variables}


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_hierarchies_of_plain_files_become_references_to_whole_files(
    tmp_path: Path, zarr_format: int
) -> None:
    values = np.random.default_rng(0).random((30, 40))
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=zarr_format)
    array = group.create_array("g/x", shape=values.shape, chunks=(7, 9), dtype="f8", fill_value=0)
    array[:20] = values[:20]
    array.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    values[21:] = 0
    expected = zc.open_hierarchy(tmp_path / "a.zarr")["g/x"][...]
    _written(zc.open_hierarchy(tmp_path / "a.zarr"), tmp_path / "a.refs.json")
    assert np.array_equal(zc.open_hierarchy(tmp_path / "a.refs.json")["g/x"][...], expected)
    filesystem = _filesystem(tmp_path / "a.refs.json")
    theirs = zarr.open_group(
        zarr.storage.FsspecStore(filesystem, read_only=True, path=""), mode="r", zarr_format=2
    )
    assert np.array_equal(theirs["g/x"][...], expected)


@pytest.mark.parametrize("name", ["a.refs.json", "a.parq"])
def test_zeros_are_missing_only_where_the_source_says_so(tmp_path: Path, name: str) -> None:
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=3)
    for title, attributes in {"plain": {}, "masked": {"_FillValue": 0}}.items():
        array = group.create_array(
            title, shape=(4,), chunks=(2,), dtype="i4", dimension_names=["x"], attributes=attributes
        )
        array[:] = np.arange(4)
    _written(zc.open_hierarchy(tmp_path / "a.zarr"), tmp_path / name)
    for engine in ("kerchunk", "zarrscope"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with xarray.open_dataset(str(tmp_path / name), engine=engine) as dataset:
                assert dataset["plain"].dtype == np.int32
                assert dataset["plain"].to_numpy().tolist() == [0, 1, 2, 3]
                assert np.isnan(dataset["masked"].to_numpy()).tolist() == [True, False, False, False]


@pytest.mark.parametrize("name", ["a.refs.json", "a.parq"])
@pytest.mark.parametrize("missing", [-9.0, 0.0, np.nan, None])
def test_the_missing_elements_of_xarray_stay_missing(
    tmp_path: Path, name: str, missing: float | None
) -> None:
    made = xarray.Dataset({"p": ("x", np.array([0, 1, -9, 3, np.nan], "f4"))})
    with warnings.catch_warnings(action="ignore"):
        encoding = {"p": {"_FillValue": missing}}
        made.to_zarr(tmp_path / "a.zarr", zarr_format=3, consolidated=False, encoding=encoding)
        expected = xarray.open_zarr(tmp_path / "a.zarr", consolidated=False).load()
        _written(zc.open_hierarchy(tmp_path / "a.zarr"), tmp_path / name)
        for engine in ("kerchunk", "zarrscope"):
            with xarray.open_dataset(str(tmp_path / name), engine=engine) as dataset:
                xarray.testing.assert_equal(dataset.load(), expected)


def test_a_part_that_is_followed_by_zeros_is_inlined(tmp_path: Path) -> None:
    values = np.random.default_rng(0).random(
        (64, 64, 521)
    )  # a prime number of planes: the last chunk is shorter
    nibabel.save(nibabel.Nifti1Image(values, np.eye(4)), tmp_path / "a.nii")
    result = _written(zc.open_hierarchy(tmp_path / "a.nii"), tmp_path / "a.refs.json")
    assert result.inlined == 1
    assert result.references > 1
    assert np.array_equal(zc.open_hierarchy(tmp_path / "a.refs.json")["0"][...], values.T)
    for found in _by_others(tmp_path / "a.refs.json"):
        assert np.array_equal(found["0"][...], values.T)


def test_stored_members_of_a_zip_file_become_references(tmp_path: Path) -> None:
    for name, compress_type in (("stored.zip", zipfile.ZIP_STORED), ("packed.zip", zipfile.ZIP_DEFLATED)):
        with zipfile.ZipFile(tmp_path / name, "w", compress_type) as archive:
            archive.writestr("zarr.json", json.dumps({"zarr_format": 3, "node_type": "group"}))
            archive.writestr("x/zarr.json", bytes(Records(MemoryStore(), "k", "u").find("x/zarr.json")))
            for number in range(6):
                archive.writestr(f"x/c/{number}", np.full(10, number, "<i4").tobytes())
    _written(zc.open_hierarchy(tmp_path / "stored.zip"), tmp_path / "a.refs.json")
    assert zc.open_hierarchy(tmp_path / "a.refs.json")["x"][::10].tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(UnsupportedError, match="is compressed"):
        _written(zc.open_hierarchy(tmp_path / "packed.zip"), tmp_path / "b.refs.json")
    assert not (tmp_path / "b.refs.json").exists()


def test_arrays_that_zarr_v2_cannot_hold_are_refused_or_left_out(tmp_path: Path) -> None:
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=3)
    group.create_array("good", shape=(4,), chunks=(2,), dtype="i4")[:] = 1
    group.create_array("sharded", shape=(4,), chunks=(2,), shards=(4,), dtype="i4")[:] = 1
    source = zc.open_hierarchy(tmp_path / "a.zarr")
    with pytest.raises(
        UnsupportedError, match=r"/sharded' cannot be described.*--zarr-format 3 describes it, --skip"
    ):
        _written(source, tmp_path / "a.refs.json")
    result = _written(source, tmp_path / "a.refs.json", skip=True)
    assert [*result.skipped] == ["/sharded"]
    assert "--zarr-format 3 describes it" in result.skipped["/sharded"]
    assert [node.path for node in zc.open_hierarchy(tmp_path / "a.refs.json").walk()] == ["/", "/good"]


def test_values_that_are_no_files_cannot_be_named(tmp_path: Path) -> None:
    with zc.create(f"sqlite://{tmp_path}/a.sqlite") as hierarchy:
        hierarchy.create_array("/x", shape=(2,), dtype="int8")[...] = 1
    with pytest.raises(UnsupportedError, match="holds values that are not files"):
        _written(zc.open_hierarchy(f"sqlite://{tmp_path}/a.sqlite"), tmp_path / "a.refs.json")


def test_structures_become_references_if_they_are_stored_as_numpy_has_them(tmp_path: Path) -> None:
    packed = np.dtype([("a", "<i4"), ("b", "<f8"), ("s", "S3")])
    others = (
        np.dtype([("a", "<i4"), ("b", ">f8")]),
        np.dtype({"names": ["a", "b"], "formats": ["<i4", "<f8"], "offsets": [0, 8]}),
    )
    values = np.array([(1, 2.5, b"ab"), (3, -1.0, b"abc"), (-7, 0.0, b"")], packed)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=values, chunks=(2,), compression="gzip").dims[0].label = "t"
        for number, dtype in enumerate(others):
            file.create_dataset(f"y{number}", data=values[["a", "b"]].astype(dtype), dtype=dtype)
    result = _written(zc.open_hierarchy(tmp_path / "a.h5"), tmp_path / "a.refs.json", skip=True)
    assert [*result.skipped] == ["/y0", "/y1"]
    assert zc.open_hierarchy(tmp_path / "a.refs.json")["x"][...].tolist() == values.tolist()
    for found in _by_others(tmp_path / "a.refs.json"):
        assert np.asarray(found["x"][...]).tolist() == values.tolist()


def test_raw_bytes_have_another_name_in_zarr_v2(tmp_path: Path) -> None:
    values = np.array([b"abcd", b"\0efg", b"hi\0\0"], "V4")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=values, chunks=(2,), compression="gzip").dims[0].label = "t"
    _written(zc.open_hierarchy(tmp_path / "a.h5"), tmp_path / "a.refs.json")
    assert zc.open_hierarchy(tmp_path / "a.refs.json")["x"][...].tobytes() == values.tobytes()
    for found in _by_others(tmp_path / "a.refs.json"):
        assert found["x"][...].tobytes() == values.tobytes()


def test_parts_of_a_file_that_is_compressed_as_a_whole_cannot_be_named(tmp_path: Path) -> None:
    nibabel.save(nibabel.Nifti1Image(np.zeros((3, 4, 5), "i2"), np.eye(4)), tmp_path / "a.nii.gz")
    with pytest.raises(UnsupportedError, match=r"a\.nii\.gz' is compressed or text as a whole"):
        _written(zc.open_hierarchy(tmp_path / "a.nii.gz"), tmp_path / "a.refs.json")
    assert not (tmp_path / "a.refs.json").exists()


def test_chunks_of_a_repository_cannot_be_named(tmp_path: Path) -> None:
    icechunk = pytest.importorskip("icechunk")
    repository = icechunk.Repository.create(icechunk.local_filesystem_storage(str(tmp_path / "repo")))
    session = repository.writable_session("main")
    zarr.create_group(session.store).create_array("x", shape=(4,), chunks=(2,), dtype="i4")[:] = 1
    session.commit("first")
    for options in ({}, {"all_versions": True}):
        source = zc.open_hierarchy(tmp_path / "repo", **options)
        with pytest.raises(UnsupportedError, match="holds values that are not files"):
            _written(source, tmp_path / "a.refs.json")


def test_a_parquet_folder_must_be_empty(records: ReadableStore, tmp_path: Path) -> None:
    (tmp_path / "a.parq").mkdir()
    (tmp_path / "a.parq" / "something").write_text("")
    with pytest.raises(NodeExistsError):
        _written(zc.open_hierarchy(records), tmp_path / "a.parq")


@pytest.mark.sampled(6)
@pytest.mark.parametrize("coding", [("nn", 8), ("ec", 16), ("nn", 4)])
@pytest.mark.parametrize("dtype", ["u1", "<i2", ">i4", "<f4", "<f8"])
def test_szip_of_hdf5_becomes_that_of_imagecodecs(
    tmp_path: Path, dtype: str, coding: tuple[str, int]
) -> None:
    imagecodecs.numcodecs.register_codecs(verbose=False)
    values = (np.arange(1200) % 77).reshape(40, 30).astype(dtype)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        options = {"compression": "szip", "compression_opts": coding, "shuffle": True, "fletcher32": True}
        file.create_dataset("x", data=values, chunks=(20, 15), **options)
    assert _written(zc.open_hierarchy(tmp_path / "a.h5"), tmp_path / "a.refs.json").references == 4
    assert np.array_equal(zc.open_hierarchy(tmp_path / "a.refs.json")["x"][...], values)
    theirs = next(_by_others(tmp_path / "a.refs.json"))
    assert np.array_equal(theirs["x"][...], values)


def test_parquet_folders_have_only_zarr_v2(records: ReadableStore, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="'Zarr v3' cannot be in Parquet folders"):
        _written(zc.open_hierarchy(records), tmp_path / "a.parq", to=Format.V3)
    assert not [*(tmp_path / "a.parq").iterdir()]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_root_without_a_document_becomes_a_group(tmp_path: Path, zarr_format: int) -> None:
    (tmp_path / "a.zarr").mkdir()
    zarr.create_array(
        tmp_path / "a.zarr" / "x", shape=(4,), chunks=(2,), dtype="i4", zarr_format=zarr_format
    )[:] = 1
    to = Format.V2 if zarr_format == 2 else Format.V3
    _written(zc.open_hierarchy(tmp_path / "a.zarr"), tmp_path / "a.refs.json", to=to)
    store = zarr.storage.FsspecStore(_filesystem(tmp_path / "a.refs.json"), read_only=True, path="")
    found = zarr.open_group(store, mode="r", zarr_format=zarr_format)
    assert found["x"][...].tolist() == [1, 1, 1, 1]


def test_a_source_without_nodes_that_can_be_described_is_refused(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "a.zarr", shape=(4,), chunks=(2,), shards=(4,), dtype="i4")[:] = 1
    with pytest.raises(UnsupportedError, match="has no node that references can describe"):
        _written(zc.open_hierarchy(tmp_path / "a.zarr"), tmp_path / "a.refs.json", skip=True)


def test_arrays_whose_chunks_cannot_be_named_are_left_out(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        made = file.create_dataset("x", (64,), "<i4", chunks=(64,), compression="szip")
        made.id.write_direct_chunk((0,), np.arange(64, dtype="<i4").tobytes(), 1)
        file.create_dataset("y", data=np.arange(5))
    for name in ("a.refs.json", "a.parq"):
        result = _written(zc.open_hierarchy(tmp_path / "a.h5"), tmp_path / name, skip=True)
        assert [*result.skipped] == ["/x"]
        assert [node.path for node in zc.open_hierarchy(tmp_path / name).walk()] == ["/", "/y"]
        assert zc.open_hierarchy(tmp_path / name)["y"][...].tolist() == [*range(5)]


def test_an_array_that_only_stale_consolidated_metadata_include_is_left_out(tmp_path: Path) -> None:
    with zc.create(tmp_path / "a.zarr") as made:
        for path in ("/kept", "/gone"):
            made.create_array(path, shape=(4,), dtype="int64")[...] = np.arange(4)
        made.consolidate()
    shutil.rmtree(tmp_path / "a.zarr/gone")
    source = zc.open_hierarchy(tmp_path / "a.zarr", believe_consolidated=True)
    with pytest.raises(zc.BrokenReferenceError, match="reference --skip leaves it out"):
        _written(source, tmp_path / "a.refs.json")
    result = _written(source, tmp_path / "a.refs.json", skip=True)
    assert [*result.skipped] == ["/gone"]
    assert [node.path for node in zc.open_hierarchy(tmp_path / "a.refs.json").walk()] == ["/", "/kept"]
