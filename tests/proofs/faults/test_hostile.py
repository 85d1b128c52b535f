"""The law of hostile servers: right bytes, or an error within the deadline; and the program lives, in little memory."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import httpx
import numpy as np
import pytest

import zarrcore as zc
from tests.command import run_process
from tests.memory import ROOT
from tests.servers.hostile import WHERE, WRONGS, HostileServer, hostile_server
from tests.waiting import PATIENCE_S
from tests.zfs.conftest import mounting

DATA = np.arange(64 * 64, dtype="<i4").reshape(64, 64)
TIMEOUT_S = 2.0
SLACK_S = 20.0
"""How much longer an error may take than the rules say: for several requests after each other, and a busy machine."""
GROWS_MAX = 200 << 20
PLACES = tuple(f"{wrong}-{where}" for wrong in WRONGS for where in WHERE)
RIGHT = tuple(f"{wrong}-{where}" for wrong in ("none", "throttled") for where in WHERE)
"""Where nothing is wrong, or not for long."""


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("hostile")
    hierarchy = zc.create(folder / "h.zarr")
    for name in "ab":
        hierarchy.create_array(name, shape=DATA.shape, data_type="int32", chunk_shape=(32, 32))[...] = DATA
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def server(values: dict[str, bytes]) -> Iterator[HostileServer]:
    with hostile_server(values) as running:
        yield running


def peak_of(process: int) -> int:
    """The peak memory of another process."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found
    return int(found[1]) << 10


def test_the_library(server: HostileServer) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.proofs.faults.hostile_reader", server.url, f"{TIMEOUT_S}", *PLACES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *lines, grew = map(json.loads, done.stdout.splitlines())
    assert len(lines) == len(PLACES)
    right = hashlib.sha256(DATA.tobytes()).hexdigest()
    for place, (_, said, took_s) in zip(PLACES, lines, strict=True):
        assert said == right or (place not in RIGHT and "Error: " in said), (place, said)
        assert took_s < SLACK_S, (place, said)
    assert grew < GROWS_MAX


@pytest.mark.parametrize("wrong", WRONGS)
def test_copies_and_checks(server: HostileServer, tmp_path: Path, wrong: str) -> None:
    """A copy is right or is said to have failed; what is damaged for a copy is damaged for a check."""
    for where in WHERE:
        place = f"{wrong}-{where}"
        source, target = f"{server.url}/{place}/h.zarr", tmp_path / place
        options = ("--timeout", f"{TIMEOUT_S}")
        copied = run_process("copy", source, target, *options)
        checked = run_process("check", source, *options)
        for done in (copied, checked):
            assert "Traceback" not in done.stderr
            assert done.status in (0, 1), done.stderr
        if place in RIGHT:
            assert copied.status == checked.status == 0, (copied.stderr, checked.stderr)
        if copied.status == 0:
            assert all((zc.open(target)[name][...] == DATA).all() for name in "ab"), place
        else:
            assert len(copied.stderr.strip().splitlines()) >= 1


def test_a_mount(server: HostileServer, tmp_path: Path) -> None:
    """Through each tree; one daemon sees all that is wrong."""
    right = DATA.tobytes()
    with mounting(tmp_path) as mount:
        mounted = mount(server.url, "--timeout", f"{TIMEOUT_S}", "--metadata-ttl", "0")
        daemon, before = mounted.daemon(), peak_of(mounted.daemon())

        def read(place: str, tree: str) -> tuple[str, str, object, float]:
            began_s = time.monotonic()
            inside = mounted.path / tree / place / ("h.h5" if tree == "hdf5" else "h.zarr")
            found: object
            try:
                if tree == "arrays":
                    found = (inside / "a" / "data.raw").read_bytes()
                elif tree == "hdf5":
                    found = h5py.File(mounted.path / tree / place / "h.zarr" / "a.h5")["a"][...].tobytes()
                elif tree == "zarr3":
                    found = (inside / "a" / "c" / "1" / "0").read_bytes()
                else:
                    found = (inside / "a" / "c" / "1" / "0").read_bytes()
            except OSError as error:
                found = error
            return place, tree, found, time.monotonic() - began_s

        tasks = [(place, tree) for place in PLACES for tree in ("keys", "arrays", "zarr3", "hdf5")]
        with ThreadPoolExecutor(8) as pool:
            found = [*pool.map(lambda task: read(*task), tasks)]
        for place, tree, said, took_s in found:
            expected = {
                "keys": server.values["h.zarr/a/c/1/0"],
                "zarr3": DATA[32:, :32].tobytes(),
            }.get(tree, right)
            if isinstance(said, OSError):
                assert place not in RIGHT, (place, tree, said)
                assert "ENOENT" not in os.strerror(said.errno or 0), (place, tree, said)
            elif tree == "keys" and place == "login-chunk":
                assert b"<html>" in said, "keys are shown byte for byte"
            else:
                assert said == expected, (place, tree)
            assert took_s < PATIENCE_S, (place, tree, took_s)
        assert mounted.daemon() == daemon
        assert peak_of(daemon) - before < GROWS_MAX
        assert "Traceback" not in mounted.log.read_text()
        assert mounted.umount().status == 0


def test_a_served_tree(server: HostileServer) -> None:
    command = Path(sys.executable).with_name("zarrscope")
    options = ("--timeout", f"{TIMEOUT_S}", "--port", "0", "--allow-targets", server.url)
    with subprocess.Popen(
        [command, "serve", server.url, *options], stdout=subprocess.PIPE, text=True
    ) as serving:
        assert serving.stdout is not None
        try:
            line = serving.stdout.readline()
            address = re.search(r"http://[\d.:]+", line)
            assert address, line
            before = peak_of(serving.pid)

            def get(place: str) -> tuple[str, httpx.Response]:
                return place, httpx.get(f"{address[0]}/arrays/{place}/h.zarr/a/data.raw", timeout=PATIENCE_S)

            with ThreadPoolExecutor(8) as pool:
                for place, answer in pool.map(get, PLACES):
                    assert answer.status_code == 200 or answer.status_code >= 500, (place, answer)
                    assert answer.status_code != 200 or answer.content == DATA.tobytes(), place
                    assert answer.status_code == 200 or place not in RIGHT, (place, answer.text)
            assert serving.poll() is None
            assert peak_of(serving.pid) - before < GROWS_MAX
        finally:
            serving.terminate()
