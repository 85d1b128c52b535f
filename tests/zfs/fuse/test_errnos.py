"""Errors become an errno or one line, and the daemon survives."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest
import zarr
from zarr.codecs import BloscCodec, Crc32cCodec

from tests.zfs.conftest import NO_FUSE, Mount, Mounter
from tests.zfs.forking import run_forked
from zarrcore import errors
from zarrcore.errors import StoreError
from zarrfs.fuse import errnos
from zarrfs.fuse.errnos import errno_of

VALUES = np.arange(64 * 64, dtype="<i4").reshape(64, 64)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (errors.NodeNotFoundError("/a", "u"), errno.ENOENT),
        (errors.AccessDeniedError("no"), errno.EACCES),
        (errors.StoreTimeoutError("late"), errno.ETIMEDOUT),
        (errors.UnreachableError("gone"), errno.EIO),
        (errors.BrokenBodyError("short"), errno.EIO),
        (errors.StoreNotFoundError("no store"), errno.EIO),
        (errors.BrokenReferenceError("no array"), errno.EIO),
        (errors.ListingUnsupportedError("no list"), errno.EOPNOTSUPP),
        (errors.CodecError("bad"), errno.EIO),
        (errors.ChecksumError("bad"), errno.EIO),
        (errors.MetadataError("bad"), errno.EIO),
        (errors.ReadOnlyError("no"), errno.EROFS),
        (errors.ChangedError("changed"), errno.ESTALE),
        (RuntimeError("a bug"), None),
    ],
)
def test_each_error_has_its_errno(error: Exception, expected: int | None) -> None:
    assert errnos.errno_of(error) == expected


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    path = tmp_path / "damaged.zarr"
    group = zarr.open_group(path, mode="w")
    for name, codec in (("cut", BloscCodec()), ("crc", Crc32cCodec())):
        array = group.create_array(name, shape=VALUES.shape, chunks=(16, 64), dtype="i4", compressors=[codec])
        array[...] = VALUES
    group.create_array("fine", data=VALUES)
    chunk = path / "cut" / "c" / "2" / "0"
    chunk.write_bytes(chunk.read_bytes()[:20])
    chunk = path / "crc" / "c" / "1" / "0"
    content = bytearray(chunk.read_bytes())
    content[100] ^= 1
    chunk.write_bytes(content)
    (path / "unknown").mkdir()
    document = (path / "fine" / "zarr.json").read_text().replace('"bytes"', '"no-such-codec"')
    (path / "unknown" / "zarr.json").write_text(document)
    (path / "garbage").mkdir()
    (path / "garbage" / "zarr.json").write_text("{not json")
    return path


def error_of(action: object, *arguments: object) -> int | None:
    with pytest.raises(OSError) as caught:  # noqa: PT011 - its errno is what the caller looks at
        action(*arguments)
    return caught.value.errno


def pread(path: Path, offset: int, nbytes: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.pread(descriptor, nbytes, offset)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize(("name", "row"), [("cut", 32), ("crc", 16)])
def test_a_damaged_chunk_is_an_error_and_the_others_are_right(
    damaged: Path, mount: Mounter, name: str, row: int
) -> None:
    mounted = mount(damaged)
    slices = mounted.arrays / name
    assert error_of((slices / "data.raw").read_bytes) == errno.EIO
    assert error_of((slices / f"[{row}].raw").read_bytes) == errno.EIO
    for good in (0, 15, row + 16):
        assert (slices / f"[{good}].raw").read_bytes() == VALUES[good].tobytes()
    assert (mounted.arrays / "fine" / "data.raw").read_bytes() == VALUES.tobytes()
    assert mounted.stats()["errors"]["EIO"] >= 2
    lines = mounted.log.read_text().splitlines()
    assert all(f"{name}/c/" in line for line in lines)
    assert not any("Traceback" in line for line in lines)


def test_broken_arrays_say_why(damaged: Path, mount: Mounter) -> None:
    arrays = mount(damaged).arrays
    assert sorted(os.listdir(arrays / "unknown")) == ["document.json", "error.txt"]
    assert "no-such-codec" in (arrays / "unknown" / "error.txt").read_text()
    assert (arrays / "garbage" / "document.json").read_text() == "{not json"
    assert (arrays / "garbage" / "error.txt").read_text().count("\n") == 1


def test_dot_dot_and_links_do_not_leave_the_source(damaged: Path, mount: Mounter) -> None:
    (damaged.parent / "secret").write_text("secret")
    mounted = mount(damaged)
    assert not (mounted.keys / "%2E%2E" / "secret").exists()
    assert not (mounted.keys / "%2E%2E").exists()
    assert not (mounted.arrays / "%2E%2E").exists()
    (damaged / "link").symlink_to(damaged.parent / "secret")
    assert "link" not in os.listdir(mounted.keys)
    assert error_of((mounted.keys / "link").read_text) in (errno.ENOENT, errno.EACCES)


def test_writing_is_refused(damaged: Path, mount: Mounter) -> None:
    keys = mount(damaged).keys
    document = keys / "zarr.json"
    actions = {
        "write": lambda: os.open(document, os.O_WRONLY),
        "create": lambda: os.open(keys / "new", os.O_CREAT | os.O_WRONLY),
        "mkdir": lambda: (keys / "new").mkdir(),
        "unlink": document.unlink,
        "rename": lambda: document.rename(keys / "new"),
        "truncate": lambda: os.truncate(document, 0),
        "chmod": lambda: document.chmod(0o600),
        "symlink": lambda: (keys / "new").symlink_to("zarr.json"),
    }
    for name, action in actions.items():
        assert error_of(action) == errno.EROFS, name


def test_a_key_that_changes_under_an_open_handle_is_stale(damaged: Path, mount: Mounter) -> None:
    (damaged / "blob").write_bytes(bytes(8 << 20))
    mounted = mount(damaged)
    with open(mounted.keys / "blob", "rb", buffering=0) as file:
        assert file.read(10) == bytes(10)
        (damaged / "new").write_bytes(b"\1" * (8 << 20))
        os.replace(damaged / "new", damaged / "blob")
        file.seek(6 << 20)
        assert error_of(file.read, 10) == errno.ESTALE
    with open(mounted.keys / "blob", "rb", buffering=0) as file:
        assert file.read(10) == b"\1" * 10


def test_two_versions_of_a_key_open_at_once_do_not_mix(damaged: Path, mount: Mounter) -> None:
    (damaged / "blob").write_bytes(bytes(8 << 20))
    blob = mount(damaged).keys / "blob"
    with open(blob, "rb", buffering=0) as old:
        assert old.read(10) == bytes(10)
        (damaged / "new").write_bytes(b"\1" * (8 << 20))
        os.replace(damaged / "new", damaged / "blob")
        assert blob.read_bytes() == b"\1" * (8 << 20)
        old.seek(6 << 20)
        assert error_of(old.read, 10) == errno.ESTALE
    assert blob.read_bytes() == b"\1" * (8 << 20)


def test_a_key_whose_size_changed_opens_with_its_new_content(damaged: Path, mount: Mounter) -> None:
    (damaged / "blob").write_bytes(b"short")
    mounted = mount(damaged)
    assert (mounted.keys / "blob").read_bytes() == b"short"
    (damaged / "blob").write_bytes(b"much longer than before")
    assert (mounted.keys / "blob").read_bytes() == b"much longer than before"


def one_line(*arguments: object) -> str:
    outcome = run_forked(*map(str, arguments))
    assert outcome.status == 1, outcome
    assert outcome.stderr.startswith("zarrscope: ")
    assert outcome.stderr.count("\n") == 1
    return outcome.stderr


needs_fuse = pytest.mark.skipif(bool(NO_FUSE), reason=NO_FUSE or "-")


@needs_fuse
@pytest.mark.parametrize("options", [(), ("-f",)])
def test_failures_to_mount_give_one_line(damaged: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    there = tmp_path / "mnt"
    there.mkdir()
    assert "no file or directory" in one_line("mount", *options, tmp_path / "nothing.zarr", there)
    assert "no such directory" in one_line("mount", *options, damaged, tmp_path / "nowhere")
    assert "not a directory" in one_line("mount", *options, damaged, damaged / "zarr.json")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "below that path" in one_line("mount", *options, f"{damaged}#/nothere", there)
    assert "no-such-format" in one_line("mount", *options, "--format", "no-such-format", damaged, there)
    assert "no such file" in one_line(
        "mount", *options, "--log-file", tmp_path / "no" / "log", damaged, there
    )
    assert "holds no hierarchy" in one_line("mount", *options, "--view", "arrays", empty, there)
    assert "must not contain each other" in one_line("mount", *options, damaged, damaged / "fine")
    assert "must not contain each other" in one_line("mount", *options, f"file://{empty}", empty)
    assert "must not contain each other" in one_line("mount", *options, empty, tmp_path)
    assert "127.0.0.1:9" in one_line("mount", *options, "--retries", "0", "http://127.0.0.1:9/x.zarr", there)


def test_an_occupied_mount_point_is_refused(damaged: Path, mount: Mounter) -> None:
    mounted = mount(damaged)
    assert "already mounted there" in one_line("mount", damaged, mounted.path)
    assert mounted.stats()["pid"]


@needs_fuse
def test_wrong_options_are_errors_of_the_command_line(damaged: Path, tmp_path: Path) -> None:
    for options in (
        ("-o", "no_such_word"),
        ("--cache-size", "much"),
        ("-o", "metadata-ttl=soon"),
        ("--view", "x"),
        ("-o", "uid=-5"),
        ("-o", "gid=4294967295"),
        ("-o", "umask=abc"),
        ("-o", "umask=8"),
    ):
        outcome = run_forked("mount", *options, damaged, tmp_path)
        assert outcome.status == 2, outcome
        assert options[-1].partition("=")[2] in outcome.stderr or options[-1] in outcome.stderr


def test_unmounting_a_path_that_is_not_a_mount_is_refused(tmp_path: Path) -> None:
    assert "nothing is mounted there" in one_line("umount", tmp_path)
    assert "not of zarrscope" in one_line("umount", "/proc")


def test_missing_hierarchy_is_still_mounted_as_keys(tmp_path: Path, mount: Mounter) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "x").write_text("x")
    mounted: Mount = mount(tmp_path / "plain")
    assert os.listdir(mounted.keys) == ["x"]
    assert os.listdir(mounted.arrays) == ["error.txt"]
    assert "holds no hierarchy" in (mounted.arrays / "error.txt").read_text()


def test_errors_of_missing_memory_are_recognized() -> None:
    told = StoreError("there is no memory for 9 bytes at once")
    told.__cause__ = MemoryError()
    for error in (MemoryError(), told, RuntimeError("can't start new thread")):
        assert errno_of(error) == errno.ENOMEM
    assert errno_of(RuntimeError("something else")) is None
