"""The same plan on a Dask cluster of real processes."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.command import run_inside
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.operations.copy.cluster import on_cluster
from zarrcore.stores.memory import MemoryStore

DATA = np.random.default_rng(2).integers(1, 1000, (100, 90), "u2")


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a cluster of two processes."""
    from distributed import LocalCluster

    with warnings.catch_warnings(action="ignore"):
        cluster = LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            scheduler_port=0,
            dashboard_address=None,
            silence_logs=50,
        )
        try:
            yield cluster.scheduler_address
        finally:
            cluster.close()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    root = zarr.create_group(tmp_path / "source.zarr")
    root.create_array("a", data=DATA, chunks=(10, 9))
    root.create_array("b", data=DATA * 2, chunks=(10, 9), shards=(50, 45))
    return tmp_path / "source.zarr"


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_copies_everything(source: Path, tmp_path: Path, scheduler: str) -> None:
    target = tmp_path / "target"
    outcome = run_inside(
        "copy", source, target, "--to", "v2", "--chunks", "20,20", "--memory", "40K", "--scheduler", scheduler
    )
    assert (outcome.status, outcome.stderr) == (0, "")
    assert np.array_equal(zarr.open_array(target / "a", mode="r")[...], DATA)
    assert np.array_equal(zarr.open_array(target / "b", mode="r")[...], DATA * 2)
    assert not list(target.glob(".zarrscope*"))


@pytest.mark.filterwarnings("ignore")
def test_an_error_on_a_worker_reads_like_a_local_one(source: Path, tmp_path: Path, scheduler: str) -> None:
    (source / "a/c/0/0").write_bytes(b"broken")
    outcome = run_inside("copy", source, tmp_path / "target", "--scheduler", scheduler, "--codec", "gzip")
    assert outcome.status == 1
    assert outcome.stderr.startswith("zarrscope: a/c/0/0: ")


@pytest.mark.filterwarnings("ignore")
def test_memory_stores_cannot_be_copied_on_a_cluster(source: Path, scheduler: str) -> None:
    hierarchy = zc.open(source)
    with on_cluster(scheduler) as run, pytest.raises(zc.StoreError, match="memory of this process"):
        execute(plan_copy(hierarchy), hierarchy, MemoryStore(), run_pieces=run)


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(zc.MissingExtraError, match=r"zarrscope\[dask\]"), on_cluster("tcp://127.0.0.1:1"):
        pass
