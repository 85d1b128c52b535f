"""The daemon of a mount in a control group with little memory, as in a container: the kernel kills what takes more."""

from __future__ import annotations

import contextlib
import os
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

import zarrcore as zc
from tests.zfs.conftest import Mount, mounting

ROOM_MIB: Final = 48
"""What the daemon may take in addition to what it has at its start."""
CACHE_MIB: Final = 16
_ROWS: Final = 64
_ROW_NBYTES: Final = 1 << 20
_GROUPS: Final = Path("/sys/fs/cgroup")


def missing() -> str:
    """Why there can be no such group here; empty if there can."""
    try:
        with _group(ROOM_MIB):
            return ""
    except OSError as error:
        return f"no control group for memory: {error}"


@contextlib.contextmanager
def _group(room_mib: int) -> Iterator[Path]:
    """A control group of version 1 or 2; a process joins it by ``cgroup.procs``."""
    is_first = (_GROUPS / "memory" / "memory.limit_in_bytes").exists()
    folder = (_GROUPS / "memory" if is_first else _GROUPS) / f"zarrscope-{os.getpid()}"
    folder.mkdir()
    try:
        limit = folder / ("memory.limit_in_bytes" if is_first else "memory.max")
        limit.write_text(str(room_mib << 20))
        yield folder
    finally:
        for _ in range(3000):  # a group cannot go before its last process
            with contextlib.suppress(OSError):
                folder.rmdir()
                break
            time.sleep(0.01)


def trial(seed: int, steps: str = "12") -> int:
    """Read and write in large parts; returns the number of steps.

    Raises:
        OSError: there can be no such group here, or the daemon has ended.
    """
    choice = random.Random(seed)
    with tempfile.TemporaryDirectory() as place, _group(ROOM_MIB) as group:
        path = Path(place) / "a.zarr"
        elements = np.repeat(np.arange(_ROWS, dtype=np.uint8), _ROW_NBYTES).reshape(_ROWS, _ROW_NBYTES)
        array = zc.create(path).create_array(
            "a", shape=elements.shape, chunks=(1, _ROW_NBYTES), dtype="uint8"
        )
        array[...] = elements
        (folder := Path(place) / "mounts").mkdir()
        with mounting(folder) as mount:
            mounted = mount(path, "--read-write", "--cache-size", f"{CACHE_MIB}MiB")
            (group / "cgroup.procs").write_text(str(mounted.daemon()))
            for number in range(int(steps)):
                _step(mounted, elements, choice, number)
            assert np.array_equal(
                np.fromfile(mounted.arrays / "a" / "data.raw", np.uint8), elements.reshape(-1)
            )
            assert mounted.umount().status == 0
        assert np.array_equal(zc.open_hierarchy(path)["a"][...], elements)
    return int(steps)


def _step(mounted: Mount, elements: npt.NDArray[np.uint8], choice: random.Random, number: int) -> None:
    data = mounted.arrays / "a" / "data.raw"
    start = choice.randrange(_ROWS - 8)
    match choice.randrange(4):
        case 0:  # eight rows, in pieces across the borders of chunks
            with open(data, "r+b", buffering=0) as file:
                for at in range(start * _ROW_NBYTES, (start + 8) * _ROW_NBYTES, 700_000):
                    os.pwrite(file.fileno(), bytes([number]) * 700_000, at)
                    elements.reshape(-1)[at : at + 700_000] = number
        case 1:
            value = bytes([number]) * (16 << 20)
            key = mounted.keys / "value"
            key.write_bytes(value)
            assert key.read_bytes() == value
        case 2:
            with open(data, "rb", buffering=0) as file:
                for _ in range(20):
                    at = choice.randrange(elements.size - 1000)
                    assert os.pread(file.fileno(), 1000, at) == elements.reshape(-1)[at : at + 1000].tobytes()
        case _:
            with open(data, "rb") as file:
                file.seek(start * _ROW_NBYTES)
                assert file.read(8 * _ROW_NBYTES) == elements[start : start + 8].tobytes()
