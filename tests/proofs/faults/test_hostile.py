"""The law of hostile servers: right bytes, or an error within the deadline; and the program lives, in little memory."""

from __future__ import annotations

import hashlib
import io
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
from tests.campaigns import ALL
from tests.command import Outcome
from tests.memory import ROOT
from tests.servers.hostile import WHERE, WRONGS, HostileServer, hostile_server, is_large
from tests.waiting import PATIENCE_S
from tests.zfs.conftest import mounting
from tests.zfs.forking import run_forked

DATA = np.arange(64 * 64, dtype="<i4").reshape(64, 64)
TIMEOUT_S = 2.0
SLACK_S = 20.0
"""How much longer an error may take than the rules say: for several requests after each other, and a busy machine."""
COMMANDS = (("copy", "chunk"), ("copy", "document"), ("check", "chunk"))
TREES = ("keys", "arrays", "zarr3", "hdf5")
SLOW = ("silent", "drips", "cut")
GROWS_MAX = 256 << 20
"""A listing of 128 MiB is read before it is refused, and 24 threads at once take 80 MiB, once."""
PLACES = tuple(
    f"{wrong}-{where}"
    for number, wrong in enumerate(WRONGS, 1)
    for at, where in enumerate(WHERE)
    if ALL or at == number % 3
)
RIGHT = tuple(f"{wrong}-{where}" for wrong in ("none", "throttled") for where in WHERE)
"""Where nothing is wrong, or not for long."""


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("hostile")
    hierarchy = zc.create(folder / "h.zarr")
    for name in "ab":
        hierarchy.create_array(name, shape=DATA.shape, dtype="int32", chunks=(32, 32))[...] = DATA
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
    assert {place for place, _, _ in lines} == {*PLACES}
    right = hashlib.sha256(DATA.tobytes()).hexdigest()
    for place, said, took_s in lines:
        assert said == right or (place not in RIGHT and "Error: " in said), (place, said)
        assert took_s < SLACK_S, (place, said)
    assert grew < GROWS_MAX


def test_copies_and_checks(server: HostileServer, tmp_path: Path) -> None:
    """A copy is right, or is said to have failed; a check finds what is wrong."""
    tasks = [
        (command, f"{wrong}-{where}")
        for number, wrong in enumerate(WRONGS)
        for at, (command, where) in enumerate(COMMANDS)
        if (ALL or wrong == "login" or at == number % 3)
        and (
            command != "check" or wrong not in SLOW
        )  # a check reads all chunks, each of which takes its time
    ]

    def run(task: tuple[str, str]) -> Outcome:
        command, place = task
        target = (tmp_path / place,) if command == "copy" else ()
        return run_forked(
            command, f"{server.url}/{place}/h.zarr", *target, "--timeout", f"{TIMEOUT_S}", timeout_s=180
        )

    with ThreadPoolExecutor(6) as pool:
        done = dict(zip(tasks, pool.map(run, tasks), strict=True))
    for (command, place), outcome in done.items():
        assert "Traceback" not in outcome.stderr, (command, place)
        assert outcome.status == 0 if place in RIGHT else outcome.status in (0, 1), (command, place, outcome)
        assert outcome.status == 0 or outcome.stderr + outcome.text, (command, place)
        if command == "copy" and outcome.status == 0:
            assert all((zc.open_hierarchy(tmp_path / place)[name][...] == DATA).all() for name in "ab"), place
    assert done["copy", "login-chunk"].status == done["check", "login-chunk"].status == 1


def test_a_mount(server: HostileServer, tmp_path: Path) -> None:
    """Through each tree; one daemon sees all that is wrong."""
    right = DATA.tobytes()
    with mounting(tmp_path) as mount:
        mounted = mount(server.url, "--timeout", f"{TIMEOUT_S}")
        daemon, before = mounted.daemon(), peak_of(mounted.daemon())

        def read(place: str, tree: str) -> tuple[str, str, object, float]:
            began_s = time.monotonic()
            inside = mounted.path / tree / place / "h.zarr"
            found: object
            try:
                if tree == "arrays":
                    found = (inside / "a" / "data.raw").read_bytes()
                elif tree == "hdf5":
                    # Read first: h5py has one lock for all files.
                    content = (inside / "a.h5").read_bytes()
                    found = h5py.File(io.BytesIO(content))["a"][...].tobytes()
                else:
                    with (inside / "a" / "c" / "1" / "0").open("rb") as file:
                        found = file.read(1 << 20)  # a terabyte was announced
            except OSError as error:
                found = error
            return place, tree, found, time.monotonic() - began_s

        tasks = [(place, tree) for place in PLACES for tree in TREES]
        with ThreadPoolExecutor(24) as pool:
            found = [*pool.map(lambda task: read(*task), [task for task in tasks if not is_large(task[0])])]
        found += [read(*task) for task in tasks if is_large(task[0])]
        for place, tree, said, took_s in found:
            expected = {
                "keys": server.values["h.zarr/a/c/1/0"],
                "zarr3": DATA[32:, :32].tobytes(),
            }.get(tree, right)
            if isinstance(said, OSError):
                assert place not in RIGHT, (place, tree, said)
                assert "ENOENT" not in os.strerror(said.errno or 0), (place, tree, said)
            elif tree == "keys" and place in ("login-chunk", "announced-chunk"):
                assert said != expected, "keys are shown byte for byte"
            else:
                assert said == expected, (place, tree)
            assert took_s < PATIENCE_S, (place, tree, took_s)
        assert mounted.daemon() == daemon
        assert peak_of(daemon) - before < GROWS_MAX
        assert "Traceback" not in mounted.log.read_text()
        assert mounted.umount().status == 0


def test_a_served_tree(server: HostileServer) -> None:
    command = Path(sys.executable).with_name("zarrscope")
    options = ("--timeout", f"{TIMEOUT_S}", "--port", "0")
    with subprocess.Popen(
        [command, "serve", server.url, *options], stdout=subprocess.PIPE, text=True
    ) as serving:
        assert serving.stdout is not None
        try:
            line = serving.stdout.readline()
            address = re.search(r"is at (http://[\d.:]+)", line)
            assert address, line
            before = peak_of(serving.pid)

            def get(place: str) -> tuple[str, httpx.Response]:
                return place, httpx.get(f"{address[1]}/arrays/{place}/h.zarr/a/data.raw", timeout=PATIENCE_S)

            with ThreadPoolExecutor(24) as pool:
                answers = [*pool.map(get, [place for place in PLACES if not is_large(place)])]
            answers += [get(place) for place in PLACES if is_large(place)]
            for place, answer in answers:
                assert answer.status_code == 200 or answer.status_code >= 500, (place, answer)
                assert answer.status_code != 200 or answer.content == DATA.tobytes(), place
                assert answer.status_code == 200 or place not in RIGHT, (place, answer.text)
            assert serving.poll() is None
            assert peak_of(serving.pid) - before < GROWS_MAX
        finally:
            serving.terminate()
