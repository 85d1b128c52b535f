"""The kernel's requests, answered from the trees."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import zarr

from tests.zfs.conftest import Mounter

VALUES = np.arange(4 * 30 * 40, dtype="<u2").reshape(4, 30, 40)


def test_names_below_an_open_directory_are_looked_up_again(tmp_path: Path, mount: Mounter) -> None:
    zarr.save_group(tmp_path / "b.zarr", x=VALUES)
    mounted = mount(tmp_path / "b.zarr", "--metadata-ttl", "0")
    descriptor = os.open(mounted.arrays / "x", os.O_RDONLY)
    try:
        assert os.stat("data.raw", dir_fd=descriptor).st_size == VALUES.nbytes
        assert _is_there("slices/2.raw", descriptor)
        zarr.save_group(tmp_path / "b.zarr", x=VALUES[:2])
        assert os.stat("data.raw", dir_fd=descriptor).st_size == VALUES[:2].nbytes
        assert _is_there("slices/1.raw", descriptor)
        assert not _is_there("slices/2.raw", descriptor)
    finally:
        os.close(descriptor)


def _is_there(path: str, folder: int) -> bool:
    try:
        os.stat(path, dir_fd=folder)
    except FileNotFoundError:
        return False
    return True


def test_long_names_are_omitted_from_listings(tmp_path: Path, mount: Mounter) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        for name in ("ok", "n" * 1024, "m" * 1025):
            archive.writestr(name, name)
    mounted = mount(tmp_path / "z.zip")
    assert sorted(os.listdir(mounted.keys)) == ["n" * 1024, "ok"]
    assert (mounted.keys / "ok").read_text() == "ok"


def test_ten_thousand_names_list_whole_and_resume(tmp_path: Path, mount: Mounter) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(10_000):
        (folder / f"{number}").touch()
    mounted = mount(folder)
    assert sorted(os.listdir(mounted.keys), key=int) == [str(number) for number in range(10_000)]
    zarr.create_array(tmp_path / "a.zarr", shape=(30_000, 4, 5), chunks=(1, 4, 5), dtype="u1")
    slices = mount(tmp_path / "a.zarr").arrays / "slices"
    assert len(os.listdir(slices)) == 60_000
    assert len({entry.inode() for entry in os.scandir(slices)}) == 60_000
