"""Stand-ins for functions of ``os`` that other systems lack."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zarrcore import system
from zarrcore.system import System, SystemByPath


def code_of(call: Callable[..., Any], *words: Any, **more: Any) -> int | None:
    with pytest.raises(OSError) as raised:  # noqa: PT011 - its number is looked at
        call(*words, **more)
    return raised.value.errno


def test_linux_needs_none() -> None:
    assert system.os is os


def test_missing_calls_fail_as_on_file_systems_that_lack_them(tmp_path: Path) -> None:
    stand_in = System()
    for name in ("posix_fallocate", "copy_file_range", "getxattr", "setxattr"):
        assert code_of(getattr(stand_in, name), 0, 1, 2) == errno.EOPNOTSUPP
    assert stand_in.path is os.path


@pytest.mark.parametrize("kind", [System, SystemByPath])
def test_positions_of_a_file(tmp_path: Path, kind: type[System]) -> None:
    (tmp_path / "x").write_bytes(b"0123456789")
    stand_in = kind()
    file = stand_in.open(str(tmp_path / "x"), os.O_RDWR)
    assert stand_in.pwrite(file, b"ab", 4) == 2
    assert stand_in.pread(file, 3, 3) == b"3ab"
    buffer = bytearray(20)
    assert stand_in.preadv(file, [memoryview(buffer)], 8) == 2
    assert bytes(buffer[:2]) == b"89"
    stand_in.fdatasync(file)
    stand_in.close(file)
    assert code_of(os.fstat, file) == errno.EBADF


@pytest.fixture
def by_path() -> SystemByPath:
    return SystemByPath()


@pytest.fixture
def directory(tmp_path: Path, by_path: SystemByPath) -> int:
    (tmp_path / "x").write_bytes(b"x")
    (tmp_path / "inner").mkdir()
    return by_path.open(str(tmp_path), by_path.O_DIRECTORY)


def test_names_in_an_open_directory(tmp_path: Path, by_path: SystemByPath, directory: int) -> None:
    by_path.mkdir("new", dir_fd=directory)
    by_path.rename("x", "new/y", src_dir_fd=directory, dst_dir_fd=directory)
    by_path.link("new/y", "z", src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    assert sorted(by_path.listdir(directory)) == ["inner", "new", "z"]
    with by_path.scandir(directory) as found:
        assert {item.name for item in found} == {"inner", "new", "z"}
    assert by_path.lstat("z", dir_fd=directory).st_size == 1
    assert by_path.access("z", os.F_OK, dir_fd=directory, follow_symlinks=False)
    by_path.unlink("z", dir_fd=directory)
    by_path.rmdir("inner", dir_fd=directory)
    assert by_path.listdir(str(tmp_path)) == ["new"]
    inner = by_path.open("new", by_path.O_DIRECTORY, dir_fd=directory)
    assert os.path.samestat(by_path.fstat(inner), os.stat(tmp_path / "new"))


def test_the_number_of_a_directory_is_no_descriptor(by_path: SystemByPath, directory: int) -> None:
    other = by_path.dup(directory)
    by_path.fsync(directory)
    by_path.close(directory)
    assert by_path.listdir(other)
    by_path.close(other)
    assert code_of(by_path.close, other) == errno.EBADF


def test_kinds_of_names_fail_as_on_posix(tmp_path: Path, by_path: SystemByPath, directory: int) -> None:
    os.symlink("x", tmp_path / "linked")
    assert code_of(by_path.open, "x", by_path.O_DIRECTORY, dir_fd=directory) == errno.ENOTDIR
    assert code_of(by_path.open, "inner", os.O_RDONLY, dir_fd=directory) == errno.ENXIO
    assert code_of(by_path.open, "absent", by_path.O_PATH, dir_fd=directory) == errno.ENOENT
    assert code_of(by_path.open, "linked", by_path.O_NOFOLLOW, dir_fd=directory) == errno.ELOOP
    assert code_of(by_path.utime, 3) == errno.EOPNOTSUPP


def test_holes_are_not_known(tmp_path: Path, by_path: SystemByPath) -> None:
    (tmp_path / "x").write_bytes(b"x")
    file = by_path.open(str(tmp_path / "x"), os.O_RDONLY)
    assert code_of(by_path.lseek, file, 0, by_path.SEEK_DATA) == errno.EOPNOTSUPP
    assert by_path.lseek(file, 1, os.SEEK_SET) == 1
    by_path.close(file)
