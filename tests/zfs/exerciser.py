"""A file system exerciser: random operations on a file of a mount and on an ordinary file, which must agree.

In the manner of fsx: one handle writes, several read, some through mappings, aligned to elements and not. Everything follows
from one number, the seed, so that a failure can be repeated. For more runs than in the test suite, run it by hand::

    python -m tests.zfs.exerciser raw --runs 45 --operations 1000 --seed 7
"""

from __future__ import annotations

import argparse
import errno
import mmap
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import zarr

import zarrcore as zc
from tests.zfs.conftest import Mount, mounting

SHAPE: Final = (64, 128, 256)
CHUNKS: Final = (8, 64, 128)
READERS_MAX: Final = 4
LENGTH_MAX: Final = 128 << 10
KEY_MAX: Final = 3 << 20


class DisagreementError(AssertionError):
    """The mount and the ordinary file differ."""


@dataclass
class Reader:
    """A descriptor that only reads, and its expected content if that does not change."""

    descriptor: int
    content: bytes | None = None


@dataclass
class Exerciser:
    """One file of a mount, and an ordinary one to compare it with.

    Args:
        place: the existing file of the mount.
        plain: an ordinary file with the same content.
        seed: determines all operations.
        start: bytes at the beginning that cannot be written: the header of an array file.
        is_shared: whether readers see written data at once, as they do in the file of an array. Otherwise they see the value
            that was stored when they opened the file, or get ESTALE.
        unit: bytes of an element.
    """

    place: Path
    plain: Path
    seed: int
    start: int
    is_shared: bool
    unit: int
    history: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.readers: list[Reader] = []
        self.stored = self.plain.read_bytes()
        self.open()

    def open(self) -> None:
        self.descriptor = os.open(self.place, os.O_RDWR)
        self.twin = os.open(self.plain, os.O_RDWR)

    def close(self) -> None:
        for reader in self.readers:
            os.close(reader.descriptor)
        self.readers.clear()
        os.close(self.descriptor)
        os.close(self.twin)

    @property
    def size(self) -> int:
        return os.fstat(self.twin).st_size

    def run(self, operations: int) -> None:
        """Do ``count`` operations, and compare both files at the end.

        Raises:
            DisagreementError: with the seed and the last operations.
        """
        choices: list[tuple[Callable[[], None], int]] = [
            (self.read, 20),
            (self.write, 20),
            (self.read_on_and_write_ahead, 6),
            (self.read_mapped, 8),
            (self.write_mapped, 8),
            (self.sync, 4),
            (self.reopen, 3),
            (self.open_reader, 5),
            (self.read_elsewhere, 15),
            (self.close_reader, 3),
            (self.forget_pages, 8),
            *([] if self.is_shared else [(self.truncate, 8), (self.append, 8)]),
        ]
        actions, weights = zip(*choices, strict=True)
        try:
            for action in self.random.choices(actions, weights, k=operations):
                self.history.append(action.__name__)
                action()
            self.compare(0, self.size, "the end")
        except (DisagreementError, OSError) as error:
            raise DisagreementError(f"seed {self.seed}: {error}; before: {self.history[-12:]}") from error

    def compare(self, offset: int, nbytes: int, what: str) -> None:
        """Read from both files."""
        self.same(
            os.pread(self.descriptor, nbytes, offset), os.pread(self.twin, nbytes, offset), offset, what
        )

    def same(self, found: bytes, expected: bytes, offset: int, what: str) -> None:
        if found == expected:
            return
        place = next(
            (i for i, (a, b) in enumerate(zip(found, expected, strict=False)) if a != b),
            min(len(found), len(expected)),
        )
        raise DisagreementError(
            f"{what}: {len(found)} bytes, expected {len(expected)}, the first wrong one at {offset + place} of {self.size}"
        )

    def stretch(self, longest: int = LENGTH_MAX) -> tuple[int, int]:
        """A random offset and number of bytes to read or write: small and large, aligned and not."""
        size = self.size - self.start
        length = min(self.random.choice([1, 3, self.unit, 40, 4096, self.random.randint(1, longest)]), size)
        offset = self.random.randint(0, size - length) if size else 0
        if self.random.random() < 0.5:
            offset, length = offset // self.unit * self.unit, length // self.unit * self.unit
        self.history[-1] += f"({self.start + offset}, {length})"
        return self.start + offset, length

    def content(self, length: int) -> bytes:
        return self.random.randbytes(length)

    def read(self) -> None:
        self.compare(*self.stretch(), "read")

    def write(self) -> None:
        offset, length = self.stretch()
        self.write_at(offset, self.content(length))

    def write_at(self, offset: int, content: bytes) -> None:
        for descriptor in (self.descriptor, self.twin):
            if os.pwrite(descriptor, content, offset) != len(content):
                raise DisagreementError(f"a write at {offset} was incomplete")

    def append(self) -> None:
        if self.size < KEY_MAX:
            self.write_at(self.size, self.content(self.random.randint(1, LENGTH_MAX)))

    def read_on_and_write_ahead(self) -> None:
        """Read in sequence, so that the mount reads ahead, with small writes into bytes that it may have read."""
        offset = self.random.randint(self.start, max(self.start, self.size // 2))
        for _ in range(self.random.randint(4, 16)):
            self.compare(offset, LENGTH_MAX, "read in sequence")
            offset += LENGTH_MAX
            ahead = offset + self.random.randint(0, 2 << 20)
            if ahead + 40 <= self.size:
                self.write_at(ahead, self.content(40))

    def read_mapped(self) -> None:
        if not self.size:
            return
        offset, length = self.stretch()
        with mmap.mmap(self.descriptor, 0, prot=mmap.PROT_READ) as mapped:
            self.same(
                mapped[offset : offset + length],
                os.pread(self.twin, length, offset),
                offset,
                "read through a mapping",
            )
        self.stored = self.plain.read_bytes()  # Python's mappings have their own descriptor, and close it

    def write_mapped(self) -> None:
        if not self.size:
            return
        offset, length = self.stretch()
        content = self.content(length)
        with mmap.mmap(self.descriptor, 0) as mapped:
            mapped[offset : offset + length] = content
            mapped.flush()
        os.pwrite(self.twin, content, offset)
        self.stored = self.plain.read_bytes()

    def truncate(self) -> None:
        nbytes = self.random.randint(0, min(KEY_MAX, self.size * 2 + 10))
        self.history[-1] += f"({nbytes})"
        os.ftruncate(self.descriptor, nbytes)
        os.ftruncate(self.twin, nbytes)

    def sync(self) -> None:
        os.fsync(self.descriptor)
        self.stored = self.plain.read_bytes()

    def reopen(self) -> None:
        os.close(self.descriptor)
        os.close(self.twin)
        self.stored = self.plain.read_bytes()
        self.open()

    def open_reader(self) -> None:
        if len(self.readers) < READERS_MAX:
            descriptor = os.open(self.place, os.O_RDONLY)
            self.readers.append(Reader(descriptor, None if self.is_shared else self.stored))

    def close_reader(self) -> None:
        if self.readers:
            os.close(self.readers.pop(self.random.randrange(len(self.readers))).descriptor)

    def read_elsewhere(self) -> None:
        if not self.readers:
            return
        reader = self.random.choice(self.readers)
        offset, length = self.stretch()
        now = os.pread(self.twin, length, offset)
        expected = now if reader.content is None else reader.content[offset : offset + length]
        try:
            found = os.pread(reader.descriptor, length, offset)
            if len(found) < len(expected):  # bytes that the kernel had; then comes the error
                found += os.pread(reader.descriptor, length - len(found), offset + len(found))
        except OSError as error:
            if error.errno == errno.ESTALE and reader.content not in {None, self.stored}:
                return  # another value has been stored
            raise
        self.same(found, expected, offset, "read by another handle")

    def forget_pages(self) -> None:
        """Make the kernel ask the mount again."""
        os.fsync(self.descriptor)
        self.stored = self.plain.read_bytes()
        for descriptor in (self.descriptor, *(reader.descriptor for reader in self.readers)):
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


def exercise_array(mount: Mount, store: Path, plain: Path, suffix: str, seed: int, operations: int) -> None:
    """One run on ``data.raw`` or ``data.npy`` of the array ``a``, which is read with zarr-python at the end."""
    place = mount.arrays / "a" / f"data.{suffix}"
    shutil.copyfile(place, plain)
    array = zarr.open_array(store / "a", mode="r")
    start = plain.stat().st_size - array.nbytes
    exerciser = Exerciser(place, plain, seed, start, is_shared=True, unit=array.dtype.itemsize)
    try:
        exerciser.run(operations)
    finally:
        exerciser.close()
    if np.asarray(array[...]).tobytes() != plain.read_bytes()[start:]:
        raise DisagreementError(f"seed {seed}: zarr-python reads other elements")


def exercise_key(mount: Mount, store: Path, plain: Path, seed: int, operations: int) -> None:
    """One run on a file of ``keys/``, which is compared with the stored value at the end."""
    content = random.Random(seed).randbytes(700_000)
    key = f"value-{seed}"
    plain.write_bytes(content)
    (mount.keys / key).write_bytes(content)
    exerciser = Exerciser(mount.keys / key, plain, seed, 0, is_shared=False, unit=8)
    try:
        exerciser.run(operations)
    finally:
        exerciser.close()
    if not plain.read_bytes() == (store / key).read_bytes() == (mount.keys / key).read_bytes():
        raise DisagreementError(f"seed {seed}: the store has another value")


def make_store(store: Path) -> None:
    """A hierarchy with one array of random elements."""
    hierarchy = zc.create(store)
    array = hierarchy.create_array("a", shape=SHAPE, dtype="float32", chunks=CHUNKS)
    array[...] = np.random.default_rng(1).random(SHAPE, np.float32)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("target", choices=["raw", "npy", "keys"])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--operations", type=int, default=300)
    parser.add_argument(
        "--seed", type=int, default=0, help="of the first run; each further run uses the next number"
    )
    given = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder, mounting(Path(folder)) as mount:
        store, plain = Path(folder) / "store.zarr", Path(folder) / "plain"
        make_store(store)
        mounted = mount(store, "--read-write")
        for seed in range(given.seed, given.seed + given.runs):
            try:
                if given.target == "keys":
                    exercise_key(mounted, store, plain, seed, given.operations)
                else:
                    exercise_array(mounted, store, plain, given.target, seed, given.operations)
            except DisagreementError as error:
                failed += 1
                print(error)
        print(f"{given.target}: {given.runs - failed} of {given.runs} runs agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
