"""The hierarchy that a command changes, and its consolidated metadata."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

import zarrcore as zc
from zarrcore.cli.changing.target import add_path_argument, open_target, path_in
from zarrcore.cli.source import add_source_arguments
from zarrcore.errors import HierarchyNotFoundError, ReadOnlyError, StoreNotFoundError


def namespace(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_source_arguments(parser, path=False)
    add_path_argument(parser, "path", "a path")
    return parser.parse_args(words)


def test_consolidated_metadata_are_kept(tmp_path: Path) -> None:
    with zc.create(tmp_path / "a", "v2") as made:
        made.consolidate()
    with open_target(namespace(str(tmp_path / "a"), "/")) as hierarchy:
        hierarchy.create_group("/new")
    assert "new/.zgroup" in (tmp_path / "a/.zmetadata").read_text()


def test_broken_consolidated_metadata_are_removed(tmp_path: Path) -> None:
    zc.create(tmp_path / "a", "v2")
    (tmp_path / "a/.zmetadata").write_text("{")
    with open_target(namespace(str(tmp_path / "a"), "/")) as hierarchy:
        hierarchy.create_group("/new")
    assert not (tmp_path / "a/.zmetadata").exists()


def test_what_cannot_be_changed_is_refused(tmp_path: Path) -> None:
    for format_ in ("v2", "v3"):
        zc.create(tmp_path / "folder" / format_, format_)
    (tmp_path / "empty").mkdir()
    for place, error in (
        ("folder", ReadOnlyError),
        ("empty", HierarchyNotFoundError),
        ("no", StoreNotFoundError),
    ):
        with pytest.raises(error), open_target(namespace(str(tmp_path / place), "/")):
            pass


def test_a_path_is_below_that_in_the_source() -> None:
    assert path_in(namespace("a.zarr#/g", "x"), "x/y") == "/g/x/y"
    assert path_in(namespace("a.zarr", "x"), "/x") == "/x"
