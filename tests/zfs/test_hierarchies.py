"""Hierarchies written by zarr-python, through a real mount: every key byte for byte, every array bit for bit."""

from __future__ import annotations

import filecmp
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

from tests.core.formats.drafts.draft_writer import DRAFTS, Array, write
from tests.zfs.conftest import Mount, Mounter
from zarrfs.trees.names import file_name


def same_bits(found: np.ndarray, expected: np.ndarray) -> bool:
    """Equal including NaN payloads and signs of zero."""
    return (
        found.shape == expected.shape
        and np.ascontiguousarray(found).tobytes() == np.ascontiguousarray(expected).tobytes()
    )


def little(array: np.ndarray) -> np.ndarray:
    return np.array(array, dtype=array.dtype.newbyteorder("<"), order="C")


def shown(path: str) -> str:
    """A path of keys or nodes as file names of the mount."""
    return "/".join(file_name(segment) for segment in path.split("/") if segment)


def decodable(written: Any, mount: Mount) -> list[tuple[Path, np.ndarray]]:
    """The directory and the expected content of each array."""
    return [(mount.arrays / shown(path), little(array)) for path, array in written.expected.items()]


def test_every_key_reads_byte_for_byte(mounted_hierarchy: tuple[Any, Mount]) -> None:
    written, mount = mounted_hierarchy
    files = 0
    for folder, _, names in os.walk(written.path):
        there_folder = mount.keys / shown(os.path.relpath(folder, written.path).removeprefix("."))
        assert sorted(os.listdir(there_folder)) == sorted(file_name(name) for name in os.listdir(folder))
        files += len(names)
        for name in names:
            assert filecmp.cmp(os.path.join(folder, name), there_folder / file_name(name), shallow=False)
            here, there = os.stat(os.path.join(folder, name)), os.stat(there_folder / file_name(name))
            assert there.st_size == here.st_size
            assert abs(there.st_mtime - here.st_mtime) < 1e-3
            assert there.st_blocks == -(-here.st_size // 512)
    assert files > 100


def test_every_array_reads_as_a_whole(mounted_hierarchy: tuple[Any, Mount]) -> None:
    written, mount = mounted_hierarchy
    for folder, expected in decodable(written, mount):
        raw = (folder / "data.raw").read_bytes()
        assert raw == expected.tobytes(), folder
        assert (folder / "data.raw").stat().st_size == len(raw)
        found = np.load(folder / "data.npy")
        assert found.dtype == expected.dtype
        assert same_bits(found, expected), folder
        assert json.loads((folder / "metadata.json").read_bytes())["node_type"] == "array"
        assert isinstance(json.loads((folder / "attributes.json").read_bytes()), dict)


def test_groups_of_zarr_v2_without_documents_are_directories(tmp_path: Path, mounter: Mounter) -> None:
    values = np.arange(6, dtype="i4").reshape(2, 3)
    zarr.create_group(tmp_path, zarr_format=2)
    zarr.create_array(tmp_path / "A/1/0", data=values, chunks=(1, 3), zarr_format=2)
    mount = mounter(tmp_path)
    assert sorted(os.listdir(mount.arrays / "A")) == ["1", "attributes.json", "metadata.json"]
    assert same_bits(np.load(mount.arrays / "A/1/0/data.npy"), values)
    members = zarr.open_group(mount.path / "zarr3", mode="r", zarr_format=3).members(max_depth=None)
    assert sorted(path for path, _ in members) == ["A", "A/1", "A/1/0"]


@pytest.mark.parametrize("day", ["2019-06-19", "2020-10-16", "2022-12-02", "2023-02-09"])
def test_drafts_of_zarr_v3_are_shown(tmp_path: Path, mounter: Mounter, day: str) -> None:
    values = np.arange(30, dtype="i4").reshape(5, 6)
    for key, value in write(day, {"/group/array": Array(values, (2, 4), endian=">"), "/": {"n": 1}}).items():
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_bytes(value)
    mount = mounter(tmp_path)
    assert sorted(os.listdir(mount.arrays / "group")) == ["array", "attributes.json", "metadata.json"]
    assert same_bits(np.load(mount.arrays / "group" / "array" / "data.npy"), values)
    assert json.loads((mount.arrays / "attributes.json").read_bytes()) == {"n": 1}
    assert mount.stats()["format"] == DRAFTS[day].name
    assert "zarr-specs" in mount.stats()["specification"]


def test_npy_files_are_lazy_arrays(mounted_hierarchy: tuple[Any, Mount]) -> None:
    written, mount = mounted_hierarchy
    for folder, expected in decodable(written, mount):
        if expected.size and expected.ndim:
            found = np.load(folder / "data.npy", mmap_mode="r")
            assert isinstance(found, np.memmap)
            assert same_bits(found[-1], expected[-1])
            assert same_bits(found[..., ::2], expected[..., ::2])


def test_slices(mounted_hierarchy: tuple[Any, Mount]) -> None:
    written, mount = mounted_hierarchy
    sliced = 0
    for folder, expected in decodable(written, mount):
        slices = folder / "slices"
        if "slices" not in os.listdir(folder):
            assert expected.ndim <= 2 or (expected.ndim == 3 and expected.shape[-1] in (3, 4))
            continue
        planes = [
            Path(root, name) for root, _, names in os.walk(slices) for name in names if name.endswith(".npy")
        ]
        for plane in planes[:40]:
            index = tuple(int(part) for part in plane.relative_to(slices).with_suffix("").parts)
            assert same_bits(np.load(plane), expected[index])
            assert plane.with_suffix(".raw").read_bytes() == expected[index].tobytes()
            sliced += 1
    assert sliced > 20


SELECTIONS = ("0", "-1", "0:1", ":", "...", "::2", "1:", "_", "0-1", "...,0", "::-1")


@pytest.mark.sampled
@pytest.mark.parametrize("text", SELECTIONS)
def test_selections_open_by_name(mounted_hierarchy: tuple[Any, Mount], text: str) -> None:
    written, mount = mounted_hierarchy
    spelled = text.replace("_", ":").replace("0-1", "0:1")
    for folder, expected in decodable(written, mount):
        if expected.ndim and expected.shape[0] > 1 and expected.shape[-1] > 0:
            selected = np.asarray(eval(f"expected[{spelled}]", {"expected": expected}))
            selected = selected if selected.dtype == expected.dtype else selected.astype(expected.dtype)
            for name in (f"[{text}]", text):
                assert same_bits(np.load(folder / f"{name}.npy"), selected), (folder, name)
                assert (folder / f"{name}.raw").read_bytes() == selected.tobytes()
            assert f"[{text}].npy" not in os.listdir(folder)


def test_names_that_select_nothing_are_absent(mounted_hierarchy: tuple[Any, Mount]) -> None:
    written, mount = mounted_hierarchy
    for folder, expected in decodable(written, mount)[:10]:
        for name in (
            f"{10**6}.npy",
            "x.npy",
            "0.xyz",
            "[0",
            ",".join("0" * (expected.ndim + 1)) + ".npy",
            ".npy",
        ):
            assert not (folder / name).exists(), name


def test_pictures_open_by_name(mounter: Mounter, tmp_path: Path) -> None:
    import zarr

    pixels = np.arange(5 * 20 * 30, dtype="u1").reshape(5, 20, 30)
    zarr.save_array(tmp_path / "a.zarr", pixels)
    folder = mounter(tmp_path / "a.zarr").arrays
    assert sorted(os.listdir(folder)) == [
        "attributes.json",
        "data.npy",
        "data.raw",
        "metadata.json",
        "slices",
    ]
    assert not (folder / "data.png").exists()
    for name in ("slices/3.png", "[3].png"):
        content = (folder / name).read_bytes()
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        assert content.endswith(b"IEND\xaeB`\x82")
        assert (folder / name).stat().st_size == len(content)


def test_other_programs_read_images(mounted_hierarchy: tuple[Any, Mount]) -> None:
    import nrrd
    import tifffile

    written, mount = mounted_hierarchy
    read = 0
    for folder, expected in decodable(written, mount):
        elements = expected.view("u1") if expected.dtype == bool else expected
        if (folder / "data.tiff").exists():
            assert same_bits(tifffile.imread(folder / "data.tiff"), elements), folder
            read += 1
        if (folder / "data.nrrd").exists():
            assert same_bits(nrrd.read(str(folder / "data.nrrd"), index_order="C")[0], elements), folder
            read += 1
        assert not {"data.tiff", "data.nrrd"}.intersection(os.listdir(folder))
    assert read > 100


def test_listings_have_the_chosen_file_types(mounter: Mounter, tmp_path: Path) -> None:
    import zarr

    zarr.save_array(tmp_path / "a.zarr", np.zeros((2, 3, 5), "u1"))
    folder = mounter(tmp_path / "a.zarr", "-o", r"show=tiff\,png").arrays
    assert sorted(os.listdir(folder)) == ["attributes.json", "data.tiff", "metadata.json", "slices"]
    assert sorted(os.listdir(folder / "slices")) == ["0.png", "0.tiff", "1.png", "1.tiff"]
    assert (folder / "data.raw").read_bytes() == bytes(30)


def test_elements_of_variable_length_are_readable(mounter: Mounter, tmp_path: Path) -> None:
    import zarr

    group = zarr.open_group(tmp_path / "a.zarr", mode="w")
    words = np.array([["ä", "b\nc"], ["", "d" * 10_000]])
    group.create_array("words", shape=words.shape, chunks=(1, 2), dtype=str)[...] = words
    group.create_array("many", shape=(9 << 20,), chunks=(1 << 20,), dtype=str)
    folder = mounter(tmp_path / "a.zarr").arrays
    assert sorted(os.listdir(folder / "words")) == ["attributes.json", "metadata.json"]
    for name, expected in (("data.json", words), ("[1].json", words[1]), ("_,0.json", words[:, 0])):
        file = folder / "words" / name
        assert file.stat().st_size == len(file.read_bytes())
        assert json.loads(file.read_text()) == expected.tolist()
    with pytest.raises(OSError, match="not supported"):
        (folder / "many" / "data.json").stat()
    assert json.loads((folder / "many" / "[0:3].json").read_text()) == [""] * 3


def test_the_whole_mount_can_be_archived(mounted_hierarchy: tuple[Any, Mount], tmp_path: Path) -> None:
    _, mount = mounted_hierarchy
    done = subprocess.run(
        ["tar", "-cf", tmp_path / "all.tar", "-C", mount.path, "."], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    subprocess.run(["tar", "-xf", tmp_path / "all.tar", "-C", tmp_path], check=True)
    assert subprocess.run(["diff", "-r", tmp_path / "keys", mount.keys], capture_output=True).returncode == 0


def test_missing_chunks_are_errors_where_that_is_wanted(mount: Mounter, tmp_path: Path) -> None:
    array = zarr.create_array(tmp_path / "m.zarr", shape=(4, 4), chunks=(2, 4), dtype="u1")
    array[:2] = 7
    strict = mount(tmp_path / "m.zarr", "-o", "missing=error").path
    for file in ("arrays/data.raw", "zarr3/c/1/0"):
        with open(strict / file, "rb") as stream, pytest.raises(OSError, match="Input/output error"):
            stream.read()
    assert not (strict / "keys/c/1").exists()
