"""``--read-write`` on a zip file: stored values survive, and any loss is reported."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.command import run_inside
from tests.waiting import wait_until
from tests.zfs.conftest import Mount, Mounter, has_ended
from tests.zfs.exerciser import Exerciser
from zarrcore import open_store


@pytest.fixture(params=["x.zip"])
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A zip file with an array."""
    place = tmp_path / "store" / request.param
    place.parent.mkdir()
    with zc.create(place) as made:
        made.create_array("a", shape=(64, 64), dtype="i4", chunks=(16, 16))[...] = 1
    return place


def stored(place: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(place) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def kill(mounted: Mount) -> None:
    process = mounted.daemon()
    os.kill(process, signal.SIGKILL)
    wait_until(lambda: has_ended(process), "the daemon's end")


KILLED_WRITER = """
import os, signal, sys
from zarrcore.stores import open_store
from zarrcore.stores.zip import changes
changes._REST = changes._REST_MAX_S = 1e9
store = open_store(sys.argv[1])
for number in range(9):
    store.set(f"new{number}", b"stored")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("options", [(), ("--read-write",)])
def test_mounting_alone_completes_the_file_of_a_killed_writer(
    place: Path, mount: Mounter, options: tuple[str, ...]
) -> None:
    """S30: "after a `kill -9`, they can as soon as this library has opened it"."""
    subprocess.run([sys.executable, "-c", KILLED_WRITER, place], check=False, timeout=60)
    assert not zipfile.is_zipfile(place)
    mounted = mount(place, *options)
    assert mounted.umount().status == 0
    assert stored(place)["new8"] == b"stored"


def test_closed_or_synchronized_values_survive_the_daemon(place: Path, mount: Mounter) -> None:
    """S30: "Stored means that the store has it", which includes a zip file."""
    mounted = mount(place, "--read-write")
    for number in range(200):
        (mounted.keys / f"note{number}").write_bytes(b"%d" % number)
    with open(mounted.arrays / "a" / "data.raw", "r+b") as file:
        file.write(b"\2\0\0\0" * 640)
    (mounted.keys / "note7").write_bytes(b"replaced")
    (mounted.keys / "note8").unlink()
    (mounted.keys / "note9").rename(mounted.keys / "moved")
    kept = os.open(mounted.keys / "synchronized", os.O_CREAT | os.O_WRONLY)
    os.write(kept, b"stored")
    os.fsync(kept)
    os.write(kept, b" and lost")
    kill(mounted)
    expected = {f"note{number}": b"%d" % number for number in range(200) if number not in {8, 9}}
    expected |= {"note7": b"replaced", "moved": b"9", "synchronized": b"stored"}
    with open_store(place) as store:
        assert {key: bytes(store.get(key) or b"") for key in expected} == expected
        assert store.get("note8") is store.get("note9") is None
    found = stored(place)  # which other programs can now read
    assert {key: value for key, value in found.items() if key in expected} == expected
    assert not {"note8", "note9"} & found.keys()
    with zarr.storage.ZipStore(place, mode="r") as other:
        values = zarr.open_group(other, mode="r")["a"][...]
    assert np.count_nonzero(values == 2) == 640
    assert os.listdir(place.parent) == ["x.zip"]
    with pytest.raises(OSError, match=os.strerror(errno.ENOTCONN)):
        os.close(kept)


@pytest.mark.parametrize("place", ["x.ozx", "x.zip"], indirect=True)
def test_other_programs_read_the_file_while_it_is_mounted(place: Path, mount: Mounter) -> None:
    mounted = mount(place, "--read-write")
    (mounted.keys / "note").write_bytes(b"first")
    wait_until(lambda: zipfile.is_zipfile(place), "a complete zip file")
    assert stored(place)["note"] == b"first"


def replace(place: Path) -> None:
    """Replace the file, as a program does that writes a new one."""
    with zipfile.ZipFile(place.with_name("other"), "w") as archive:
        archive.writestr("theirs", b"1")
    place.with_name("other").replace(place)


def test_a_replaced_zip_file_is_reported_at_close(place: Path, mount: Mounter) -> None:
    """S31: "gives ESTALE at close, and the other's value stays"."""
    mounted = mount(place, "--read-write")
    (mounted.keys / "mine").write_bytes(b"1")
    replace(place)
    file = os.open(mounted.keys / "next", os.O_CREAT | os.O_WRONLY)
    os.write(file, b"2")
    with pytest.raises(OSError, match=os.strerror(errno.ESTALE)):
        os.fsync(file)
    os.fsync(file)
    os.close(file)
    done = mounted.umount()
    assert (done.status, done.stderr) == (0, "")
    assert stored(place) == {"theirs": b"1", "next": b"2"}
    assert "the value stored here under mine is not in it" in mounted.log.read_text()


@pytest.mark.parametrize("is_replaced", [True, False])
def test_a_replaced_zip_file_is_reported_when_unmounting(
    place: Path, mount: Mounter, is_replaced: bool
) -> None:
    """S30: "report what fails at the end"."""
    mounted = mount(place, "--read-write")
    (mounted.keys / "mine").write_bytes(b"1")
    if is_replaced:
        replace(place)
    else:
        place.unlink()
    done = mounted.umount()
    assert done.status == 1
    reason = (
        f"{place} was changed by another program meanwhile: the value stored here under mine is not in it"
    )
    assert (
        done.stderr == f"zarrscope: {mounted.path} is unmounted, but its daemon failed at the end: {reason}\n"
    )
    assert f"CRITICAL {place} could not be completed: {reason}" in mounted.log.read_text()
    assert os.listdir(place.parent) == (["x.zip"] if is_replaced else [])


def test_a_daemon_in_the_foreground_ends_with_a_status(place: Path, tmp_path: Path) -> None:
    (tmp_path / "mnt").mkdir()
    command = [Path(sys.executable).with_name("zarrscope"), "mount", place, tmp_path / "mnt"]
    with subprocess.Popen(
        [*command, "--foreground", "--read-write"],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as daemon:
        wait_until((tmp_path / "mnt" / "keys").is_dir, "the mount")
        (tmp_path / "mnt" / "keys" / "mine").write_bytes(b"1")
        replace(place)
        assert run_inside("umount", tmp_path / "mnt").status == 1
        told = daemon.communicate(timeout=60)[1]
    assert daemon.returncode == 1
    assert told.splitlines()[-1].startswith(f"zarrscope: {place} was changed by another program")


def test_a_full_disk_is_reported_at_close(small_disk: Path, mount: Mounter) -> None:
    place = small_disk / "x.zip"
    with open_store(place, create=True):
        pass
    mounted = mount(place, "--read-write")
    acknowledged: dict[str, bytes] = {}
    refused: set[int | None] = set()
    for number in range(80):
        value = bytes([number]) * 20_000
        try:
            (mounted.keys / str(number)).write_bytes(value)
            acknowledged[str(number)] = value
        except OSError as error:
            refused.add(error.errno)
    assert refused == {errno.ENOSPC}
    assert len(acknowledged) > 40
    assert sorted(os.listdir(mounted.keys)) == sorted(acknowledged)
    assert mounted.umount().status == 0
    assert stored(place) == acknowledged
    assert os.listdir(small_disk) == ["x.zip"]


def test_space_of_replaced_values_is_reused(place: Path, mount: Mounter) -> None:
    mounted = mount(place, "--read-write")
    for number in range(40):
        (mounted.keys / "note").write_bytes(bytes([number]) * 1_000_000)
        assert place.stat().st_size < 20 << 20
    assert mounted.umount().status == 0
    assert place.stat().st_size < 1_010_000
    assert stored(place)["note"] == bytes([39]) * 1_000_000
    assert os.listdir(place.parent) == ["x.zip"]


@pytest.mark.parametrize("seed", range(3))
def test_random_changes_act_as_on_an_ordinary_file(
    place: Path, tmp_path: Path, mount: Mounter, seed: int
) -> None:
    mounted = mount(place, "--read-write")
    plain, whole = tmp_path / "plain", tmp_path / "whole"
    plain.write_bytes(random.Random(seed).randbytes(700_000))
    (mounted.keys / "value").write_bytes(plain.read_bytes())
    whole.write_bytes((mounted.arrays / "a" / "data.raw").read_bytes())
    for exerciser in (
        Exerciser(mounted.keys / "value", plain, seed, 0, is_shared=False, unit=8),
        Exerciser(mounted.arrays / "a" / "data.raw", whole, seed, 0, is_shared=True, unit=4),
    ):
        try:
            exerciser.run(100)
        finally:
            exerciser.close()
    assert mounted.umount().status == 0
    assert stored(place)["value"] == plain.read_bytes()
    with zarr.storage.ZipStore(place, mode="r") as other:
        assert zarr.open_group(other, mode="r")["a"][...].tobytes() == whole.read_bytes()
    assert place.stat().st_size < 1.3 * sum(map(len, stored(place).values())) + 100_000
