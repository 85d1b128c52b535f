"""Programs that use a mount at random: 16 readers and 4 writers, each a thread.

    python -m tests.proofs.soak.users MOUNTPOINT SEED

They end with the standard input, and with status 1 if one of them read what was never written.
"""

from __future__ import annotations

import contextlib
import errno
import os
import random
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np

READERS, WRITERS = 16, 4
KEYS = [f"values/{number % 5}/{number}" for number in range(60)]
ARRAYS = ("a", "group/b")
SHAPE, CHUNKS = (24, 128, 128), (4, 64, 64)
PAGE = 4096
MAY_HAPPEN = {errno.ENOENT, errno.ESTALE, errno.EEXIST, errno.ENOTEMPTY, errno.EXDEV, errno.EINVAL}
"""Errors of names and values that others change."""


def value_of(number: int) -> bytes:
    """A value that tells whether it is whole: one number, repeated."""
    return number.to_bytes(4, "little") * (1 + number % 5000 * (number % 7))


def check_value(content: bytes) -> None:
    """Raise if bytes are not a whole value, or nothing."""
    if content and content != value_of(int.from_bytes(content[:4], "little")):
        raise AssertionError(f"a mixture of values: {len(content)} bytes, from {content[:8]!r}")


def check_plane(plane: np.ndarray) -> None:
    """Raise if a part of a chunk, which is always written as a whole, has several elements within a page of memory.

    The kernel asks for one page or many; what it asks for at different times may be of different ages (S14).
    """
    rows = PAGE // plane.strides[0]
    for row in range(0, plane.shape[0], rows):
        for column in range(0, plane.shape[1], CHUNKS[2]):
            part = plane[row : row + rows, column : column + CHUNKS[2]]
            if (part != part[0, 0]).any():
                raise AssertionError(f"a mixture of chunks: {np.unique(part)[:10]}")


class User:
    """One program."""

    def __init__(self, place: Path, seed: int, number: int) -> None:
        self.place = place
        self.random = random.Random(seed)
        # Two who write one key at once write to one value, as to any file, which is then a mixture.
        self.own = KEYS[number % WRITERS :: WRITERS] if number >= READERS else KEYS

    def key(self) -> Path:
        return self.place / "keys" / self.random.choice(self.own)

    def read_key(self) -> None:
        check_value(self.key().read_bytes())

    def read_slowly(self) -> None:
        with self.key().open("rb", buffering=0) as file:
            parts = []
            while part := file.read(20_000):
                parts.append(part)
            check_value(b"".join(parts))

    def list_all(self) -> None:
        for above, _, names in os.walk(self.place / self.random.choice(["keys", "arrays", "zarr3"])):
            for name in names[:5]:
                os.stat(os.path.join(above, name))

    def read_plane(self) -> None:
        index = self.random.randrange(SHAPE[0])
        file = self.place / "arrays" / self.random.choice(ARRAYS) / f"[{index}].raw"
        check_plane(np.frombuffer(file.read_bytes(), "u2").reshape(SHAPE[1:]))

    def read_mapped(self) -> None:
        mapped = np.memmap(
            self.place / "arrays" / self.random.choice(ARRAYS) / "data.raw", "u2", "r", shape=SHAPE
        )
        check_plane(np.array(mapped[self.random.randrange(SHAPE[0])]))

    def read_chunk(self) -> None:
        places = [str(self.random.randrange(n // c)) for n, c in zip(SHAPE, CHUNKS, strict=True)]
        content = self.place.joinpath("zarr3", self.random.choice(ARRAYS), "c", *places).read_bytes()
        for start in range(0, len(content), PAGE):
            if (
                len(
                    set(
                        zip(
                            content[start : start + PAGE : 2],
                            content[start + 1 : start + PAGE : 2],
                            strict=True,
                        )
                    )
                )
                > 1
            ):
                raise AssertionError(f"a mixture of chunks in the page at {start}")

    def read_documents(self) -> None:
        folder = self.place / "arrays" / self.random.choice(ARRAYS)
        (folder / "metadata.json").read_bytes()
        (folder / "attributes.json").read_bytes()

    def write_key(self) -> None:
        key = self.key()
        key.parent.mkdir(parents=True, exist_ok=True)
        key.write_bytes(value_of(self.random.randrange(1, 1 << 30)))

    def replace_key(self) -> None:
        key = self.key()
        key.parent.mkdir(parents=True, exist_ok=True)
        new = key.with_name(f"{key.name}.{threading.get_ident()}")
        new.write_bytes(value_of(self.random.randrange(1, 1 << 30)))
        new.replace(key)

    def remove_key(self) -> None:
        self.key().unlink()

    def make_directory(self) -> None:
        folder = self.place / "keys" / f"empty{threading.get_ident()}"
        folder.mkdir()
        folder.rmdir()

    READS = (read_key, read_slowly, list_all, read_plane, read_mapped, read_chunk, read_documents)
    WRITES = (write_key, replace_key, remove_key, make_directory)


def use(
    user: User, actions: tuple[Callable[[User], None], ...], end: threading.Event, counts: list[int]
) -> None:
    """Do random things until the end."""
    while not end.is_set():
        action = user.random.choice(actions)
        try:
            action(user)
        except OSError as error:
            if error.errno not in MAY_HAPPEN:
                raise
        counts[0] += 1
        end.wait(user.random.random() * 0.05)


def main(place: Path, seed: int) -> int:
    """Run all of them."""
    end, failures, counts = threading.Event(), list[str](), [0]

    def run(number: int) -> None:
        try:
            use(
                User(place, seed * 1000 + number, number),
                User.READS if number < READERS else User.WRITES,
                end,
                counts,
            )
        except BaseException:  # noqa: BLE001 - told below
            failures.append(traceback.format_exc())
            end.set()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(READERS + WRITERS)]
    for thread in threads:
        thread.start()

    def close() -> None:
        sys.stdin.read()
        end.set()

    threading.Thread(target=close, daemon=True).start()
    for thread in threads:
        thread.join()
    with contextlib.suppress(BrokenPipeError):
        print(counts[0], flush=True)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.stdout.flush()
    os._exit(main(Path(sys.argv[1]), int(sys.argv[2])))
