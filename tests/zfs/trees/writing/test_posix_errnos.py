"""``--read-write``: the errors of system calls in ``keys/``, from a table written from POSIX.1-2024 and the manual of Linux.

Each row is also tried in a plain directory, which keeps the table right. Rows with another errno there are design: they name the
paragraph of SEMANTICS.md.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.zfs.conftest import Mount, Mounter

LONG = "x" * 300
WRITE = os.O_WRONLY
NEW = os.O_CREAT | os.O_WRONLY

OPENED: list[int] = []


def opened(path: str | Path, flags: int) -> int:
    """Open a file, until the call is over."""
    OPENED.append(os.open(path, flags))
    return OPENED[-1]


TABLE: list[tuple[str, Callable[[Path], object], int, int | None]] = [
    # what, the call, the errno in a mount, the errno elsewhere if it is another one (0: success)
    ("open a name that does not exist", lambda d: opened(d / "absent", os.O_RDONLY), errno.ENOENT, None),
    ("open the empty name", lambda d: opened("", os.O_RDONLY), errno.ENOENT, None),
    ("open below a name that does not exist", lambda d: opened(d / "absent/a", NEW), errno.ENOENT, None),
    ("open below a file", lambda d: opened(d / "file/a", NEW), errno.ENOTDIR, None),
    ("open a file as a directory", lambda d: opened(d / "file", os.O_DIRECTORY), errno.ENOTDIR, None),
    ("open a file with a slash after it", lambda d: opened(f"{d}/file/", os.O_RDONLY), errno.ENOTDIR, None),
    ("open a directory for writing", lambda d: opened(d / "folder", WRITE), errno.EISDIR, None),
    ("create over a directory", lambda d: opened(d / "folder", NEW), errno.EISDIR, None),
    ("create a name with a slash after it", lambda d: opened(f"{d}/new/", NEW), errno.EISDIR, None),
    ("create exclusively what exists", lambda d: opened(d / "file", NEW | os.O_EXCL), errno.EEXIST, None),
    ("open a long name", lambda d: opened(d / LONG, os.O_RDONLY), errno.ENAMETOOLONG, None),
    ("create a long name", lambda d: opened(d / LONG, NEW), errno.ENAMETOOLONG, None),
    ("open a long path", lambda d: opened("/" + "a/" * 2050, os.O_RDONLY), errno.ENAMETOOLONG, None),
    ("mkdir what exists", lambda d: os.mkdir(d / "folder"), errno.EEXIST, None),
    ("mkdir over a file", lambda d: os.mkdir(d / "file"), errno.EEXIST, None),
    ("mkdir below a file", lambda d: os.mkdir(d / "file/a"), errno.ENOTDIR, None),
    ("mkdir below a name that does not exist", lambda d: os.mkdir(d / "absent/a"), errno.ENOENT, None),
    ("mkdir a long name", lambda d: os.mkdir(d / LONG), errno.ENAMETOOLONG, None),
    ("rmdir a name that does not exist", lambda d: os.rmdir(d / "absent"), errno.ENOENT, None),
    ("rmdir a file", lambda d: os.rmdir(d / "file"), errno.ENOTDIR, None),
    ("rmdir a directory with files", lambda d: os.rmdir(d / "folder"), errno.ENOTEMPTY, None),
    ("rmdir a directory by its dot", lambda d: os.rmdir(f"{d}/empty/."), errno.EINVAL, None),
    ("unlink a name that does not exist", lambda d: os.unlink(d / "absent"), errno.ENOENT, None),
    ("unlink a directory", lambda d: os.unlink(d / "empty"), errno.EISDIR, None),
    ("unlink below a file", lambda d: os.unlink(d / "file/a"), errno.ENOTDIR, None),
    ("rename a name that does not exist", lambda d: os.rename(d / "absent", d / "a"), errno.ENOENT, None),
    ("rename into no directory", lambda d: os.rename(d / "file", d / "absent/a"), errno.ENOENT, None),
    ("rename below a file", lambda d: os.rename(d / "empty", d / "file/a"), errno.ENOTDIR, None),
    ("rename a file over a directory", lambda d: os.rename(d / "file", d / "empty"), errno.EISDIR, None),
    ("rename a directory over a file", lambda d: os.rename(d / "empty", d / "file"), errno.ENOTDIR, None),
    ("rename a directory into itself", lambda d: os.rename(d / "empty", d / "empty/a"), errno.EINVAL, None),
    ("rename over a filled directory", lambda d: os.rename(d / "empty", d / "folder"), errno.ENOTEMPTY, None),
    ("rename to a long name", lambda d: os.rename(d / "file", d / LONG), errno.ENAMETOOLONG, None),
    ("rename to another file system", lambda d: os.rename(d / "file", "/dev/shm/a"), errno.EXDEV, None),
    ("rename a directory with keys", lambda d: os.rename(d / "folder", d / "a"), errno.EXDEV, 0),  # S32
    ("link a name that does not exist", lambda d: os.link(d / "absent", d / "a"), errno.ENOENT, None),
    ("link to a name that exists", lambda d: os.link(d / "file", d / "folder"), errno.EEXIST, None),
    ("link a directory", lambda d: os.link(d / "empty", d / "a"), errno.EPERM, None),
    ("truncate a directory", lambda d: os.truncate(d / "empty", 0), errno.EISDIR, None),
    ("truncate to a negative size", lambda d: os.truncate(d / "file", -1), errno.EINVAL, None),
    ("truncate a name that does not exist", lambda d: os.truncate(d / "absent", 0), errno.ENOENT, None),
    ("list a file", lambda d: os.listdir(d / "file"), errno.ENOTDIR, None),
    ("list a name that does not exist", lambda d: os.listdir(d / "absent"), errno.ENOENT, None),
    ("read a symbolic link that is a file", lambda d: os.readlink(d / "file"), errno.EINVAL, None),
    ("make a symbolic link", lambda d: os.symlink("file", d / "a"), errno.EPERM, 0),  # S32
    ("make a pipe", lambda d: os.mkfifo(d / "a"), errno.EPERM, 0),  # S32
    ("read a directory", lambda d: os.read(opened(d / "folder", os.O_RDONLY), 1), errno.EISDIR, None),
    ("read what is open for writing", lambda d: os.read(opened(d / "file", WRITE), 1), errno.EBADF, None),
    ("write what is open for reading", lambda d: os.write(opened(d / "file", os.O_RDONLY), b"1"), errno.EBADF, None),
    ("seek before the beginning", lambda d: os.lseek(opened(d / "file", WRITE), -1, 0), errno.EINVAL, None),
    ("read at a negative place", lambda d: os.pread(opened(d / "file", os.O_RDONLY), 1, -1), errno.EINVAL, None),
    ("read an attribute that it lacks", lambda d: os.getxattr(d / "file", "user.a"), errno.EOPNOTSUPP, errno.ENODATA),
]  # fmt: skip


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, mounter: Mounter) -> tuple[Mount, Path, Path]:
    """A writable mount, its store, and a plain directory."""
    place = tmp_path_factory.mktemp("posix")
    (place / "store").mkdir()
    (place / "plain").mkdir()
    return mounter(place / "store", "--read-write"), place / "store", place / "plain"


def fill(folder: Path) -> None:
    (folder / "folder").mkdir()
    (folder / "empty").mkdir()
    (folder / "file").write_bytes(b"content")
    (folder / "folder" / "inside").write_bytes(b"content")


def errno_of(call: Callable[[Path], object], folder: Path) -> int:
    """The errno of a call, 0 for success."""
    try:
        call(folder)
    except OSError as error:
        return error.errno or 0
    finally:
        while OPENED:
            os.close(OPENED.pop())
    return 0


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_system_calls_fail_as_posix_says(
    row: tuple[str, Callable[[Path], object], int, int | None],
    folders: tuple[Mount, Path, Path],
) -> None:
    _, call, expected, elsewhere = row
    mounted, store, plain = folders
    number = str(TABLE.index(row))
    for place in (mounted.keys, plain):
        (place / number).mkdir()
        fill(place / number)
    before = sorted(path.name for path in (store / number).rglob("*"))
    assert errno_of(call, mounted.keys / number) == expected
    assert errno_of(call, plain / number) == (expected if elsewhere is None else elsewhere)
    assert sorted(path.name for path in (store / number).rglob("*")) == before, (
        "a refused call changes nothing"
    )
