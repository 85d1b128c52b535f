"""Reading ranges of open files, and errors of the operating system as errors of stores."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    ChangedError,
    KeyTooLongError,
    StoreError,
    StoreFullError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.stores import ByteRange, LocalStore, descriptors
from zarrcore.stores.local.confined_paths import OutsideError
from zarrcore.stores.local.file_reading import (
    TooLarge,
    dangling_link,
    file_failure,
    read_range,
    read_range_into,
)


def test_a_file_that_shrinks_during_a_read_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LocalStore(tmp_path)
    store.set("a", b"x" * 1000)
    monkeypatch.setattr(os, "pread", lambda *_: b"x" * 10)
    monkeypatch.setattr(os, "preadv", lambda *_: 0)
    with pytest.raises(BrokenBodyError, match=r"a in .*: the file became shorter"):
        store.get("a")


def test_a_file_that_became_shorter_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the writer of a zip file is done: it cuts off the space that it had reserved."""
    store = LocalStore(tmp_path)
    pread = os.pread

    def shortened(descriptor: int, size: int, start: int) -> bytes:
        if os.fstat(descriptor).st_size != 7:
            os.truncate(tmp_path / "a", 7)
        return pread(descriptor, size, start)

    monkeypatch.setattr(os, "pread", shortened)
    store.set("a", b"0123456" + bytes(993))
    assert store.get("a") == b"0123456"
    store.set("a", b"0123456" + bytes(993))
    assert store.get("a", ByteRange(5, 900)) == b"56"
    store.set("a", b"0123456" + bytes(993))
    assert store.get_with_stat("a") == (b"0123456", store.stat("a"))


def test_a_value_that_does_not_fit_in_memory_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bytearray_(size: int) -> bytearray:
        raise MemoryError(size)

    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(2**40)
    monkeypatch.setattr(descriptors, "bytearray", bytearray_, raising=False)
    store = LocalStore(tmp_path)
    for byte_range in (None, ByteRange(1), ByteRange(0, 2**39)):
        with pytest.raises(
            StoreError, match=r"^sparse in .*: there is not enough memory for \d+ bytes at once$"
        ):
            store.get("sparse", byte_range)
    assert store.get("sparse", ByteRange(-3)) == b"\0\0\0"


@pytest.fixture
def descriptor(tmp_path: Path) -> Iterator[int]:
    """A file of ten bytes."""
    (tmp_path / "file").write_bytes(b"0123456789")
    opened = os.open(tmp_path / "file", os.O_RDONLY)
    yield opened
    os.close(opened)


PARTS = {
    None: b"0123456789",
    ByteRange(3): b"3456789",
    ByteRange(2, 5): b"234",
    ByteRange(-4): b"6789",
    ByteRange(-40): b"0123456789",
    ByteRange(8, 50): b"89",
    ByteRange(50): b"",
}


@pytest.mark.parametrize(("byte_range", "expected"), PARTS.items())
def test_ranges_are_read_as_new_bytes_and_into_a_buffer(
    descriptor: int, byte_range: ByteRange | None, expected: bytes
) -> None:
    assert read_range(descriptor, byte_range, len(expected)) == expected
    for spare in (b"", b"--"):
        buffer = bytearray(len(expected)) + spare
        assert read_range_into(descriptor, byte_range, memoryview(buffer)) == len(expected)
        assert buffer == expected + spare


def test_a_range_over_the_limit_is_refused_before_it_is_read(descriptor: int) -> None:
    with pytest.raises(TooLarge) as caught:
        read_range(descriptor, ByteRange(1), 8)
    assert (caught.value.size, caught.value.limit) == (9, 8)
    buffer = bytearray(b"-" * 8)
    with pytest.raises(TooLarge) as caught:
        read_range_into(descriptor, None, memoryview(buffer))
    assert (caught.value.size, caught.value.limit) == (10, 8)
    assert buffer == b"-" * 8


def test_a_file_with_another_inode_number_was_replaced(descriptor: int) -> None:
    inode = os.fstat(descriptor).st_ino
    assert read_range(descriptor, ByteRange(0, 1), inode=inode) == b"0"
    with pytest.raises(ChangedError, match="it was replaced while it was read"):
        read_range(descriptor, None, inode=inode + 1)


def test_a_directory_has_no_bytes(tmp_path: Path) -> None:
    opened = os.open(tmp_path, os.O_RDONLY)
    try:
        assert read_range(opened, None) is None
        assert read_range_into(opened, None, memoryview(bytearray(4))) is None
    finally:
        os.close(opened)


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        (errno.EACCES, AccessDeniedError, "Permission denied"),
        (errno.EROFS, AccessDeniedError, "the file system is read-only"),
        (errno.ENOSPC, StoreFullError, "the disk is full"),
        (errno.ENAMETOOLONG, KeyTooLongError, "File name too long"),
        (errno.ESTALE, UnreachableError, "Stale file handle"),
        (errno.ETIMEDOUT, StoreTimeoutError, "Connection timed out"),
        (errno.EISDIR, StoreError, "there is a directory of this name, which contains other keys"),
        (errno.EIO, StoreError, "Input/output error"),
    ],
)
def test_an_error_of_the_operating_system_names_the_key_and_the_store(
    code: int, kind: type[StoreError], reason: str
) -> None:
    failure = file_failure(OSError(code, "its own words"), "größe/0", "/data")
    assert type(failure) is kind
    assert str(failure) == f"größe/0 in /data: {reason}"
    assert (failure.key, failure.url) == ("größe/0", "/data")
    assert str(file_failure(OSError(code, ""), None, "/data")) == f"/data: {reason}"


def test_an_error_of_stores_stays_as_it_is() -> None:
    error = UnreachableError("gone")
    assert file_failure(error, "a", "/data") is error


def test_a_link_out_of_the_store_is_denied_and_names_the_option() -> None:
    failure = file_failure(OutsideError(errno.EXDEV, "out", "a"), "a", "/data")
    assert type(failure) is AccessDeniedError
    assert "--follow-links" in str(failure)


def test_the_dangling_link_of_a_path_is_found(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "link").symlink_to("nowhere")
    (tmp_path / "good").symlink_to("a")
    opened = os.open(tmp_path, os.O_RDONLY)
    try:
        for path in ("a/link", "a/link/c/0"):
            assert dangling_link(opened, path) == "a/link"
        assert dangling_link(opened, "good/link/c") == "good/link"
        for path in ("a/absent", "good/absent", "absent/b/c", "good"):
            assert dangling_link(opened, path) is None
    finally:
        os.close(opened)


@pytest.mark.parametrize("is_link", [False, True])
def test_a_name_that_appears_meanwhile_is_no_dangling_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_link: bool
) -> None:
    (tmp_path / "target").mkdir()
    if is_link:
        (tmp_path / "name").symlink_to("target")
    else:
        (tmp_path / "name").mkdir()
    answers = [False]
    access = os.access

    def late(*arguments: Any, **options: Any) -> bool:
        return answers.pop() if answers else access(*arguments, **options)

    monkeypatch.setattr(os, "access", late)
    directory = os.open(tmp_path, os.O_RDONLY)
    try:
        assert dangling_link(directory, "name") is None
        assert not answers
    finally:
        os.close(directory)
