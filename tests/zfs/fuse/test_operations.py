"""The kernel's requests, answered from the trees."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pyfuse3
import pytest
import zarr

from tests.zfs.conftest import Mounter
from tests.zfs.fuse.serving import NO_CONTEXT, number_of, refused, serve
from zarrcore.stores import MemoryStore
from zarrfs.fuse.inodes.inode_table import ROOT
from zarrfs.fuse.operations import Operations

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


def test_a_name_that_does_not_exist_is_remembered_as_long_as_other_answers() -> None:
    async def remembering(operations: Operations) -> None:
        absent = await operations.lookup(ROOT, b"none", NO_CONTEXT)
        assert (absent.st_ino, absent.entry_timeout) == (0, pytest.approx(60.0, abs=1.0))
        assert operations.counters.errors == {"ENOENT": 1}

    async def forgetting(operations: Operations) -> None:
        assert await refused(operations.lookup(ROOT, b"none", NO_CONTEXT)) == errno.ENOENT

    serve(MemoryStore(), remembering)
    serve(MemoryStore(), forgetting, ttl_s=0.0)


def test_names_are_bytes_of_limited_length() -> None:
    async def test(operations: Operations) -> None:
        assert (await operations.lookup(ROOT, b"\xff", NO_CONTEXT)).st_ino == 0
        assert (await operations.lookup(ROOT, b"n" * 1024, NO_CONTEXT)).st_ino == 0
        assert await refused(operations.lookup(ROOT, b"n" * 1025, NO_CONTEXT)) == errno.ENAMETOOLONG
        number = await number_of(operations, "ä", "é")
        assert (await operations.getattr(number, NO_CONTEXT)).st_size == 1

    serve(MemoryStore(values={"ä/é": b"1"}), test)


def test_a_file_is_not_a_directory_and_a_directory_not_a_file() -> None:
    async def test(operations: Operations) -> None:
        file, folder = await number_of(operations, "a"), await number_of(operations, "d")
        assert await refused(operations.lookup(file, b"x", NO_CONTEXT)) == errno.ENOTDIR
        assert await refused(operations.opendir(file, NO_CONTEXT)) == errno.ENOTDIR
        assert await refused(operations.open(folder, os.O_RDONLY, NO_CONTEXT)) == errno.EISDIR

    serve(MemoryStore(values={"a": b"1", "d/b": b"1"}), test)


def test_a_read_only_mount_refuses_to_write() -> None:
    async def test(operations: Operations) -> None:
        number = await number_of(operations, "a")
        for flags in (os.O_WRONLY, os.O_RDWR, os.O_RDONLY | os.O_TRUNC):
            assert await refused(operations.open(number, flags, NO_CONTEXT)) == errno.EROFS
        handle = await operations.open(number, os.O_RDONLY, NO_CONTEXT)
        assert await refused(operations.write(handle.fh, 0, b"x")) == errno.EBADF
        change = operations.setattr(
            number, pyfuse3.EntryAttributes(), pyfuse3.SetattrFields(), None, NO_CONTEXT
        )
        assert await refused(change) == errno.EROFS

    serve(MemoryStore(values={"a": b"1"}), test)


def test_reading_counts_bytes_and_closing_releases_the_handle() -> None:
    async def test(operations: Operations) -> None:
        number = await number_of(operations, "a")
        handle = await operations.open(number, os.O_RDONLY, NO_CONTEXT)
        assert bytes(await operations.read(handle.fh, 1, 99)) == b"2345"
        assert bytes(await operations.read(handle.fh, 5, 99)) == b""
        assert (operations.counters.bytes_read, operations.handles.open_files) == (4, 1)
        await operations.release(handle.fh)
        assert operations.handles.open_files == 0
        assert len(operations.inodes) == 2
        await operations.forget([(number, 1)])
        assert len(operations.inodes) == 1

    serve(MemoryStore(values={"a": b"12345"}), test)


def test_a_value_that_changed_while_it_is_open_is_stale_and_opens_again() -> None:
    store = MemoryStore(values={"a": b"12345"})

    async def test(operations: Operations) -> None:
        number = await number_of(operations, "a")
        handle = await operations.open(number, os.O_RDONLY, NO_CONTEXT)
        store.set("a", b"another")
        assert (await operations.getattr(number, NO_CONTEXT)).st_size == 5
        assert await refused(operations.read(handle.fh, 0, 9)) == errno.ESTALE
        await operations.release(handle.fh)
        assert await refused(operations.getattr(number, NO_CONTEXT)) == errno.ESTALE
        again = await number_of(operations, "a")
        assert again != number
        handle = await operations.open(again, os.O_RDONLY, NO_CONTEXT)
        assert bytes(await operations.read(handle.fh, 0, 9)) == b"another"

    serve(store, test)


def test_two_versions_are_not_open_under_one_number() -> None:
    store = MemoryStore(values={"a": b"12345"})

    async def test(operations: Operations) -> None:
        number = await number_of(operations, "a")
        handle = await operations.open(number, os.O_RDONLY, NO_CONTEXT)
        store.set("a", b"67890")
        assert await refused(operations.open(number, os.O_RDONLY, NO_CONTEXT)) == errno.ESTALE
        await operations.release(handle.fh)
        handle = await operations.open(number, os.O_RDONLY, NO_CONTEXT)
        assert bytes(await operations.read(handle.fh, 0, 9)) == b"67890"

    serve(store, test)


def test_a_number_whose_name_leads_to_nothing_or_to_a_directory_is_stale() -> None:
    store = MemoryStore(values={"gone": b"1", "replaced": b"1"})

    async def test(operations: Operations) -> None:
        gone, replaced = [await number_of(operations, name) for name in ("gone", "replaced")]
        store.erase("gone")
        store.erase("replaced")
        store.set("replaced/a", b"1")
        for number in (gone, replaced):
            assert await refused(operations.getattr(number, NO_CONTEXT)) == errno.ESTALE

    serve(store, test, ttl_s=0.0)
