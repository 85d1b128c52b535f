"""``--read-write`` on stores that fail: close and fsync report it, and the old value stays."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zarr

from tests.servers import FaultServer, S3Server, fault_server
from tests.zfs.conftest import Mount, Mounter


@pytest.fixture(scope="module")
def faulty(mounter: Mounter) -> Iterator[tuple[FaultServer, Mount]]:
    """A server that accepts writes, or refuses them, and its mount."""
    with fault_server() as server:
        server.values["bucket"] = b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"
        options = ("--endpoint-url", server.url, "--region", "us-east-1", "--retries", "0", "--timeout", "2")
        yield server, mounter("s3://bucket/place", "--read-write", *options)


def error_of(action: Callable[..., object], *arguments: object) -> int | None:
    with pytest.raises(OSError) as caught:  # noqa: PT011 - its errno is what the caller looks at
        action(*arguments)
    return caught.value.errno


@pytest.mark.parametrize(
    ("fault", "expected"),
    [(403, errno.EACCES), (500, errno.EIO), ("reset", errno.EIO), ("hang", errno.ETIMEDOUT)],
)
def test_close_and_fsync_report_failures(
    faulty: tuple[FaultServer, Mount], fault: int | str, expected: int
) -> None:
    server, mounted = faulty
    descriptor = os.open(mounted.keys / f"new {fault}", os.O_CREAT | os.O_RDWR)
    os.write(descriptor, b"content")
    again = os.dup(descriptor)
    server.faults[f"bucket/place/new {fault}"] = fault
    assert error_of(os.fsync, descriptor) == expected
    assert error_of(os.close, again) == expected
    assert os.pread(descriptor, 9, 0) == b"content"
    del server.faults[f"bucket/place/new {fault}"]
    os.fsync(descriptor)
    os.close(descriptor)
    assert [path for method, path, _ in server.requests if method == "PUT"][-1].endswith(f"new%20{fault}")


def test_a_name_that_could_not_be_stored_is_gone(faulty: tuple[FaultServer, Mount]) -> None:
    server, mounted = faulty
    descriptor = os.open(mounted.keys / "gone", os.O_CREAT | os.O_WRONLY)
    server.faults["bucket/place/gone"] = 403
    assert error_of(os.close, descriptor) == errno.EACCES
    del server.faults["bucket/place/gone"]
    assert not (mounted.keys / "gone").exists()


def test_the_old_value_stays_if_the_new_one_cannot_be_stored(s3: S3Server, mounter: Mounter) -> None:
    s3.put("bucket/refused-values/a.txt", b"old value")
    mounted = mounter("s3://bucket/refused-values", "--read-write", "--retries", "0", *s3.arguments)
    descriptor = os.open(mounted.keys / "a.txt", os.O_WRONLY | os.O_TRUNC)
    os.write(descriptor, b"new")
    with s3.denying():
        assert error_of(os.fsync, descriptor) == errno.EACCES
        assert error_of(os.close, descriptor) == errno.EACCES
        assert error_of(os.unlink, mounted.keys / "a.txt") == errno.EACCES
        assert error_of(os.rename, mounted.keys / "a.txt", mounted.keys / "b.txt") == errno.EACCES
    assert (mounted.keys / "a.txt").read_bytes() == b"old value"
    assert os.listdir(mounted.keys) == ["a.txt"]
    assert "AccessDenied" in mounted.log.read_text() or "403" in mounted.log.read_text()


def test_writing_does_not_repeat_messages_of_the_log(tmp_path: Path, mount: Mounter) -> None:
    """S16: "the log names key and reason, at intervals"."""
    array = zarr.create_array(tmp_path / "a.zarr", shape=(4,), chunks=(4,), dtype="u4")
    array[:] = 1
    os.truncate(tmp_path / "a.zarr" / "c" / "0", 7)
    mounted = mount(tmp_path / "a.zarr", "--read-write")
    for number in range(5):
        (mounted.keys / f"other{number}").write_bytes(b"x")
        with pytest.raises(OSError, match="Input/output error"):
            (mounted.arrays / "data.raw").read_bytes()
    assert mounted.log.read_text().count("c/0") == 1
