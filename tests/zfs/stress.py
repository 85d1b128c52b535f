"""Random system calls in a folder of a mount, in the manner of fsstress, with one process and no open file at the end.

Everything follows from one number, the seed, so that a failure can be repeated. For longer runs, by hand::

    python -m tests.zfs.stress FOLDER --seed 3 --operations 600
"""

from __future__ import annotations

import argparse
import mmap
import os
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

LENGTH_MAX: Final = 64 << 10
OFFSET_MAX: Final = 256 << 10
_MAPPED: Final = threading.Lock()
"""Held while a file is mapped or shortened. A write to a mapped file, beyond where another thread has cut it, ends the process
by SIGBUS in any file system."""


class Stress:
    """Random operations in a folder.

    Args:
        folder: an empty folder.
        seed: determines all operations.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.random = random.Random(seed)
        self.number = 0

    def run(self, operations: int) -> None:
        """Do so many operations; those that are not possible fail as in any file system."""
        weighted: list[tuple[Callable[[], None], int]] = [
            (self.create, 4), (self.write, 8), (self.truncate, 4), (self.read, 4), (self.rename, 4), (self.link, 3),
            (self.unlink, 2), (self.mkdir, 2), (self.rmdir, 1), (self.stat, 3), (self.list_names, 1), (self.chmod, 2),
            (self.utime, 2), (self.map, 2), (self.sync, 2), (self.append, 2), (self.replace, 2), (self.touch, 4),
        ]  # fmt: skip
        choices = [operation for operation, weight in weighted for _ in range(weight)]
        for _ in range(operations):
            with suppress(OSError):
                self.random.choice(choices)()

    def names(self) -> list[Path]:
        return sorted(self.folder.rglob("*"))

    def files(self) -> list[Path]:
        return [path for path in self.names() if path.is_file()]

    def file(self) -> Path:
        found = self.files()
        return self.random.choice(found) if found else self.new()

    def new(self) -> Path:
        folders = [self.folder, *(path for path in self.names() if path.is_dir())]
        self.number += 1
        return self.random.choice(folders) / f"{self.random.choice('fd')}{self.number:x}"

    def data(self) -> bytes:
        return self.random.randbytes(self.random.randrange(1, LENGTH_MAX))

    def offset(self) -> int:
        return self.random.randrange(OFFSET_MAX)

    def opened(self, path: Path, flags: int, action: Callable[[int], object]) -> None:
        descriptor = os.open(path, flags, 0o644)
        try:
            action(descriptor)
        finally:
            os.close(descriptor)

    def create(self) -> None:
        self.opened(self.new(), os.O_CREAT | os.O_EXCL | os.O_RDWR, lambda _: None)

    def write(self) -> None:
        data, offset = self.data(), self.offset()
        self.opened(self.file(), os.O_RDWR, lambda descriptor: os.pwrite(descriptor, data, offset))

    def append(self) -> None:
        data = self.data()
        self.opened(self.file(), os.O_WRONLY | os.O_APPEND, lambda descriptor: os.write(descriptor, data))

    def touch(self) -> None:
        self.opened(self.file(), self.random.choice([os.O_RDWR, os.O_WRONLY]), lambda _: None)

    def replace(self) -> None:
        data = self.data()
        with _MAPPED:
            self.opened(self.file(), os.O_WRONLY | os.O_TRUNC, lambda descriptor: os.write(descriptor, data))

    def truncate(self) -> None:
        path, nbytes = self.file(), self.offset()
        with _MAPPED:
            if self.random.random() < 0.5:
                os.truncate(path, nbytes)
            else:
                self.opened(path, os.O_RDWR, lambda descriptor: os.ftruncate(descriptor, nbytes))

    def read(self) -> None:
        offset = self.offset()
        self.opened(self.file(), os.O_RDONLY, lambda descriptor: os.pread(descriptor, LENGTH_MAX, offset))

    def map(self) -> None:
        def fill(descriptor: int) -> None:
            nbytes = os.fstat(descriptor).st_size
            if nbytes:
                with mmap.mmap(descriptor, nbytes) as mapped:
                    mapped[: min(nbytes, len(data))] = data[:nbytes]

        data = self.data()
        with _MAPPED:
            self.opened(self.file(), os.O_RDWR, fill)

    def sync(self) -> None:
        def both(descriptor: int) -> None:
            os.pwrite(descriptor, data, 0)
            os.fsync(descriptor)
            os.pwrite(descriptor, data, len(data))

        data = self.data()
        self.opened(self.file(), os.O_RDWR, both)

    def rename(self) -> None:
        names = self.names() or [self.new()]
        os.rename(self.random.choice(names), self.new() if self.random.random() < 0.7 else self.file())

    def link(self) -> None:
        os.link(self.file(), self.new())

    def unlink(self) -> None:
        os.unlink(self.file())

    def mkdir(self) -> None:
        os.mkdir(self.new())

    def rmdir(self) -> None:
        os.rmdir(self.random.choice([path for path in self.names() if path.is_dir()] or [self.new()]))

    def stat(self) -> None:
        os.lstat(self.file())

    def list_names(self) -> None:
        os.listdir(self.file().parent)

    def chmod(self) -> None:
        os.chmod(self.file(), self.random.choice([0o600, 0o644, 0o755]))

    def utime(self) -> None:
        os.utime(self.file(), (self.offset(), self.offset()))


def disagreements(folder: Path) -> Iterator[str]:
    """Files that no program has open, and for which lstat, the listing, open and fstat disagree, as programs that copy ask."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            seen = os.lstat(path)
            with path.open("rb") as file:
                opened = os.fstat(file.fileno())
            again = os.lstat(path)
            (listed,) = (entry for entry in os.scandir(path.parent) if entry.name == path.name)
            looks = {"lstat": seen, "fstat": opened, "lstat again": again}
            for name in ("st_ino", "st_size", "st_mtime_ns"):
                found = {how: getattr(facts, name) for how, facts in looks.items()}
                if name == "st_ino":
                    found["readdir"] = listed.inode()
                if len({*found.values()}) > 1:
                    yield f"{path.relative_to(folder)}: {name}: {found}"


def main() -> None:
    """Run it by hand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--operations", type=int, default=600)
    arguments = parser.parse_args()
    Stress(arguments.folder, arguments.seed).run(arguments.operations)
    print(*disagreements(arguments.folder), sep="\n")


if __name__ == "__main__":
    main()
