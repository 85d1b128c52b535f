"""``zarr3/``: other readers of accepted Zarr v3 open every format through a real mount."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import tensorstore
import zarr
import zarr.dtype
from zarr.codecs import BloscCodec

import zarrcore as zc
from tests.archives import unpack
from tests.core.formats import zarr_python_1_arrays
from tests.core.formats.drafts import zarr_python_2_drafts
from tests.core.formats.drafts.draft_writer import DRAFTS, Array, write
from tests.core.formats.n5 import zarr_python_2_n5
from tests.hierarchies import values, write_collection
from tests.servers import S3Server
from tests.zfs.conftest import Mount, Mounter
from tests.zfs.forking import run_forked
from tests.zfs.test_hierarchies import little, same_bits, shown
from zarrcore.filetypes import PlainChunks
from zarrfs.trees.arrays.tree import ArraysTree
from zarrfs.trees.entry import Directory
from zarrfs.trees.freshness import Freshness
from zarrfs.trees.zarr3.tree import Zarr3Tree

TENSORSTORE_LACKS = "mMSUV"
"""Kinds of elements whose data types tensorstore lacks, or knows by other names than zarr-python."""


ZARR_PYTHON_HAS_STRUCT = hasattr(zarr.dtype, "Struct")
"""Whether zarr-python knows records by the registry's current name; 3.1 only knows the first one."""


def by_zarr_python(folder: Path) -> np.ndarray:
    with warnings.catch_warnings(
        action="ignore"
    ):  # names of data types that are not in the specification yet
        array = zarr.open_array(os.fspath(folder), mode="r", zarr_format=3)
    found = np.asarray(array[...])
    return found if found.dtype.hasobject else little(found)


def by_tensorstore(folder: Path) -> np.ndarray:
    path = {"driver": "file", "path": f"{folder}/"}
    return tensorstore.open({"driver": "zarr3", "kvstore": path}).result().read().result()


def is_record(folder: Path) -> bool:
    """Whether the elements are records."""
    data_type = json.loads((folder / "zarr.json").read_bytes())["data_type"]
    return isinstance(data_type, dict) and data_type["name"] == "struct"


def assert_fields_read(folder: Path, expected: np.ndarray) -> None:
    """Whether tensorstore finds the fields, if all are numbers: it does not support other records."""
    types = {name: expected.dtype[name] for name in expected.dtype.names or ()}
    if all(dtype.kind in "iuf" for dtype in types.values()):
        kvstore = {"driver": "file", "path": f"{folder}/"}
        for name in types:
            opened = tensorstore.open({"driver": "zarr3", "kvstore": kvstore, "field": name}).result()
            assert same_bits(opened.read().result(), expected[name])


def assert_read(folder: Path, expected: np.ndarray) -> None:
    """Whether both readers find these elements, bit for bit."""
    if is_record(folder):
        assert_fields_read(folder, expected)
        if not ZARR_PYTHON_HAS_STRUCT:
            return
    found = by_zarr_python(folder)
    assert found.dtype == expected.dtype
    assert same_bits(found, expected), folder
    # It takes a percent sign in a path for the beginning of an escape.
    if expected.dtype.kind not in TENSORSTORE_LACKS and "%" not in folder.name:
        assert same_bits(by_tensorstore(folder), expected), folder


def is_raw_bits(folder: Path) -> bool:
    """Whether the elements have a core type that neither reader supports."""
    data_type = json.loads((folder / "zarr.json").read_bytes())["data_type"]
    return isinstance(data_type, str) and data_type[0] == "r" and data_type[1:].isdigit()


def test_other_readers_read_hierarchies_of_zarr_python(mounted_hierarchy: tuple[Any, Mount]) -> None:
    written, mount = mounted_hierarchy
    read = 0
    for path, expected in written.expected.items():
        folder = mount.path / "zarr3" / shown(path)
        if not is_raw_bits(folder):
            assert_read(folder, little(expected))
            read += 1
    assert read > 100
    group = zarr.open_group(mount.path / "zarr3", mode="r")
    assert group.attrs.asdict() == zarr.open_group(written.path, mode="r").attrs.asdict()
    assert {"types", "shapes", "fill", "names"} <= set(group.group_keys())


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory, mounter: Mounter) -> tuple[zc.Hierarchy, Mount]:
    """One folder of all formats before Zarr v2, the drafts, and N5; opened, and mounted."""
    folder = tmp_path_factory.mktemp("older")
    for module in (zarr_python_1_arrays, zarr_python_2_n5, zarr_python_2_drafts):
        unpack(module.ARCHIVE, folder / module.__name__.rpartition(".")[2])
    for day in DRAFTS:
        array = Array(values("f8", (5, 6)), (2, 4), endian=">", attributes={"day": day})
        for key, value in write(day, {"/group/array": array, "/": {"n": 1}}).items():
            (folder / day / key).parent.mkdir(parents=True, exist_ok=True)
            (folder / day / key).write_bytes(value)
    write_collection(folder / "collection")
    return zc.open_hierarchy(folder), mounter(folder)


def test_other_readers_read_older_formats(older: tuple[zc.Hierarchy, Mount]) -> None:
    hierarchy, mount = older
    formats, broken = set(), 0
    for node in hierarchy.walk():
        folder = mount.path / "zarr3" / shown(node.path)
        if isinstance(node, zc.Array):
            if node.data_type.is_variable_length:
                assert by_zarr_python(folder).tolist() == node[...].tolist()
            elif not is_raw_bits(folder):
                assert_read(folder, node.read())
            attributes = json.loads((folder / "zarr.json").read_bytes())["attributes"]
            assert attributes.items() <= dict(node.attributes).items()
            formats.add(node.hierarchy.format.name)
        elif node.kind == "broken":
            assert os.listdir(folder) == ["error.txt"]
            broken += 1
        else:
            assert zarr.open_group(folder, mode="r").attrs.asdict() == node.attributes
    assert {"v1", "v2", "v3", "n5"} | {draft.name for draft in DRAFTS.values()} <= formats
    assert broken


def test_other_readers_list_groups_with_any_names(tmp_path: Path, mounter: Mounter) -> None:
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=2)
    for name in ("c", "zarr.json", "error.txt"):
        group.create_array(name, data=np.arange(3))
    group["c"].attrs["_ARRAY_DIMENSIONS"] = ["x"]
    folder = mounter(tmp_path / "a.zarr").path / "zarr3"
    assert sorted(os.listdir(folder)) == ["c", "error.txt", "zarr.json"]
    assert (folder / "zarr.json").is_file()
    array = zarr.open_group(folder, mode="r")["c"]
    assert (array.metadata.dimension_names, dict(array.attrs)) == (("x",), {"_FillValue": 0})
    np.testing.assert_array_equal(array[...], np.arange(3))


@pytest.fixture(scope="module")
def strings(tmp_path_factory: pytest.TempPathFactory, mounter: Mounter) -> tuple[np.ndarray, Path]:
    path = tmp_path_factory.mktemp("strings") / "a.zarr"
    words = np.array([["ä", "b\nc", ""], ["d" * 5000, "–", "e"]])
    with warnings.catch_warnings(action="ignore"):
        array = zarr.create_array(path, shape=words.shape, chunks=(1, 2), dtype=str, zarr_format=2)
        array[...] = words
    return words, mounter(path).path / "zarr3"


def test_elements_of_variable_length_are_readable(strings: tuple[np.ndarray, Path], tmp_path: Path) -> None:
    """S28: "those chunks are decoded when they are looked at or listed", so a copy has them."""
    words, folder = strings
    assert by_zarr_python(folder).tolist() == words.tolist()
    assert sorted(os.listdir(folder / "c" / "1")) == ["0", "1"]
    shutil.copytree(folder, tmp_path / "copy")
    assert by_zarr_python(tmp_path / "copy").tolist() == words.tolist()
    for name in ("c/2", "c/0/2", "c/0/0/0", "c/0/0.raw", "c/00", "d"):
        assert not (folder / name).exists(), name


def test_missing_chunks_read_as_fill_values(tmp_path: Path, mounter: Mounter) -> None:
    """S28: "A chunk that the store lacks is there, too"."""
    options = {"shape": (6, 50), "chunks": (2, 20), "dtype": "i2", "fill_value": 7}
    zarr.create_array(tmp_path / "a.zarr", **options)
    folder = mounter(tmp_path / "a.zarr").path / "zarr3"
    assert sorted(os.listdir(folder / "c" / "2")) == ["0", "1", "2"]
    chunk = folder / "c" / "2" / "2"
    assert chunk.stat().st_size == 80
    assert chunk.read_bytes() == np.full(40, 7, "<i2").tobytes()


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.zarr"
    group = zarr.open_group(path, mode="w")
    array = group.create_array("cut", shape=(8, 8), chunks=(4, 8), dtype="i4", compressors=[BloscCodec()])
    array[...] = 1
    chunk = path / "cut" / "c" / "1" / "0"
    chunk.write_bytes(chunk.read_bytes()[:20])
    group.create_array("fine", shape=(3,), dtype="i4")
    group.create_array("huge", shape=(3,), chunks=(3,), dtype="i4")
    document = (path / "fine" / "zarr.json").read_text()
    (path / "unknown").mkdir()
    (path / "unknown" / "zarr.json").write_text(document.replace('"bytes"', '"no-such-codec"'))
    huge = json.loads(document)
    huge["chunk_grid"]["configuration"]["chunk_shape"] = [1 << 62]
    (path / "huge" / "zarr.json").write_text(json.dumps(huge))
    return path


def test_a_reader_gets_an_error_and_no_fill_values(broken: Path, mount: Mounter) -> None:
    """S28: "never a `zarr.json` whose chunks would be taken for missing ones"."""
    mounted = mount(broken)
    folder = mounted.path / "zarr3"
    with pytest.raises(OSError) as caught:  # noqa: PT011 - its errno is looked at
        (folder / "cut" / "c" / "1" / "0").read_bytes()
    assert caught.value.errno == errno.EIO
    assert (folder / "cut" / "c" / "0" / "0").read_bytes() == np.ones((4, 8), "<i4").tobytes()
    with pytest.raises(OSError, match="Input/output"):
        by_zarr_python(folder / "cut")
    with pytest.raises(ValueError, match="Input/output"):
        by_tensorstore(folder / "cut")
    for name, said in (("unknown", "no-such-codec"), ("huge", "too large")):
        assert os.listdir(folder / name) == ["error.txt"]
        assert said in (folder / name / "error.txt").read_text()
        with pytest.raises((FileNotFoundError, zarr.errors.ArrayNotFoundError)):
            by_zarr_python(folder / name)
        with pytest.raises(ValueError, match="NOT_FOUND"):
            by_tensorstore(folder / name)
    with warnings.catch_warnings(action="ignore"):  # it warns that the others are not nodes
        assert sorted(zarr.open_group(folder, mode="r").array_keys()) == ["cut", "fine"]


def test_looking_at_chunks_decodes_none(tmp_path: Path, mount: Mounter) -> None:
    """S28: "Listing and looking at chunks asks the store nothing"."""
    array = zarr.create_array(tmp_path / "a.zarr", shape=(50_000, 10, 9), chunks=(1, 4, 9), dtype="u2")
    array[:3] = 1
    mounted = mount(tmp_path / "a.zarr")
    folder = mounted.path / "zarr3"
    with os.scandir(folder / "c") as found:
        assert len({entry.inode() for entry in found}) == 50_000
    assert [(folder / "c" / "49999" / str(y) / "0").stat().st_size for y in range(3)] == [72] * 3
    stats = mounted.stats()
    assert (stats["decoded"]["chunks"], stats["chunk_cache"]["misses"]) == (0, 0)
    assert stats["inodes"] < 100


def test_sharded_arrays_are_read_by_inner_chunks(tmp_path: Path, mount: Mounter) -> None:
    cube = np.random.default_rng(1).standard_normal((60, 90, 128)).astype("f4")
    options = {"chunks": (16, 16, 16), "shards": (64, 64, 64), "dtype": "f4"}
    zarr.create_array(tmp_path / "a.zarr", shape=cube.shape, **options)[...] = cube
    mounted = mount(tmp_path / "a.zarr")
    folder = mounted.path / "zarr3"
    assert zarr.open_array(folder, mode="r").chunks == (64, 64, 64)
    assert same_bits(by_zarr_python(folder), cube)
    assert same_bits(by_tensorstore(folder), cube)
    assert mounted.stats()["decoded"]["chunks"] == 4 * 6 * 8


def test_a_recursive_copy_is_a_hierarchy(mounter: Mounter, tmp_path: Path) -> None:
    from zarrcore.operations.check import check

    write_collection(tmp_path / "made")
    source = tmp_path / "made" / "sites" / "north" / "v2.zarr"
    copied = tmp_path / "copied"
    done = subprocess.run(["cp", "-r", mounter(source).path / "zarr3", copied], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not [finding for finding in check(zc.open_hierarchy(copied)) if finding.severity == "error"]
    assert_read(copied / "b", zc.open_hierarchy(source)["b"].read())


@pytest.fixture
def view(tmp_path: Path, mount: Mounter) -> Iterator[Callable[[str], Mount]]:
    zarr.save_group(tmp_path / "a.zarr", x=np.arange(60, dtype="<i2").reshape(3, 4, 5), zarr_format=2)
    return lambda name: mount(tmp_path / "a.zarr", "--view", name)


def test_the_tree_can_be_the_mount_point_itself(view: Callable[[str], Mount], tmp_path: Path) -> None:
    mounted = view("zarr3")
    assert sorted(os.listdir(mounted.path)) == ["x", "zarr.json"]
    np.testing.assert_array_equal(by_tensorstore(mounted.path / "x"), np.arange(60).reshape(3, 4, 5))
    (tmp_path / "nothing").mkdir()
    (tmp_path / "point").mkdir()
    refused = run_forked("mount", tmp_path / "nothing", tmp_path / "point", "--view", "zarr3")
    assert refused.status == 1
    assert "no hierarchy" in refused.stderr


def test_a_store_without_a_hierarchy_has_an_error_file(tmp_path: Path, mount: Mounter) -> None:
    (tmp_path / "plain").mkdir()
    folder = mount(tmp_path / "plain").path / "zarr3"
    assert os.listdir(folder) == ["error.txt"]


def test_records_with_texts_have_no_document_and_leave_their_neighbours_in_peace(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("record", (3,), [("n", "i4"), ("t", h5py.string_dtype())])
        file["fine"] = np.arange(3)
    arrays = ArraysTree(lambda: zc.open_hierarchy(tmp_path / "a.h5"), Freshness(60.0))
    record = Zarr3Tree(arrays).root(wait=True).lookup("record", wait=True)
    assert isinstance(record, Directory)
    assert record.lookup("zarr.json", wait=True) is None
    assert [name for name, _ in record.entries()] == ["error.txt"]
    with pytest.raises(zc.UnsupportedError, match="'struct' with elements of variable length has no codec"):
        PlainChunks(zc.open_array(tmp_path / "a.h5", "record"))


def test_places_are_reversible_and_metadata_are_those_of_the_array(tmp_path: Path) -> None:
    array = zarr.create_array(tmp_path / "a.zarr", shape=(5, 7, 3), chunks=(2, 3, 3), dtype="u2")
    array[...] = np.arange(105).reshape(5, 7, 3)
    arrays = ArraysTree(lambda: zc.open_hierarchy(tmp_path / "a.zarr"), Freshness(60.0))
    root = Zarr3Tree(arrays).root(wait=True)
    assert root.metadata(wait=True) == arrays.root(wait=True).metadata(wait=True)
    places: dict[int, str] = {}
    waiting = [("c", root.lookup("c", wait=True))]
    while waiting:
        path, entry = waiting.pop()
        if entry is not None and entry.numbered is not None:
            numbering, place = entry.numbered
            assert places.setdefault(place, path) == path
            assert place < numbering.count
            again = numbering.entry(place)
            assert (type(again), again.numbered[1]) == (type(entry), place)
        if isinstance(entry, Directory):
            waiting += [(f"{path}/{name}", below) for name, below in entry.entries()]
    assert len(places) == 3 + 3 * 3 + 3 * 3


def test_a_distant_store_is_asked_for_each_chunk_once(s3: S3Server, tmp_path: Path, mount: Mounter) -> None:
    cube = np.arange(6 * 30 * 40, dtype="u4").reshape(6, 30, 40)
    group = zarr.open_group(tmp_path / "h.zarr", mode="w", zarr_format=2)
    group.create_array("x", data=cube, chunks=(2, 20, 20))
    s3.upload(tmp_path / "h.zarr", "bucket/zarr3.zarr")
    mounted = mount("s3://bucket/zarr3.zarr", *s3.arguments)
    folder = mounted.path / "zarr3" / "x"
    assert sum(len(names) for _, _, names in os.walk(folder)) == 1 + 3 * 2 * 2
    before = mounted.stats()["store"]["get"]["requests"]
    assert_read(folder, cube)
    assert mounted.stats()["store"]["get"]["requests"] - before == 3 * 2 * 2
