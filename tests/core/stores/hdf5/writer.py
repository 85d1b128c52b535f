"""A process in which h5py writes a file with datasets that grow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WRITER = """
import os, sys
import h5py, numpy as np
path, mode = sys.argv[1:]
file = h5py.File(path, "w", libver="latest")
grown = file.create_dataset("g/grown", (0, 3), "i4", maxshape=(None, 3), chunks=(4, 3))
packed = file.create_dataset("packed", (0,), "f8", maxshape=(None,), chunks=(10,), compression="gzip")
both = file.create_dataset("both", (0, 0), "i2", maxshape=(None, None), chunks=(2, 2))
if mode == "swmr":
    file.swmr_mode = True
print("ready", flush=True)
for line in sys.stdin:
    if line.strip() == "die":
        os._exit(1)
    if line.strip() == "close":
        file.close()
        print("closed", flush=True)
        continue
    length = int(line)
    for dataset in (grown, packed, both):
        before = dataset.shape[0]
        dataset.resize((length, *((length,) if dataset is both else dataset.shape[1:])))
        if dataset is grown:
            dataset[before:] = np.arange(before * 3, length * 3).reshape(-1, 3)
        elif dataset is packed:
            dataset[before:] = np.sqrt(np.arange(before, length))
        else:
            dataset[...] = np.add.outer(np.arange(length), np.arange(length))
    file.flush()
    print("flushed", flush=True)
"""


class Writer:
    """A process that writes a file."""

    def __init__(self, path: Path, mode: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), mode],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.answer()

    def answer(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline(), "the writer ended"

    def tell(self, what: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()

    def write(self, length: int) -> None:
        self.tell(length)
        self.answer()

    def die(self) -> None:
        """End without closing the file."""
        self.tell("die")
        self.process.wait()

    def end(self) -> None:
        """End the process, however it is."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


def left_open(path: Path) -> Path:
    """A file whose writer died, and did not close it."""
    writer = Writer(path, "plain")
    try:
        writer.write(3)
        writer.die()
    finally:
        writer.end()
    return path
