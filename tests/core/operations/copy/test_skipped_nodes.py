"""Copies that leave out nodes that cannot be copied."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import h5py
import numpy as np
import pytest

import zarrcore as zc
from tests.command import run_inside
from tests.core.stores.hdf5.written import WHY_NOT_SHOWN, add_unshown
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.operations.marker import MARKER_KEY
from zarrcore.stores import ByteRange, BytesLike, StoreEntry
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.memory import MemoryStore

DEAD = "the soft link leads to /nope, which does not exist"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An HDF5 file with two nodes that cannot be read."""
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("g/a", data=np.arange(60), chunks=(5,))
        add_unshown(file["g"], "records")
        file["link"] = h5py.SoftLink("/nope")
    return tmp_path / "a.h5"


def paths(source: Path | MemoryStore) -> list[str]:
    with zc.open_hierarchy(source) as hierarchy:
        return [node.path for node in hierarchy.walk()]


def test_a_broken_node_ends_the_copy_and_names_the_option(file: Path, tmp_path: Path) -> None:
    outcome = run_inside("copy", file, tmp_path / "b.zarr")
    assert outcome.status == 1
    assert outcome.stderr == (
        f"zarrscope: node '/g/records' cannot be copied: {WHY_NOT_SHOWN} (copy --skip leaves it out)\n"
    )
    assert not (tmp_path / "b.zarr").exists()


@pytest.mark.parametrize("target", ["v2", *(["icechunk"] if importlib.util.find_spec("icechunk") else [])])
def test_broken_nodes_are_left_out_and_told(file: Path, tmp_path: Path, target: str) -> None:
    place = tmp_path / "b.zarr"
    outcome = run_inside("copy", file, place, "--skip", "--to", target)
    assert outcome.status == 1
    assert outcome.stderr.splitlines() == [
        f"zarrscope: /g/records is left out: {WHY_NOT_SHOWN}",
        f"zarrscope: /link is left out: {DEAD}",
    ]
    assert "; 2 nodes are left out" in outcome.text
    assert paths(place) == ["/", "/g", "/g/a"]
    outcome = run_inside("copy", file, tmp_path / "c.zarr", "--skip", "--json")
    assert json.loads(outcome.text)["skipped"] == {"/g/records": WHY_NOT_SHOWN, "/link": DEAD}


def test_a_copy_with_nodes_left_out_is_resumed(file: Path) -> None:
    class Stopping(MemoryStore):
        left = 5

        def set(self, key: str, value: object, *, if_absent: bool = False) -> bool:
            self.left -= "/c/" in key
            if self.left < 0:
                raise zc.UnreachableError("the line is cut", key=key)
            return super().set(key, value, if_absent=if_absent)  # type: ignore[arg-type]

    store = Stopping()
    hierarchy = zc.open_hierarchy(file)
    with pytest.raises(zc.UnreachableError):
        execute(plan_copy(hierarchy, skip=True, memory_nbytes=200), hierarchy, store)
    assert store.get(MARKER_KEY) is not None
    store.left = 1000
    result = execute(plan_copy(hierarchy, skip=True, memory_nbytes=200), hierarchy, store)
    assert result.resumed
    assert result.resumed_nbytes > 0
    assert result.left.count == 0
    assert zc.open_hierarchy(store)["g/a"][...].tolist() == [*range(60)]


class Denied(LocalStore):
    """A store with a directory that may not be read, as its mode says to users other than root."""

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        if key.startswith("g/s/"):
            raise zc.AccessDeniedError(f"{key}: Permission denied", key=key)
        return super().get(key, byte_range, max_nbytes=max_nbytes)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        if prefix.startswith("g/s/"):
            raise zc.AccessDeniedError(f"{prefix}: Permission denied", key=prefix)
        return super().list_dir(prefix)


def test_a_directory_that_may_not_be_read_is_left_out(source: Path) -> None:
    (source / "g/notes").write_text("mine")
    hierarchy = zc.open_hierarchy(Denied(source))
    plan = plan_copy(hierarchy, skip=True)
    assert [path for path, _ in plan.skipped] == ["/g/s"]
    target = MemoryStore()
    assert execute(plan, hierarchy, target).left.examples == ("g/notes",)
    assert zc.open_hierarchy(target)["a"].shape == zc.open_hierarchy(source)["a"].shape


def test_keys_of_nodes_left_out_are_not_told_again(source: Path) -> None:
    document = source / "g/s/zarr.json"
    document.write_text("{")
    with pytest.raises(zc.MetadataError, match=r"^g/s/zarr\.json: .* \(copy --skip leaves it out\)$"):
        plan_copy(zc.open_hierarchy(source))
    hierarchy = zc.open_hierarchy(source)
    plan = plan_copy(hierarchy, skip=True)
    assert [path for path, _ in plan.skipped] == ["/g/s"]
    assert execute(plan, hierarchy, MemoryStore()).left.count == 0


def test_what_the_format_cannot_hold_is_left_out() -> None:
    source = zc.create(MemoryStore(), "n5")
    for path in ("__mine/a", "b"):
        source.create_array(path, shape=(3,), dtype="int8")[...] = 1
    plan = plan_copy(source, to=zc.Format.V3, skip=True)
    assert plan.skipped == (("/__mine", "name '__mine' is not allowed in Zarr v3"),)
    target = MemoryStore()
    assert execute(plan, source, target).left.count == 0
    assert paths(target) == ["/", "/b"]
    made = zc.create(MemoryStore())
    made.create_array("small", shape=(3,), dtype="int4")
    plan = plan_copy(made, to=zc.Format.V2, skip=True)
    assert plan.skipped == (("/small", "data type 'int4' cannot be expressed in Zarr v2"),)


def test_the_node_that_is_copied_is_never_left_out(file: Path) -> None:
    for skip in (False, True):
        with pytest.raises(zc.UnsupportedError, match="/link' cannot be copied") as caught:
            plan_copy(zc.open_hierarchy(file), "/link", skip=skip)
        assert "--skip" not in str(caught.value)


@pytest.mark.parametrize("error", [zc.UnreachableError("it is away"), zc.StoreTimeoutError("too late")])
def test_a_store_that_fails_is_not_a_broken_node(error: zc.ZarrError, source: Path) -> None:
    hierarchy = zc.open_hierarchy(source)
    broken = hierarchy.broken("/a", error)
    walked = [node if node.path != "/a" else broken for node in hierarchy.walk()]
    with (
        mock.patch.object(type(hierarchy), "walk", return_value=iter(walked)),
        pytest.raises(type(error), match=str(error)),
    ):
        plan_copy(hierarchy, skip=True)


def test_a_part_that_does_not_open_is_left_out_of_a_collection(source: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"no zip file")
    hierarchy = zc.open_hierarchy(tmp_path)
    with pytest.raises(zc.ZarrError, match="copy --skip leaves it out"):
        plan_copy(hierarchy)
    plan = plan_copy(hierarchy, skip=True)
    assert [path for path, _ in plan.skipped] == ["/bad.zip"]
    assert execute(plan, hierarchy, MemoryStore()).left.count == 0


@pytest.mark.parametrize("to", [zc.Format.V2, zc.Format.V3])
def test_arrays_that_only_stale_consolidated_metadata_include_are_skipped(
    tmp_path: Path, to: zc.Format
) -> None:
    source = tmp_path / "a.zarr"
    with zc.create(source, format=to) as made:
        for path in ("/kept", "/gone", "/g/gone"):
            made.create_array(path, shape=(4,), dtype="int64")[...] = np.arange(4)
        made.consolidate()
    for path in ("gone", "g"):
        shutil.rmtree(source / path)
    hierarchy = zc.open_hierarchy(source, believe_consolidated=True)
    plan = plan_copy(hierarchy, skip=True)
    assert [path for path, _ in plan.skipped] == ["/g/gone", "/gone"]
    assert all("consolidated" in why for _, why in plan.skipped)
    store = MemoryStore()
    execute(plan, hierarchy, store)
    assert zc.open_hierarchy(store)["kept"].read().tolist() == [0, 1, 2, 3]
    with pytest.raises(zc.BrokenReferenceError):
        execute(plan_copy(hierarchy), hierarchy, MemoryStore())
