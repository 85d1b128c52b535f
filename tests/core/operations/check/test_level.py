"""Checks of one group: the same findings as those of a whole check, from a bounded number of requests."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import zarr

import zarrcore as zc
from tests.core.hierarchy.stores import GROUP, Remote
from tests.core.operations.check.findings import DATA, findings
from zarrcore.operations.check import Finding, check_level


def level(root: Any, path: str = "/") -> list[Finding]:
    return [*check_level(zc.open_hierarchy(root), path)]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_level_has_the_findings_of_a_check(tmp_path: Path, zarr_format: Any) -> None:
    root = tmp_path / "x.zarr"
    group = zarr.create_group(root, zarr_format=zarr_format)
    for name in ("same", "changed", "gone"):
        group.create_array(name, data=DATA, chunks=(5, 5), attributes={"unit": "K"})
    zarr.consolidate_metadata(root, zarr_format=zarr_format)
    assert level(root) == []
    plain = zarr.open_group(root, mode="a", zarr_format=zarr_format, use_consolidated=False)
    plain["changed"].resize((20, 10))
    plain["changed"].attrs["unit"] = "degC"
    plain.create_group("new")
    shutil.rmtree(root / "gone")
    (root / "notes.txt").write_text("text")
    lost = root / "lost/c" if zarr_format == 3 else root / "lost"
    lost.mkdir(parents=True)
    (lost / "0").write_bytes(b"1234")
    found = level(root)
    assert {one.path for one in found} >= {"/changed", "/gone", "/new", "/"}
    assert ("chunks-without-document", "lost/") in {(one.what, one.key) for one in found}
    everything = findings(root)
    assert all(one in everything for one in found)
    differ = ["shape ([10, 10], not [20, 10])", 'unit ("K", not "degC")']
    assert [one.sentence.partition(":")[0] for one in found if one.path == "/changed"] == [
        f"the consolidated metadata differs in {', '.join(sorted(differ, reverse=zarr_format == 3))}"
    ]


def test_a_member_of_a_collection_is_named_by_its_path(tmp_path: Path) -> None:
    zarr.create_group(tmp_path / "one.zarr")
    zarr.create_group(tmp_path / "two.zarr")
    (tmp_path / "two.zarr/notes.txt").write_text("text")
    assert level(tmp_path) == []
    (found,) = level(tmp_path, "/two.zarr")
    assert (found.path, found.key) == ("/two.zarr", "two.zarr/notes.txt")


def test_a_large_group_takes_few_requests() -> None:
    store = Remote({"zarr.json": GROUP, **{f"{number}/zarr.json": GROUP for number in range(1000)}})
    (note,) = check_level(zc.open_hierarchy(store), names=20)
    assert (note.severity, note.what) == ("note", "not-checked")
    assert len(store.got) <= 3 * 20 + 10
