"""The work of commands as functions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.command import run_inside
from zarrcore.stores import open_store

DATA = np.arange(32 * 48, dtype="uint16").reshape(32, 48)
SHA256 = hashlib.sha256(b'{"data_type":"uint16","shape":[32,48]}\n' + DATA.tobytes()).hexdigest()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A hierarchy in Zarr v2, written by zarr-python."""
    root = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=2)
    root.create_group("images", attributes={"unit": "nm"}).create_array("stack", data=DATA, chunks=(16, 16))
    root.create_array("other", shape=(3,), dtype="f4")
    zarr.consolidate_metadata(tmp_path / "a.zarr")
    return tmp_path / "a.zarr"


def test_copy(source: Path, tmp_path: Path) -> None:
    told = []
    result = zc.copy(
        f"{source}#/images",
        tmp_path / "copy.zip",
        format="v3",
        chunks=(8, 8),
        shards=(32, -1),
        codecs="zstd",
        progress=lambda *done: told.append(done),
    )
    assert (result.groups, result.arrays, result.nbytes) == (1, 1, DATA.nbytes)
    assert told[-1][1:] == (DATA.nbytes, DATA.nbytes)
    theirs = zarr.open_group(zarr.storage.ZipStore(tmp_path / "copy.zip"), mode="r")
    array = theirs["stack"]
    assert isinstance(array, zarr.Array)
    assert (array.chunks, array.shards, theirs.attrs["unit"]) == ((8, 8), (32, 48), "nm")
    assert np.array_equal(array, DATA)
    store = open_store("memory://")
    assert zc.copy(zc.open_group(source, "images"), store).arrays == 1
    with pytest.raises(zc.NodeExistsError):
        zc.copy(source, store)
    assert zc.copy(zc.open(source), store, overwrite=True).arrays == 2
    with pytest.raises(zc.SelectionError):
        zc.copy(source, source / "copy")
    assert not (source / "copy").exists()


def test_check_and_du(source: Path) -> None:
    assert [found.what for found in zc.check(source, conventions=True)] == ["missing-chunks"]
    (source / "images" / "stack" / "1.0").write_bytes(b"broken")
    (found,) = zc.check(zc.open_array(source, "images/stack"))
    assert (found.severity, found.key) == ("error", "images/stack/1.0")
    assert [*zc.check(f"{source}#/images", decode=False)] == []
    used = {node.path: node for node in zc.du(source).nodes}
    files = [*(source / "images").rglob("*")]
    assert used["/images"].stored_nbytes == sum(file.stat().st_size for file in files if file.is_file())
    assert [node.path for node in zc.du(zc.open_group(source, "images")).nodes] == [
        "/images",
        "/images/stack",
    ]


def test_diff_and_checksum(source: Path, tmp_path: Path) -> None:
    zc.copy(source, tmp_path / "b.n5", format="n5")
    assert [*zc.diff(source, tmp_path / "b.n5")] == []
    array = zc.open_array(tmp_path / "b.n5", "images/stack", mode="r+")
    assert zc.checksum(array) == zc.checksum(f"{source}#/images/stack") == SHA256
    array[3, 4] += 1
    (found,) = zc.diff(zc.open_group(source, "images"), f"{tmp_path}/b.n5#/images")
    assert (found.what, found.path, found.count, found.examples[0].index) == ("elements", "/stack", 1, (3, 4))
    assert (
        [*zc.diff(source, tmp_path / "b.n5", atol=1)]
        == [*zc.diff(source, array.hierarchy, elements=False)]
        == []
    )
    assert zc.checksum(array, algorithm="xxh128") != zc.checksum(source / "images/stack", algorithm="xxh128")
    with pytest.raises(zc.NodeKindError):
        zc.checksum(source)


def test_find(source: Path, tmp_path: Path) -> None:
    def paths(**conditions: object) -> list[str]:
        return [node.path for node in zc.find(source, **conditions)]  # type: ignore[arg-type]

    assert paths() == ["/", "/images", "/images/stack", "/other"]
    assert (
        paths(dtype="u*") == paths(shape=(None, 48)) == paths(name="st*", kind="array") == ["/images/stack"]
    )
    assert paths(attributes={"unit": "nm"}) == paths(attributes={"unit": ...}) == ["/images"]
    assert paths(max_nbytes=100) == paths(depth=1, kind="array") == ["/other"]
    with pytest.raises(ValueError, match="expected a convention"):
        paths(convention="none")
    everything = zc.open(tmp_path)
    assert isinstance(everything, zc.Collection)
    found = [node.path for node in zc.find(everything.group("a.zarr/images"), kind="array")]
    assert found == [node.path for node in zc.find(everything, dtype="uint16")] == ["/a.zarr/images/stack"]


@pytest.mark.parametrize("change", [zc.convert, lambda place: zc.pyramid(place["images/stack"], levels=1)])
def test_what_was_opened_for_reading_is_not_changed(
    source: Path, change: Callable[[zc.Hierarchy], Any]
) -> None:
    before = {path: path.read_bytes() for path in source.rglob("*") if path.is_file()}
    with pytest.raises(zc.ReadOnlyError):
        change(zc.open_hierarchy(source))
    assert before == {path: path.read_bytes() for path in source.rglob("*") if path.is_file()}


def test_arguments_of_a_wrong_type_are_errors(source: Path, tmp_path: Path) -> None:
    for chunks in ("16", (16.5, 16)):
        with pytest.raises(zc.MetadataError, match="chunks: expected integers"):
            zc.copy(source, tmp_path / "copy", chunks=chunks)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="integer"):
        zc.find(source, shape="*,48")  # type: ignore[arg-type]
    with pytest.raises(zc.MetadataError):
        zc.find(source, dtype=object())  # type: ignore[arg-type]
    for call in (
        lambda: zc.pyramid(f"{source}#/images/stack", levels=-1),
        lambda: zc.find(source, depth=-1),
        lambda: zc.diff(source, source, rtol=-1),
        lambda: zc.diff(source, source, atol=float("nan")),
    ):
        with pytest.raises(zc.SelectionError, match="expected 0 or more, found"):
            call()
    for factors in (0, (2, 0), "2"):
        with pytest.raises(zc.MetadataError, match="factors: expected integers"):
            zc.pyramid(f"{source}#/images/stack", factors=factors)  # type: ignore[arg-type]
    with pytest.raises(zc.UnsupportedError, match="known are group, array, broken"):
        zc.find(source, kind="arary")  # type: ignore[arg-type]
    with pytest.raises(zc.StoreError, match="an empty path"):
        zc.copy(source, "")
    assert not (tmp_path / "copy").exists()
    for dtype in (np.uint16, DATA.dtype, "u2", "uint1?"):
        assert [node.path for node in zc.find(source, dtype=dtype)] == ["/images/stack"]


@pytest.mark.parametrize("opened", [False, True])
def test_pyramid_and_convert_keep_consolidated_metadata(source: Path, opened: bool) -> None:
    place = zc.open(source, mode="r+") if opened else source
    plan = zc.pyramid(
        zc.open_array(source, "images/stack", mode="r+") if opened else f"{source}#/images/stack",
        factors=2,
        levels=1,
        axes=("y", "x"),
    )
    (level,) = plan.levels
    made = zarr.open_consolidated(source)[level.path]
    assert isinstance(made, zarr.Array)
    assert made.shape == (16, 24)
    result = zc.convert(place, remove_v2=True)
    assert len(result.documents) == 5
    theirs = zarr.open_consolidated(source, zarr_format=3)["images/stack"]
    assert isinstance(theirs, zarr.Array)
    assert np.array_equal(theirs, DATA)
    assert not [*source.rglob(".zarray")]
    for wrong in (source, zc.open(source, mode="r+")):
        with pytest.raises(zc.WrongFormatError):
            zc.convert(wrong)


def test_results_are_those_of_the_commands(source: Path) -> None:
    stack = f"{source}#/images/stack"
    assert run_inside("checksum", stack).stdout.decode().split()[0] == zc.checksum(stack)
    found = run_inside("find", str(source), "--dtype", "uint16").stdout.decode().split()
    assert found == [node.path for node in zc.find(source, dtype="uint16")]
