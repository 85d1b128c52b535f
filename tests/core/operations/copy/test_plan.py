"""The plan of a copy."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import zarrcore as zc
from tests.core.operations.copy.copying import copy
from zarrcore.formats import format_named
from zarrcore.operations.copy import CopyPlan, Layout, plan_copy
from zarrcore.stores.memory import MemoryStore


def test_a_plan_is_a_value(source: Path) -> None:
    hierarchy = zc.open_hierarchy(source)
    plan = plan_copy(hierarchy, to=format_named("v2"))
    again: CopyPlan = pickle.loads(pickle.dumps(plan))
    assert again.fingerprint == plan.fingerprint == plan_copy(hierarchy, to=format_named("v2")).fingerprint
    for other in (
        plan_copy(hierarchy, to=format_named("v3")),
        plan_copy(hierarchy, "/a", to=format_named("v2")),
        plan_copy(hierarchy, to=format_named("v2"), layout=Layout(chunk_shape=(3, 3))),
    ):
        assert other.fingerprint != plan.fingerprint


def test_blocks_that_do_not_fit_into_memory_are_refused(source: Path, tmp_path: Path) -> None:
    with pytest.raises(zc.StoreError, match="/g/s: copying one shard takes"):
        copy(source, tmp_path / "t", memory_nbytes=2000, codecs=())
    assert not (tmp_path / "t").exists()


def test_a_broken_node_is_not_copied_silently(source: Path, tmp_path: Path) -> None:
    (source / "g/zarr.json").write_text("{")
    with pytest.raises(zc.MetadataError, match=r"g/zarr\.json"):
        copy(source, tmp_path / "t")


def test_an_unsupported_node_is_named(source: Path) -> None:
    path = source / "a/zarr.json"
    path.write_text(path.read_text().replace('"bytes"', '"mycodec"'))
    with pytest.raises(
        zc.UnsupportedError, match="node '/a' cannot be copied: codec 'mycodec' is not supported"
    ):
        plan_copy(zc.open_hierarchy(source))


def test_a_name_that_the_other_format_reserves_is_not_lost_silently() -> None:
    source = zc.create(MemoryStore(), "n5")
    source.create_array("__mine/a", shape=(3,), dtype="int8")[...] = 1
    with pytest.raises(
        zc.UnsupportedError, match="node '/__mine' cannot be copied: name '__mine' is not allowed in Zarr v3"
    ):
        copy(source.store, MemoryStore(), to="v3")
    assert copy(source.store, MemoryStore(), "/__mine", to="v3").arrays == 1
