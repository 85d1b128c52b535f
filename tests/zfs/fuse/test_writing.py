"""The kernel's requests for changes, without a kernel."""

from __future__ import annotations

import errno
import os
import stat
from types import SimpleNamespace
from typing import Any

import pyfuse3
import pytest

from tests.zfs.fuse.serving import NO_CONTEXT, number_of, refused, serve
from zarrcore.errors import StoreFullError
from zarrcore.stores import MemoryStore
from zarrcore.stores.interface import BytesLike
from zarrfs.fuse.inodes.inode_table import ROOT
from zarrfs.fuse.writing import WritingOperations

NEW = os.O_CREAT | os.O_WRONLY


def attributes(size: int) -> pyfuse3.EntryAttributes:
    made = pyfuse3.EntryAttributes()
    made.st_size = size
    return made


def fields(*, update_size: bool) -> Any:
    """The kernel's request, whose fields only pyfuse3 can set."""
    return SimpleNamespace(update_size=update_size)


def test_a_new_file_is_open_for_writing_and_stored_when_it_is_closed() -> None:
    store = MemoryStore()

    async def test(operations: WritingOperations) -> None:
        handle, made = await operations.create(ROOT, "ä".encode(), 0o600, NEW, NO_CONTEXT)
        assert (stat.S_ISREG(made.st_mode), made.st_mode & 0o777, made.st_size) == (True, 0o644, 0)
        assert await operations.write(handle.fh, 2, b"345") == 3
        assert operations.unstored() == ["ä"]
        assert store.get("ä") is None
        await operations.flush(handle.fh)
        assert (operations.unstored(), store.get("ä")) == ([], b"\0\x00345")
        known = store.stat("ä")
        await operations.fsync(handle.fh, False)
        assert store.stat("ä") == known
        await operations.release(handle.fh)
        assert await number_of(operations, "ä") == made.st_ino

    serve(store, test, writable=True)


def test_creating_an_existing_name_opens_it_unless_it_must_be_new() -> None:
    store = MemoryStore(values={"a": b"value", "d/b": b"1"})

    async def test(operations: WritingOperations) -> None:
        exclusive = operations.create(ROOT, b"a", 0o600, NEW | os.O_EXCL, NO_CONTEXT)
        assert await refused(exclusive) == errno.EEXIST
        assert await refused(operations.create(ROOT, b"d", 0o600, NEW, NO_CONTEXT)) == errno.EISDIR
        handle, _ = await operations.create(ROOT, b"a", 0o600, os.O_CREAT, NO_CONTEXT)
        assert bytes(await operations.read(handle.fh, 0, 9)) == b"value"
        await operations.release(handle.fh)
        handle, made = await operations.create(ROOT, b"a", 0o600, NEW | os.O_TRUNC, NO_CONTEXT)
        assert made.st_size == 0
        await operations.flush(handle.fh)
        await operations.release(handle.fh)
        assert store.get("a") == b""

    serve(store, test, writable=True)


def test_links_and_pipes_that_a_store_cannot_hold_are_refused() -> None:
    async def test(operations: WritingOperations) -> None:
        folder = await number_of(operations, "d")
        requests = {
            "a pipe": operations.mknod(ROOT, b"p", stat.S_IFIFO | 0o600, 0, NO_CONTEXT),
            "a symbolic link": operations.symlink(ROOT, b"s", b"a", NO_CONTEXT),
            "a link to a directory": operations.link(folder, ROOT, b"l", NO_CONTEXT),
        }
        for what, request in requests.items():
            assert await refused(request) == errno.EPERM, what
        exchange = operations.rename(ROOT, b"a", ROOT, b"b", pyfuse3.RENAME_EXCHANGE, NO_CONTEXT)
        assert await refused(exchange) == errno.EINVAL

    serve(MemoryStore(values={"a": b"1", "d/b": b"1"}), test, writable=True)


def test_renaming_replaces_unless_the_new_name_must_be_free() -> None:
    store = MemoryStore(values={"a": b"1", "b": b"2"})

    async def test(operations: WritingOperations) -> None:
        number = await number_of(operations, "a")
        keeping = operations.rename(ROOT, b"a", ROOT, b"b", pyfuse3.RENAME_NOREPLACE, NO_CONTEXT)
        assert await refused(keeping) == errno.EEXIST
        await operations.rename(ROOT, b"a", ROOT, b"b", 0, NO_CONTEXT)
        assert (store.get("a"), store.get("b")) == (None, b"1")
        assert await number_of(operations, "b") == number

    serve(store, test, writable=True)


def test_names_are_made_and_removed() -> None:
    store = MemoryStore(values={"a": b"1"})

    async def test(operations: WritingOperations) -> None:
        made = await operations.mkdir(ROOT, b"d", 0o700, NO_CONTEXT)
        assert (stat.S_ISDIR(made.st_mode), made.st_mode & 0o777) == (True, 0o755)
        node = await operations.mknod(made.st_ino, b"empty", stat.S_IFREG | 0o600, 0, NO_CONTEXT)
        assert (node.st_size, store.get("d/empty")) == (0, b"")
        assert await refused(operations.mknod(ROOT, b"a", stat.S_IFREG, 0, NO_CONTEXT)) == errno.EEXIST
        assert await refused(operations.rmdir(ROOT, b"d", NO_CONTEXT)) == errno.ENOTEMPTY
        await operations.unlink(made.st_ino, b"empty", NO_CONTEXT)
        await operations.rmdir(ROOT, b"d", NO_CONTEXT)
        linked = await operations.link(await number_of(operations, "a"), ROOT, b"b", NO_CONTEXT)
        assert (linked.st_size, store.get("b")) == (1, b"1")
        assert await refused(operations.lookup(ROOT, b"d", NO_CONTEXT)) == errno.ENOENT

    serve(store, test, writable=True)


def test_a_file_is_resized_by_its_name_or_by_its_handle() -> None:
    store = MemoryStore(values={"a": b"12345", "d/b": b"1"})

    async def test(operations: WritingOperations) -> None:
        number, folder = await number_of(operations, "a"), await number_of(operations, "d")
        resize = fields(update_size=True)
        found = await operations.setattr(number, attributes(3), resize, None, NO_CONTEXT)
        assert (found.st_size, store.get("a")) == (3, b"123")
        handle = await operations.open(number, os.O_RDWR, NO_CONTEXT)
        await operations.setattr(number, attributes(5), resize, handle.fh, NO_CONTEXT)
        assert store.get("a") == b"123"
        await operations.flush(handle.fh)
        assert store.get("a") == b"123\0\0"
        await operations.release(handle.fh)
        on_folder = operations.setattr(folder, attributes(0), resize, None, NO_CONTEXT)
        assert await refused(on_folder) == errno.EISDIR
        kept = await operations.setattr(folder, attributes(0), fields(update_size=False), None, NO_CONTEXT)
        assert stat.S_ISDIR(kept.st_mode)

    serve(store, test, writable=True)


class Full(MemoryStore):
    """A store without room for more values."""

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        raise StoreFullError("the disk is full")


def test_data_that_cannot_be_stored_is_an_error_of_each_attempt() -> None:
    async def test(operations: WritingOperations) -> None:
        handle, _ = await operations.create(ROOT, b"a", 0o600, NEW, NO_CONTEXT)
        await operations.write(handle.fh, 0, b"data")
        for request in (operations.fsync, operations.fsync):
            assert await refused(request(handle.fh, False)) == errno.ENOSPC
        assert await refused(operations.flush(handle.fh)) == errno.ENOSPC
        await operations.release(handle.fh)
        assert (await refused(operations.lookup(ROOT, b"a", NO_CONTEXT)), operations.unstored()) == (
            errno.ENOENT,
            [],
        )

    serve(Full(), test, writable=True)


def test_data_of_a_mapping_that_is_lost_at_its_end_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def test(operations: WritingOperations) -> None:
        handle, _ = await operations.create(ROOT, b"a", 0o600, NEW, NO_CONTEXT)
        await operations.write(handle.fh, 0, b"data")
        await operations.release(handle.fh)
        assert operations.handles.open_files == 0

    serve(Full(), test, writable=True)
    assert [record.message for record in caplog.records] == [
        "the last written data is lost: the disk is full"
    ]


def test_a_store_of_unknown_capacity_has_room() -> None:
    async def test(operations: WritingOperations) -> None:
        facts = await operations.statfs(NO_CONTEXT)
        assert facts.f_bavail * facts.f_frsize == 1 << 50
        assert facts.f_namemax == 1024

    serve(MemoryStore(), test, writable=True)
