"""Checks of groups."""

from __future__ import annotations

import shutil
from pathlib import Path

import zarr

from tests.core.operations.check.findings import DATA, findings, kinds


def test_names_that_differ_in_case_only(root: Path) -> None:
    zarr.open_group(root, mode="a").create_group("A")
    assert kinds(root) == {("warning", "equal-but-for-case", "/a")}


def test_a_group_without_a_document(root: Path) -> None:
    shutil.copytree(root / "a", root / "implied/b")
    assert kinds(root) == {("warning", "implicit-group", "/implied")}


def test_a_group_of_version_2_without_a_document(tmp_path: Path) -> None:
    zarr.create_group(tmp_path / "x.zarr", zarr_format=2)
    zarr.create_array(tmp_path / "x.zarr/implied/b", data=DATA, chunks=(5, 5), zarr_format=2)
    assert [(finding.severity, finding.what, finding.key) for finding in findings(tmp_path / "x.zarr")] == [
        ("warning", "implicit-group", "implied/")
    ]


def test_a_name_that_version_3_reserves_is_listed_as_by_zarr_python_with_a_warning(root: Path) -> None:
    group = zarr.open_group(root, mode="a")
    group.create_array("__x", data=DATA)
    assert "__x" in {name for name, _ in group.members()}
    assert kinds(root) == {("warning", "reserved-name", "/__x")}


def test_chunks_whose_document_is_gone_are_named(tmp_path: Path) -> None:
    for zarr_format in (2, 3):
        root = tmp_path / f"{zarr_format}.zarr"
        zarr.create_group(root, zarr_format=zarr_format).create_array("a", data=DATA, chunks=(5, 5))
        (root / "a" / ("zarr.json" if zarr_format == 3 else ".zarray")).unlink()
        for leftover in root.glob("a/.zattrs"):
            leftover.unlink()
        zarr.open_group(root).create_array("z/inner", data=DATA)
        (root / "z" / ("zarr.json" if zarr_format == 3 else ".zgroup")).unlink()
        assert sorted((one.severity, one.what, one.key) for one in findings(root)) == [
            ("warning", "chunks-without-document", "a/"),
            ("warning", "implicit-group", "z/"),
        ]
