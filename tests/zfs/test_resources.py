"""A daemon's use of the machine: memory during long reads and listings, the processor while it is idle."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import time
from pathlib import Path

import numpy as np
import zarr

from tests.waiting import wait_until
from tests.zfs.conftest import Mounter

MIB = 1 << 20
CHUNK = np.zeros(4 * MIB, "u1")
CHUNKS = 256


def of_status(process: int, name: str) -> int:
    """A number of the system's statistics, summed over a process and its threads."""
    found = (
        re.search(rf"^{name}:\s*(\d+)", (task / "status").read_text(), re.MULTILINE)
        for task in Path(f"/proc/{process}/task").iterdir()
    )
    return sum(int(number[1]) for number in found if number)


def peak_nbytes(process: int) -> int:
    found = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found
    return int(found[1]) << 10


def test_memory_is_bounded_during_long_reads(tmp_path: Path, mount: Mounter) -> None:
    """S23: "Memory is bounded by `--cache-size`"; here for 1 GiB of one chunk on disk with many names."""
    array = zarr.create_array(
        tmp_path / "a.zarr", shape=(CHUNKS, CHUNK.size), chunks=(1, CHUNK.size), dtype="u1"
    )
    array[0] = CHUNK + 1
    for number in range(1, CHUNKS):
        (tmp_path / "a.zarr" / "c" / str(number)).mkdir()
        os.link(tmp_path / "a.zarr/c/0/0", tmp_path / f"a.zarr/c/{number}/0")
    mounted = mount(tmp_path / "a.zarr", "--cache-size", "64MiB")
    command = ["cmp", "-n", str(CHUNKS * CHUNK.size), mounted.arrays / "data.raw", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as reader:
        assert reader.stdin is not None
        for _ in range(CHUNKS):
            reader.stdin.write((CHUNK + 1).data)
    assert reader.returncode == 0
    # On a busy machine, a chunk that was read ahead can leave the small cache before the reader comes to it.
    assert CHUNKS <= mounted.stats()["decoded"]["chunks"] <= 1.1 * CHUNKS
    assert peak_nbytes(mounted.daemon()) < (150 + 64) * MIB


def test_names_that_were_only_listed_are_forgotten(tmp_path: Path, mount: Mounter) -> None:
    """S23: "Names that were only listed take at most 64 MiB"."""
    count, length = 80_000, 900
    with sqlite3.connect(tmp_path / "keys") as database:
        database.execute("CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB)")
        rows = ((f"many/{number:0{length}}", b"x") for number in range(count))
        database.executemany("INSERT INTO zarr VALUES(?, ?)", rows)
    database.close()
    mounted = mount(f"sqlite://{tmp_path / 'keys'}")
    with os.scandir(mounted.keys / "many") as entries:
        assert sum(1 for _ in entries) == count
    wait_until(lambda: mounted.stats()["inodes"] * length < 65 * MIB, "the oldest names are forgotten")
    for number in (0, count // 2, count - 1):
        assert (mounted.keys / "many" / f"{number:0{length}}").read_bytes() == b"x"
    assert not (mounted.keys / "many" / f"{count:0{length}}").exists()


def test_a_listed_name_takes_few_bytes_and_keeps_its_number(tmp_path: Path, mount: Mounter) -> None:
    """S23: "about 30 bytes each and the name"; here for more names than whose entries are kept."""
    count = 150_000
    with sqlite3.connect(tmp_path / "keys") as database:
        database.execute("CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB)")
        rows = ((f"many/{number}", b"x" * (number % 3)) for number in range(count))
        database.executemany("INSERT INTO zarr VALUES(?, ?)", rows)
    database.close()
    mounted = mount(f"sqlite://{tmp_path / 'keys'}")
    before = peak_nbytes(mounted.daemon())

    def numbers() -> dict[str, int]:
        with os.scandir(mounted.keys / "many") as entries:
            return {entry.name: entry.inode() for entry in entries}

    listed = numbers()
    assert len(listed) == len(set(listed.values())) == count
    assert numbers() == listed
    assert mounted.stats()["inodes"] >= count
    # Those whose entries are kept take 200 bytes more; without blocks it was 540 bytes for each name.
    assert peak_nbytes(mounted.daemon()) - before < 60 * MIB
    for number in range(0, count, count // 10):
        file = mounted.keys / "many" / f"{number}"
        with file.open("rb") as opened:
            assert os.fstat(opened.fileno()).st_ino == file.stat().st_ino == listed[file.name]
            assert opened.read() == b"x" * (number % 3)
    assert numbers() == listed


def test_an_idle_mount_uses_no_processor_time(tmp_path: Path, mount: Mounter) -> None:
    zarr.save_group(tmp_path / "a.zarr", x=np.arange(10))
    mounted = mount(tmp_path / "a.zarr")
    daemon = mounted.daemon()

    def is_idle() -> bool:
        before = of_status(daemon, "voluntary_ctxt_switches")
        time.sleep(1.5)
        return of_status(daemon, "voluntary_ctxt_switches") - before <= 2

    wait_until(is_idle, "it completes its work after the last request, and then sleeps")
