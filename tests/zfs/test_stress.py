"""``--read-write``: after random system calls, all ways to look at a finished file agree, as programs that copy expect."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import zarrcore as zc
from tests.waiting import wait_until
from tests.zfs.conftest import Mount, Mounter
from tests.zfs.stress import Stress, disagreements

SOURCES = ("a.zarr", "a.zip", "a.sqlite")


@pytest.fixture(scope="module", params=SOURCES)
def mounted(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, mounter: Mounter
) -> Mount:
    source = f"{tmp_path_factory.mktemp('stress')}/{request.param}"
    if source.endswith(".sqlite"):
        source = f"sqlite://{source}"
    zc.create(source).close()
    return mounter(source, "--read-write")


def settled(mounted: Mount) -> None:
    """The kernel tells the daemon of the last close of a file a moment later."""
    wait_until(lambda: mounted.stats()["open_files"] == 0, "the end of all writers")


def agree(mounted: Mount, folder: Path) -> None:
    """The daemon hears of the last close of a file a moment later."""
    settled(mounted)
    wait_until(lambda: not [*disagreements(folder)], "the same facts in all ways")


@pytest.mark.parametrize("seed", [3, 9])
def test_finished_files_look_the_same_in_all_ways(mounted: Mount, seed: int) -> None:
    """S32: "While no program writes a file, `stat`, a listing and an open file report the same inode number"."""
    folder = mounted.keys / f"alone{seed}"
    folder.mkdir()
    Stress(folder, seed).run(200)
    assert [*folder.rglob("*")]
    agree(mounted, folder)


def test_finished_files_of_several_writers(mounted: Mount) -> None:
    folder = mounted.keys / "together"
    folder.mkdir()
    with ThreadPoolExecutor(4) as threads:
        [*threads.map(lambda seed: Stress(folder, seed).run(60), range(4))]
    agree(mounted, folder)


@pytest.mark.parametrize("flags", [os.O_RDWR, os.O_WRONLY, os.O_RDWR | os.O_TRUNC, os.O_RDWR | os.O_APPEND])
def test_a_file_that_was_opened_to_write_and_not_written(mounted: Mount, flags: int) -> None:
    folder = mounted.keys / f"opened{flags}"
    folder.mkdir()
    (folder / "a").write_bytes(b"abc")
    os.close(os.open(folder / "a", flags))
    agree(mounted, folder)
    # A reader of the stored value keeps its inode, and a writer gets another one.
    with (folder / "a").open("rb") as reader:
        os.close(os.open(folder / "a", flags))
        assert os.fstat(reader.fileno()).st_size == len(reader.read())
    settled(mounted)
