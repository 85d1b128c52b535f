"""Copying and checking on Dask clusters of real processes, which are killed in the middle of their work."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.command import run_inside
from tests.core.operations.check.findings import kinds
from tests.servers.dask import DaskCluster, dask_cluster, kill
from zarrcore.operations.check import check
from zarrcore.operations.cluster import Witness, on_cluster
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.operations.copy.layout import Layout
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore
from zarrcore.stores.memory import MemoryStore

pytestmark = pytest.mark.filterwarnings("ignore")

DATA = np.random.default_rng(2).integers(1, 1000, (100, 90), "u2")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A cluster of two workers for tests that do not harm it."""
    with dask_cluster(tmp_path_factory.mktemp("dask"), 2) as cluster:
        yield cluster


@pytest.fixture
def scheduler(running: DaskCluster) -> str:
    return running.address


@pytest.fixture
def source(tmp_path: Path) -> Path:
    root = zarr.create_group(tmp_path / "source.zarr")
    root.create_array("a", data=DATA, chunks=(10, 9))
    root.create_array("b", data=DATA * 2, chunks=(10, 9), shards=(50, 45))
    return tmp_path / "source.zarr"


def test_a_cluster_copies_everything(source: Path, tmp_path: Path, scheduler: str) -> None:
    target = tmp_path / "target"
    outcome = run_inside(
        "copy", source, target, "--to", "v2", "--chunks", "20,20", "--memory", "40K", "--scheduler", scheduler
    )
    assert (outcome.status, outcome.stderr) == (0, "")
    assert np.array_equal(zarr.open_array(target / "a", mode="r")[...], DATA)
    assert np.array_equal(zarr.open_array(target / "b", mode="r")[...], DATA * 2)
    assert not list(target.glob(".zarrscope*"))


def test_a_cluster_copies_what_can_be_copied(tmp_path: Path, scheduler: str) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("g/a", data=np.arange(60), chunks=(5,))
        file["link"] = h5py.SoftLink("/nope")
    words = ("copy", tmp_path / "a.h5", tmp_path / "b.zarr", "--skip", "--scheduler", scheduler)
    outcome = run_inside(*words)
    assert "/link is left out: the soft link leads to /nope, which does not exist" in outcome.stderr
    assert "1 node is left out" in outcome.text
    assert zc.open_hierarchy(tmp_path / "b.zarr")["g/a"][...].tolist() == [*range(60)]


def test_a_cluster_makes_the_levels_of_an_image(tmp_path: Path, scheduler: str) -> None:
    values = np.random.default_rng(0).integers(0, 200, (300, 200)).astype("u1")
    for name in ("here", "there"):
        with zc.create(tmp_path / name) as made:
            made.create_array("/im/0", shape=values.shape, dtype="u1", chunks=(40, 30))[...] = values
    words = ("im/0", "--levels", "2", "--method", "mode")
    assert run_inside("pyramid", tmp_path / "here", *words).status == 0
    assert run_inside("pyramid", tmp_path / "there", *words, "--scheduler", scheduler).status == 0
    outcome = run_inside("diff", tmp_path / "here", tmp_path / "there")
    assert (outcome.status, outcome.text) == (0, "")


def test_a_cluster_checks_as_this_process_does(source: Path, scheduler: str) -> None:
    clean = run_inside("check", source, "--scheduler", scheduler)
    assert (clean.status, clean.stderr) == (0, "")
    assert clean.text == "nothing wrong  (104 chunks of 2 arrays decoded)\n"
    (source / "a/c/0/0").write_bytes(b"broken")
    (source / "a/c/3/4").unlink()
    (source / "a/c/3/stray").write_bytes(b"")
    shard = source / "b/c/1/1"
    shard.write_bytes(bytes(10) + shard.read_bytes()[10:])
    with on_cluster(scheduler) as run_work:
        found = [*check(zc.open_hierarchy(source), run_work=run_work)]
    assert found == [*check(zc.open_hierarchy(source))]
    assert {finding.key for finding in found} == {"a/c/0/0", "a/c/3/stray", "b/c/1/1", ""}
    assert run_inside("check", source, "--scheduler", scheduler).status == 1


def test_members_of_a_collection_are_checked_on_the_cluster(
    source: Path, tmp_path: Path, scheduler: str
) -> None:
    (source / "a/c/0/0").write_bytes(b"broken")
    outcome = run_inside("check", tmp_path, "--scheduler", scheduler)
    assert "source.zarr/a/c/0/0" in outcome.text


def test_an_error_on_a_worker_reads_like_a_local_one(source: Path, tmp_path: Path, scheduler: str) -> None:
    (source / "a/c/0/0").write_bytes(b"broken")
    outcome = run_inside("copy", source, tmp_path / "target", "--scheduler", scheduler, "--codec", "gzip")
    assert outcome.status == 1
    assert outcome.stderr.startswith(f"zarrscope: a/c/0/0 in {source}: ")


def test_memory_stores_cannot_be_used_on_a_cluster(source: Path, scheduler: str) -> None:
    hierarchy = zc.open_hierarchy(source)
    with on_cluster(scheduler) as run, pytest.raises(zc.ClusterError, match="memory of this process"):
        execute(plan_copy(hierarchy), hierarchy, MemoryStore(), run_work=run)


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(zc.MissingExtraError, match=r"zarrscope\[dask\]"), on_cluster("tcp://127.0.0.1:1"):
        pass


def test_no_scheduler(source: Path) -> None:
    outcome = run_inside("check", source, "--scheduler", "no address")
    assert (outcome.status, outcome.stderr.count("\n")) == (1, 1)
    assert outcome.stderr.startswith("zarrscope: no Dask scheduler answers at no address: ")


@pytest.mark.parametrize("address", ["processes", "tcp://host", "tls://host:x"])
def test_a_malformed_address_makes_no_client(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that is made in vain takes 20 s to end with its process, and prints a traceback."""
    made: list[object] = []
    monkeypatch.setattr("distributed.Client", lambda *arguments, **_: made.append(arguments))
    with (
        pytest.raises(zc.ClusterError, match=f"^no Dask scheduler answers at {address}: "),
        on_cluster(address),
    ):
        pass
    assert made == []


def test_a_cluster_after_one_that_did_not_answer(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left of the first client waits for the second one if the thread of its event loop collects it."""
    from distributed.compatibility import asyncio_run

    def collect_first(*arguments: Any, **keywords: Any) -> Any:
        gc.collect()
        return asyncio_run(*arguments, **keywords)

    gc.disable()
    try:
        with pytest.raises(zc.ClusterError), on_cluster("no address"):
            pass
        monkeypatch.setattr("distributed.utils.asyncio_run", collect_first)
        with on_cluster(scheduler) as run_work:
            assert [item for item, _, _ in run_work([(Sleeping(), 1)])] == [1]
    finally:
        gc.enable()


@dataclass(frozen=True)
class Sleeping:
    """Work that takes a while, and tells which process did it."""

    seconds: float = 0.0
    fails: bool = False
    witnesses: tuple[Witness, ...] = ()
    at_once: int = 1

    def __call__(self, item: int) -> tuple[int, int, int]:
        time.sleep(self.seconds)
        if self.fails:
            raise KeyError(item)
        return item, os.getpid(), threading.get_ident()


def test_results_come_in_the_order_of_the_items(scheduler: str) -> None:
    one, other = Sleeping(), Sleeping(0.001)
    pairs = [(one if number < 300 else other, number) for number in range(400)]
    with on_cluster(scheduler) as run_work:
        results = [*run_work(iter(pairs))]
    assert [item for item, _, _ in results] == [*range(400)]
    assert len({process for _, process, _ in results}) == 2


def test_short_items_share_tasks(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scheduler needs some milliseconds for each task, whatever it does."""
    from distributed import Client

    tasks: list[int] = []
    submit = Client.submit

    def counted(client: Client, function: Any, packed: bytes, items: list[int], **keywords: Any) -> Any:
        tasks.append(len(items))
        return submit(client, function, packed, items, **keywords)

    monkeypatch.setattr(Client, "submit", counted)
    work = Sleeping()
    with on_cluster(scheduler) as run_work:
        results = [*run_work((work, number) for number in range(2000))]
    assert [item for item, _, _ in results] == [*range(2000)]
    assert tasks[0] == 1  # the time of an item is not known yet
    assert len(tasks) < 100


def test_work_that_waits_is_done_several_at_once(scheduler: str) -> None:
    work = Sleeping(0.01, at_once=4)
    with on_cluster(scheduler) as run_work:
        results = [*run_work((work, number) for number in range(64))]
    assert len({(process, thread) for _, process, thread in results}) >= 8


def test_an_unforeseen_error_of_a_worker_is_one_sentence(scheduler: str) -> None:
    with on_cluster(scheduler) as run_work, pytest.raises(zc.ClusterError, match=r"failed \(KeyError: 3\)"):
        next(run_work([(Sleeping(fails=True), 3)]))


class Different(ReadableStore):
    """A store that is another one in each process, as a directory that one machine does not mount."""

    url = "different"

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        return str(os.getpid()).encode()


def test_a_worker_that_sees_other_data_is_refused(scheduler: str) -> None:
    work = Sleeping(witnesses=(Witness(Different(), "zarr.json"),))
    with (
        on_cluster(scheduler) as run_work,
        pytest.raises(zc.ClusterError, match=r"zarr.json in different is not what the worker tcp://.* sees"),
    ):
        next(run_work([(work, 0)]))


class Elsewhere(Different):
    """A store that only this process can open."""

    def __reduce__(self) -> tuple[Any, ...]:
        return zc.open_store, ("/nonexistent",)


def test_a_worker_that_cannot_open_a_store_is_no_fault_of_the_data(scheduler: str) -> None:
    work = Sleeping(witnesses=(Witness(Elsewhere(), "zarr.json"),))
    with (
        on_cluster(scheduler) as run_work,
        pytest.raises(
            zc.ClusterError, match=r"the worker tcp://.* cannot work: there is no file or directory"
        ),
    ):
        next(run_work([(work, 0)]))


BLOCKS = 60
LARGE = np.random.default_rng(3).integers(0, 1 << 9, (BLOCKS, 200, 200), "u2")


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """An array whose copy takes seconds."""
    zarr.create_array(tmp_path / "large.zarr", data=LARGE, chunks=(1, 200, 200), compressors=None)
    return tmp_path / "large.zarr"


SLOW = ("--codec", "zstd:19", "--chunks", "1,100,200", "--memory", "4M")


def test_a_killed_worker_costs_nothing_but_time(large: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    hierarchy = zc.open_hierarchy(large)
    told = []

    with dask_cluster(tmp_path, 2) as cluster, on_cluster(cluster.address) as run_work:

        def progress(path: str, done: int, total: int) -> None:
            if not told:
                kill(cluster.workers[0])
            told.append(done)

        plan = plan_copy(hierarchy, layout=Layout((1, 100, 200)), memory_nbytes=1 << 20)
        store = zc.open_store(target, create=True)
        result = execute(plan, hierarchy, store, progress=progress, run_work=run_work)
        assert 0 < told[0] < result.copied_nbytes == LARGE.nbytes

        cluster.start_worker()
        cluster.wait_for_workers(2)
        second = cluster.workers[1]

        def kill_second(path: str, done: int, total: int) -> None:
            if second.is_alive():
                kill(second)

        assert [*check(zc.open_hierarchy(target), progress=kill_second, run_work=run_work)] == []
        assert not second.is_alive()
    assert np.array_equal(zarr.open_array(target, mode="r")[...], LARGE)


def test_a_lost_scheduler_is_one_line_and_the_copy_resumes(large: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    with dask_cluster(tmp_path, 1) as cluster:
        words = ("copy", str(large), str(target), *SLOW, "--scheduler", cluster.address)
        command = [Path(sys.executable).with_name("zarrscope"), *words]
        copying = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while copying.poll() is None and len(list(target.glob("c/*/*/*"))) < 8:
            time.sleep(0.01)
        assert cluster.scheduler is not None
        kill(cluster.scheduler)
        _, stderr = copying.communicate(timeout=60)
        expected = f"zarrscope: the Dask scheduler at {cluster.address} was lost or restarted before the work was done\n"
        assert (copying.returncode, stderr) == (1, expected)
        assert ("error", "unfinished-copy", "/") in kinds(target)

        for worker in cluster.workers:
            kill(worker)
        stored = {file: file.stat().st_mtime_ns for file in target.glob("c/*/*/*")}
        assert 0 < len(stored) < 2 * BLOCKS
        cluster.start_scheduler()
        cluster.start_worker()
        cluster.wait_for_workers(1)
        again = run_inside(*words, "--json")
        assert (again.status, again.stderr) == (0, "")
        assert '"is_resumed": true' in again.text
        rewritten = [file for file, time_ns in stored.items() if file.stat().st_mtime_ns != time_ns]
        assert len(rewritten) < len(stored)
        checked = run_inside("check", target, "--strict", "--scheduler", cluster.address)
        assert (checked.status, checked.stderr) == (0, "")
    assert np.array_equal(zarr.open_array(target, mode="r")[...], LARGE)


@pytest.mark.campaign
def test_a_scheduler_lost_during_a_check_is_not_a_fault_of_the_data(large: Path, tmp_path: Path) -> None:
    with dask_cluster(tmp_path, 1) as cluster, on_cluster(cluster.address) as run_work:

        def progress(path: str, done: int, total: int) -> None:
            if done and cluster.scheduler is not None:
                kill(cluster.scheduler)
                cluster.scheduler = None

        with pytest.raises(zc.ClusterError, match="lost or restarted"):
            assert [*check(zc.open_hierarchy(large), progress=progress, run_work=run_work)] == []


@pytest.mark.campaign
def test_workers_may_join_later(source: Path, tmp_path: Path) -> None:
    cluster = DaskCluster(tmp_path)
    try:
        cluster.start_scheduler()
        command = [
            Path(sys.executable).with_name("zarrscope"),
            "check",
            source,
            "--scheduler",
            cluster.address,
        ]
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            told = process.stderr.readline()
            assert told == f"the Dask cluster at {cluster.address} has no worker yet: waiting for one\n"
            cluster.start_worker()
            assert process.stderr.read() == ""
        assert process.returncode == 0
    finally:
        cluster.end()
