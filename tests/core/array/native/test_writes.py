"""The engine writes what Python writes, and leaves to Python what it cannot write."""

from __future__ import annotations

import json
import os
import shutil
import threading
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.core.array.native.chains import CHAINS, DTYPES, SHAPE, values_of
from tests.core.array.native.test_reads import SELECTIONS
from zarrcore.array.native.writes import NativeWrites
from zarrcore.array.writer import ChunkWriter
from zarrcore.errors import StoreFullError, UnsupportedError
from zarrcore.native import engine
from zarrcore.stores.local import atomic_files
from zarrcore.stores.local.store import LocalStore

pytestmark = pytest.mark.skipif(engine() is None, reason="the engine is not built")

NAMES = count()


def files_of(folder: Path) -> dict[str, os.stat_result]:
    """The files beneath a folder, except documents."""
    return {
        str(file.relative_to(folder)): file.stat()
        for file in folder.rglob("*")
        if file.is_file() and file.name != "zarr.json"
    }


def folders_of(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_dir()}


def created(path: Path, number: int = 1, **options: Any) -> Any:
    """An array of one of the chains in a new hierarchy."""
    dtype = DTYPES[number % len(DTYPES)]
    plain = {"shape": SHAPE, "dtype": dtype, "chunks": (8, 16, 16), "codecs": CHAINS[number]}
    return zarrcore.create(path).create_array("a", **{**plain, **options})


@settings(max_examples=200)
@given(
    number=st.integers(0, len(CHAINS) - 1),
    writes=st.lists(st.tuples(SELECTIONS, st.sampled_from([None, 0, 0, 7])), min_size=1, max_size=3),
    stores_empty=st.booleans(),
)
def test_the_engine_writes_what_python_writes(
    tmp_path_factory: pytest.TempPathFactory, number: int, writes: list[Any], stores_empty: bool
) -> None:
    folder = tmp_path_factory.getbasetemp() / f"writes{next(NAMES)}"
    expected = np.zeros(SHAPE, DTYPES[number % len(DTYPES)])
    for selection, value in writes:
        expected[selection] = values_of(expected.dtype.str)[selection] if value is None else value
    for is_native in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            if not is_native:
                patch.setattr("zarrcore.array.native.files.engine", lambda: None)
            array = created(folder / f"{is_native}", number)
            for selection, value in writes:
                values = values_of(array.dtype.str)[selection] if value is None else value
                array.write(selection, values, write_empty_chunks=stores_empty)
            assert (array._writer._native is not None) == is_native
    assert files_of(folder / "True").keys() == files_of(folder / "False").keys()
    assert folders_of(folder / "True") == folders_of(folder / "False")
    found = zarr.open_group(folder / "True", mode="r")["a"][...]
    np.testing.assert_array_equal(found, expected, strict=True)
    assert zarrcore.open_array(folder / "True/a")[...].tobytes() == expected.tobytes()
    shutil.rmtree(folder)


@pytest.mark.parametrize("number", range(len(CHAINS)))
def test_every_chain_goes_through_the_engine(
    tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    array = created(tmp_path / "a.zarr", number)

    def refuse(*_: object) -> Any:
        raise AssertionError("Python wrote a chunk")

    monkeypatch.setattr(ChunkWriter, "_write_part", refuse)
    values = values_of(array.dtype.str)
    array[...] = values
    array[...] = values[::-1]
    np.testing.assert_array_equal(zarr.open_group(tmp_path / "a.zarr", mode="r")["a"][...], values[::-1])
    array[:, :16, :] = 0
    assert set(files_of(tmp_path / "a.zarr/a")) == {
        f"c/{z}/{y}/{x}" for z in range(3) for y in (1, 2) for x in range(3)
    }
    array[...] = 0
    assert not (tmp_path / "a.zarr/a/c").exists()


def test_a_file_is_new_and_has_the_permissions_of_new_files(tmp_path: Path) -> None:
    array = created(tmp_path / "a.zarr")
    before = os.umask(0o027)
    try:
        array[...] = 1
    finally:
        os.umask(before)
    old = files_of(tmp_path / "a.zarr")
    assert {facts.st_mode & 0o777 for facts in old.values()} == {0o640}
    os.link(tmp_path / "a.zarr/a/c/0/0/0", tmp_path / "kept")
    array[...] = 2
    new = files_of(tmp_path / "a.zarr")
    assert new.keys() == old.keys(), "nothing temporary is left"
    assert all(new[name].st_ino != old[name].st_ino for name in old)
    assert (tmp_path / "kept").stat().st_nlink == 1


def test_what_killed_writers_left_is_removed(tmp_path: Path) -> None:
    array = created(tmp_path / "a.zarr")
    array[...] = 1
    left = tmp_path / "a.zarr/a/c/0/0/.zarrscope-0123456789abcdef.partial"
    left.touch()
    os.utime(left, (1, 1))
    zarrcore.open(tmp_path / "a.zarr", mode="r+")["a"][...] = 2
    assert not left.exists()


def test_a_folder_in_place_of_a_chunk_is_an_error_and_stays(tmp_path: Path) -> None:
    array = created(tmp_path / "a.zarr")
    (tmp_path / "a.zarr/a/c/0/0/0/inside").mkdir(parents=True)
    with pytest.raises(zarrcore.StoreError, match=r"a/c/0/0/0"):
        array[...] = 1
    assert (tmp_path / "a.zarr/a/c/0/0/0/inside").is_dir()


def test_a_link_in_place_of_a_chunk_is_replaced_and_one_to_the_outside_is_not_followed(
    tmp_path: Path,
) -> None:
    array = created(tmp_path / "a.zarr")
    array[...] = 1
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_bytes(b"mine")
    chunk, folder = tmp_path / "a.zarr/a/c/0/0/0", tmp_path / "a.zarr/a/c/1"
    chunk.unlink()
    chunk.symlink_to(outside / "file")
    shutil.rmtree(folder)
    folder.symlink_to(outside)
    array[:8] = 2
    assert (outside / "file").read_bytes() == b"mine"
    assert not chunk.is_symlink()
    with pytest.raises(zarrcore.StoreError, match="leads out of the store"):
        array[...] = 3
    assert sorted(path.name for path in outside.iterdir()) == ["file"]


def test_a_full_disk_is_an_error_and_leaves_whole_chunks(small_disk: Path) -> None:
    values = np.random.default_rng(3).random((64, 64, 128))
    array = zarrcore.create(small_disk / "a.zarr").create_array(
        "a", shape=values.shape, dtype="f8", chunks=(8, 8, 128), codecs=["crc32c"]
    )
    with pytest.raises(StoreFullError):
        array[...] = values
    blocks = zarrcore.open_array(small_disk / "a.zarr/a")[...].reshape(8, 8, 8, 8, 128)
    is_equal = (blocks == values.reshape(8, 8, 8, 8, 128)).all((1, 3, 4))
    assert is_equal.any()
    assert (is_equal | (blocks == 0).all((1, 3, 4))).all()


@pytest.mark.parametrize("is_durable", [False, True])
def test_durable_writes_are_pythons(
    tmp_path: Path, is_durable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []
    write = NativeWrites.write

    def count_writes(*given: Any) -> Any:
        counted.append(1)
        return write(*given)

    monkeypatch.setattr(NativeWrites, "write", count_writes)
    hierarchy = zarrcore.create(LocalStore(tmp_path / "a.zarr", create=True, durable=is_durable))
    hierarchy.create_array("a", data=np.arange(10.0))
    assert bool(counted) != is_durable


def test_an_unknown_codec_is_never_left_out(tmp_path: Path) -> None:
    zarrcore.create(tmp_path / "a.zarr").create_array("a", data=np.arange(10.0))
    document = tmp_path / "a.zarr/a/zarr.json"
    metadata = json.loads(document.read_text())
    metadata["codecs"].append({"name": "secret", "must_understand": False})
    document.write_text(json.dumps(metadata))
    with pytest.raises(UnsupportedError, match="secret"):
        zarrcore.open(tmp_path / "a.zarr", mode="r+")["a"][...] = 2


def test_writers_of_whole_and_of_parts_of_the_same_chunks_lose_nothing(tmp_path: Path) -> None:
    """Each thread writes columns of its own: some by the engine and whole, some by Python and in part."""
    array = zarrcore.create(tmp_path / "a.zarr").create_array(
        "a", shape=(16, 64), dtype="u4", chunks=(4, 4), codecs=["crc32c"]
    )
    array[...] = 1
    failures: list[BaseException] = []

    def write(columns: slice, value: int) -> None:
        try:
            for turn in range(30):
                array[:, columns] = value + turn
        except BaseException as error:  # noqa: BLE001 - shown below
            failures.append(error)

    parts = [slice(0, 32), slice(32, 33), slice(33, 34), slice(34, 36), slice(36, 64)]
    threads = [threading.Thread(target=write, args=(part, 100 * n)) for n, part in enumerate(parts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    for number, part in enumerate(parts):
        assert np.unique(array[:, part]).tolist() == [100 * number + 29]


@pytest.mark.parametrize("lacks", ["/proc", "links"])
def test_nothing_is_encoded_twice_where_files_cannot_be_named_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacks: str
) -> None:
    array = created(tmp_path / "a.zarr")

    def refuse(*_: object) -> Any:
        raise AssertionError("the engine encoded a chunk in vain")

    if lacks == "links":
        monkeypatch.setattr(atomic_files, "_without_links", {os.stat(tmp_path).st_dev})
    else:
        monkeypatch.setattr(atomic_files, "_UNNAMED_FILES", False)
    monkeypatch.setattr(NativeWrites, "write", refuse)
    array[...] = values_of(array.dtype.str)
    assert np.array_equal(array[...], values_of(array.dtype.str))


def test_what_the_engine_only_decodes_is_not_written(tmp_path: Path) -> None:
    """A document may name a codec of TIFF files, which the engine decodes as a chain of codecs that it has."""
    array = created(tmp_path / "a", shape=(32, 32), chunks=(16, 16), dtype="u1", codecs=["bytes"])
    document = json.loads((tmp_path / "a/a/zarr.json").read_text())
    tags = {"258": [8], "259": [8], "317": [1], "322": [16], "323": [16]}
    document["codecs"] = [{"name": "tiff.segment", "configuration": {"byteorder": "little", "tags": tags}}]
    (tmp_path / "a/a/zarr.json").write_text(json.dumps(document))
    array = zarrcore.open(tmp_path / "a", mode="r+")["a"]
    with pytest.raises(UnsupportedError, match="read but not written"):
        array[...] = 1
    assert not files_of(tmp_path / "a")
