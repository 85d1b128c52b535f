"""A copy that is interrupted goes on where it stopped, and nothing else does."""

from __future__ import annotations

import importlib
import json
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.command import INTERRUPTIBLE, run_inside
from zarrcore.errors import NodeExistsError
from zarrcore.operations.copy import CopyResult, Layout, execute, plan_copy
from zarrcore.operations.marker import MARKER_KEY
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.memory import MemoryStore

DATA = np.random.default_rng(1).integers(1, 1000, (60, 80), "u2")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("written")
    zarr.create_group(path).create_array("a", data=DATA, chunks=(4, 8))
    return path


@pytest.fixture
def source(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "source.zarr"))


class Stopping(MemoryStore):
    """Counts how often each key is set, and fails at the n-th chunk."""

    def __init__(self) -> None:
        super().__init__()
        self.sets: Counter[str] = Counter()
        self.left = 10**9

    def set(self, key: str, value: Any, *, if_absent: bool = False) -> bool:
        if "/c/" in key:
            self.left -= 1
            if self.left < 0:
                raise zc.UnreachableError("the line is cut", key=key)
        self.sets[key] += 1
        return super().set(key, value, if_absent=if_absent)


def copy(
    source: Path, store: ReadableStore, chunks: tuple[int, ...] | None = None, **options: Any
) -> CopyResult:
    hierarchy = zc.open_hierarchy(source)
    # Of so little memory that a block is a chunk or two.
    plan = plan_copy(hierarchy, layout=Layout(chunk_shape=chunks), memory_nbytes=4000)
    return execute(plan, hierarchy, store, **options)


@pytest.mark.parametrize("chunks", [None, (5, 6)])
@pytest.mark.parametrize("after", [0, 1, 50])
def test_stored_chunks_are_not_copied_again(source: Path, chunks: tuple[int, ...] | None, after: int) -> None:
    store = Stopping()
    store.left = after
    with pytest.raises(zc.UnreachableError):
        copy(source, store, chunks)
    assert store.get(MARKER_KEY) is not None
    before = {key: count for key, count in store.sets.items() if "/c/" in key}
    store.left = 10**9
    result = copy(source, store, chunks)
    assert result.resumed
    assert result.resumed_nbytes + result.copied_nbytes == DATA.nbytes
    assert (result.resumed_nbytes > 0) == (after == 50)
    again = sum(store.sets[key] > 1 for key in before)
    if after == 50:
        assert again <= len(before) / 2, "but for blocks that were there in part"
    assert np.array_equal(zc.open_hierarchy(store)["a"][...], DATA)
    assert store.get(MARKER_KEY) is None


@pytest.mark.parametrize("chunks", [None, (5, 6)])
def test_a_source_that_changed_is_copied_again(
    source: Path, tmp_path: Path, chunks: tuple[int, ...] | None
) -> None:
    zarr.open_group(source).create_array("b", data=DATA, chunks=(4, 8))
    store = Stopping()
    store.left = 250 if chunks is None else 230  # in the second array
    with pytest.raises(zc.UnreachableError):
        copy(source, store, chunks)
    array = zarr.open_array(source / "a", mode="r+")
    array[:4, :8] = 7
    (source / "a/c/9/9").unlink()
    store.left = 10**9
    result = copy(source, store, chunks)
    assert result.changed == ("/a",)
    assert 0 < result.resumed_nbytes < DATA.nbytes, "of the array that did not change"
    copied = zc.open_hierarchy(store)
    assert np.array_equal(copied["a"][...], array[...])
    assert copied["a"][0, 0] == 7
    assert copied["a"][39, 79] == 0, "the chunk that is missing now was erased"
    assert np.array_equal(copied["b"][...], DATA)


def test_a_source_that_changed_is_found_again_if_resuming_is_interrupted(source: Path) -> None:
    store = Stopping()
    store.left = 120
    with pytest.raises(zc.UnreachableError):
        copy(source, store)
    zarr.open_array(source / "a", mode="r+")[:8] = 7
    store.left = 10
    with pytest.raises(zc.UnreachableError):
        copy(source, store)
    store.left = 10**9
    copy(source, store)
    assert np.array_equal(zc.open_hierarchy(store)["a"][...], zarr.open_array(source / "a", mode="r")[...])


def test_changes_are_found_in_groups_of_many_arrays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("zarrcore.operations.copy.execute"), "_DIGESTS", 3)
    group = zarr.create_group(tmp_path / "source")
    for name in "abcdefgh":
        group.create_array(name, data=DATA[:8, :8], chunks=(4, 8))
    store = Stopping()
    store.left = 12
    with pytest.raises(zc.UnreachableError):
        copy(tmp_path / "source", store)
    document = json.loads(bytes(store.get(MARKER_KEY) or b""))
    assert 1 <= len(document["chunks"]) <= 3
    group["a"][:4] = 7
    store.left = 10**9
    result = copy(tmp_path / "source", store)
    assert "/a" in result.changed
    assert zc.open_hierarchy(store)["a"][0, 0] == 7


def test_the_command_says_which_arrays_changed(source: Path, tmp_path: Path) -> None:
    target = LocalStore(tmp_path / "target", create=True)

    def stopped(*_: object) -> None:
        raise zc.UnreachableError("the line is cut")

    hierarchy = zc.open_hierarchy(source)
    plan = plan_copy(hierarchy)
    with pytest.raises(zc.UnreachableError):
        execute(plan, hierarchy, target, progress=stopped)
    zarr.open_array(source / "a", mode="r+")[:4] = 7
    again = run_inside("copy", source, tmp_path / "target")
    assert again.status == 0
    assert "/a changed since the earlier run, and is copied again" in again.stderr
    assert zc.open_hierarchy(tmp_path / "target")["a"][0, 0] == 7


def test_another_copy_is_not_resumed(source: Path) -> None:
    store = Stopping()
    store.left = 20
    with pytest.raises(zc.UnreachableError):
        copy(source, store)
    store.left = 10**9
    with pytest.raises(NodeExistsError, match="another copy, which was interrupted"):
        copy(source, store, (5, 5))
    copy(source, store, (5, 5), overwrite=True)
    assert zc.open_hierarchy(store)["a"].chunk_shape == (5, 5)
    assert np.array_equal(zc.open_hierarchy(store)["a"][...], DATA)


def test_an_overwriting_copy_is_resumed_too(source: Path) -> None:
    store = Stopping()
    zc.create(store, "v2").create_array("old", shape=(3,), dtype="int8")
    store.left = 50
    with pytest.raises(zc.UnreachableError):
        copy(source, store, overwrite=True)
    store.left = 10**9
    assert copy(source, store, overwrite=True).resumed_nbytes > 0
    assert "old" not in zc.open_hierarchy(store)


def test_an_unfinished_copy_never_passes_for_a_folder_of_hierarchies(source: Path) -> None:
    class Slow(MemoryStore):
        """Takes its time for the root's document."""

        def set(self, key: str, value: Any, *, if_absent: bool = False) -> bool:
            if key == "zarr.json":
                time.sleep(0.1)
            elif key == "a/zarr.json":
                assert self.get("zarr.json") is not None
            return super().set(key, value, if_absent=if_absent)

    copy(source, Slow())


def test_a_block_that_did_not_read_back_is_copied_again(source: Path) -> None:
    class Flipping(MemoryStore):
        flips = True

        def set(self, key: str, value: Any, *, if_absent: bool = False) -> bool:
            data = bytearray(value)
            if self.flips and key == "a/c/3/4":
                data[-1] ^= 1
            return super().set(key, bytes(data), if_absent=if_absent)

    store = Flipping()
    with pytest.raises(zc.ZarrError, match="a/c/3/"):
        copy(source, store)
    store.flips = False
    assert copy(source, store).resumed_nbytes > 0
    assert np.array_equal(zc.open_hierarchy(store)["a"][...], DATA)


def test_a_source_of_another_shape_is_another_copy(source: Path) -> None:
    store = Stopping()
    store.left = 20
    with pytest.raises(zc.UnreachableError):
        copy(source, store)
    zarr.open_group(source)["a"].resize((30, 80))
    with pytest.raises(NodeExistsError):
        copy(source, store)


def test_a_finished_copy_is_not_restarted(source: Path) -> None:
    store = Stopping()
    copy(source, store)
    with pytest.raises(NodeExistsError, match="a hierarchy of Zarr v3"):
        copy(source, store)


KILLED = """
import sys, time
from itertools import count
import zarrcore.operations.copy.block_copy as module
from zarrcore.cli.main import main

copy_block, begun = module.BlockCopy.__call__, count()

def slowly(self, box):
    # From where it is to be killed on so slowly that it will not have ended before, however busy the machine is.
    time.sleep(0.02 if next(begun) < 24 else 1)
    print("block", flush=True)
    return copy_block(self, box)

module.BlockCopy.__call__ = slowly
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_the_copy_of_a_killed_process_is_resumed(source: Path, tmp_path: Path, how: signal.Signals) -> None:
    target = tmp_path / "target"
    options = ["--to", "v2", "--codec", "gzip"]
    arguments = ["copy", str(source), str(target), *options, "--memory", "4K"]
    process = subprocess.Popen(
        [*INTERRUPTIBLE, sys.executable, "-c", KILLED, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for _ in range(20):
        process.stdout.readline()
    process.send_signal(how)
    _, stderr = process.communicate(timeout=60)
    assert (target / MARKER_KEY).exists()
    if how is signal.SIGINT:
        assert process.returncode == 130
        assert "run the same command again" in stderr
        assert "Traceback" not in stderr
    found = [file for file in (target / "a").iterdir() if not file.name.startswith(".z")]
    assert 0 < len(found) < 150
    assert "unfinished-copy" in run_inside("check", target, "--json").text
    again = run_inside(*arguments, "--json")
    assert (again.status, again.stderr) == (0, "")
    told = json.loads(again.text)
    assert told["is_resumed"]
    assert 0 < told["resumed_nbytes"] < DATA.nbytes
    assert np.array_equal(zarr.open_array(target / "a", mode="r")[...], DATA)
    fresh = tmp_path / "fresh"
    assert run_inside("copy", source, fresh, *options).status == 0
    assert values(target) == values(fresh), "byte for byte what an undisturbed copy makes"


def values(root: Path) -> dict[str, bytes]:
    return {entry.key: bytes(LocalStore(root).get(entry.key) or b"") for entry in LocalStore(root).list()}
