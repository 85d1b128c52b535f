"""Real mounts under ``/dev/fuse``, all unmounted after each test."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore as zc
from tests.command import Outcome, Run, run_inside
from tests.zfs.forking import run_forked

NO_FUSE = "" if os.access("/dev/fuse", os.R_OK | os.W_OK) else "this user cannot open /dev/fuse"


@dataclass
class Mount:
    """A mounted store."""

    path: Path
    log: Path

    @property
    def keys(self) -> Path:
        return self.path / "keys"

    @property
    def arrays(self) -> Path:
        return self.path / "arrays"

    def stats(self) -> dict[str, Any]:
        return json.loads((self.path / ".zarrscope" / "stats.json").read_bytes())

    def daemon(self) -> int:
        return int(self.stats()["pid"])

    def refresh(self) -> None:
        (self.path / ".zarrscope" / "refresh").write_text("now")

    def umount(self) -> Outcome:
        return run_inside("umount", self.path)


def is_mounted(path: Path) -> bool:
    """Whether anything is mounted at ``path``, dead or alive."""
    return any(f" {path} " in line for line in Path("/proc/self/mountinfo").read_text().splitlines())


def has_ended(process: int) -> bool:
    """Whether a process is gone, or a zombie without other threads: these may hold its files and locks for a moment."""
    try:
        place = Path(f"/proc/{process}")
        is_zombie = (place / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
        return is_zombie and len(os.listdir(place / "task")) == 1
    except (FileNotFoundError, ProcessLookupError):
        return True


Mounter = Callable[..., Mount]


@contextlib.contextmanager
def mounting(folder: Path) -> Iterator[Mounter]:
    """``mount(source, *options)`` below a folder; everything is unmounted at the end.

    ``run=run_process`` starts the command itself.
    """
    if NO_FUSE:
        pytest.skip(NO_FUSE)
    mounted: list[Path] = []

    def mount(source: str | os.PathLike[str], *options: str, run: Run = run_forked) -> Mount:
        path = folder / f"mnt{len(mounted)}"
        path.mkdir(exist_ok=True)
        mounted.append(path)
        log = folder / f"log{len(mounted)}"
        done = run("mount", source, path, "--log-file", log, *options)
        assert done.status == 0, done.stderr
        return Mount(path, log)

    try:
        yield mount
    finally:
        for path in mounted:
            if is_mounted(path):
                subprocess.run(["umount", "--lazy", path], check=False, capture_output=True)


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Mounter]:
    """``mount(source, *options)`` for one test."""
    with mounting(tmp_path) as mounter:
        yield mounter


@pytest.fixture(scope="session")
def mounter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mounter]:
    """``mounter(source, *options)`` for tests that only read."""
    with mounting(tmp_path_factory.mktemp("mounts")) as made:
        yield made


@pytest.fixture(scope="session")
def mounted_hierarchy(hierarchy: Any, mounter: Mounter) -> tuple[Any, Mount]:
    """Hierarchies written by zarr-python in each format, and their mounts."""
    return hierarchy, mounter(hierarchy.path)


TIME = np.arange(6) * 3
LONGITUDE = np.linspace(-20, 20, 30)


@pytest.fixture(scope="session")
def ocean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hierarchy with coordinates, arrays that HDF5 cannot hold, and nodes that cannot be opened."""
    path = tmp_path_factory.mktemp("ocean") / "ocean.zarr"
    hierarchy = zc.create(path)
    group = hierarchy.create_group("sea", attributes={"title": "Nordsee"})
    for name, data, units in (("time", TIME, "days since 2020-01-01"), ("lon", LONGITUDE, "degrees_east")):
        hierarchy.create_array(
            f"sea/{name}", shape=data.shape, dtype=data.dtype, dimension_names=[name],
            attributes={"units": units},
        )[...] = data  # fmt: skip
    wave = hierarchy.create_array(
        "sea/wave", shape=(6, 30), dtype="float32", chunks=(1, 30), dimension_names=["time", "lon"],
        attributes={"units": "m"},
    )  # fmt: skip
    wave[...] = np.arange(180).reshape(6, 30)
    hierarchy.create_array("sea/words", shape=(2,), dtype="string")[...] = ["a", "b"]
    hierarchy.create_array(
        "sea/record", shape=(1,), dtype=np.dtype([("a", "i4")])
    )[...] = np.array([(3,)], [("a", "i4")])  # fmt: skip
    hierarchy.create_array("sea/empty", shape=(0, 3), dtype="int16")
    hierarchy.create_array("sea/scalar", shape=(), dtype="float64")[...] = 2.5
    (path / "sea/broken").mkdir()
    (path / "sea/broken/zarr.json").write_text("{}")
    assert group.path == "/sea"
    return path
