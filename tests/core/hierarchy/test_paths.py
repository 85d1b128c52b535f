"""Paths of nodes."""

from __future__ import annotations

import pytest

from zarrcore.errors import SelectionError
from zarrcore.hierarchy import normalize_path


@pytest.mark.parametrize("path", ["foo/bar", "/foo/bar", "//foo//bar//", "foo/bar/"])
def test_superfluous_slashes_are_removed(path: str) -> None:
    assert normalize_path(path) == "/foo/bar"


@pytest.mark.parametrize("path", ["", "/", "//"])
def test_the_root(path: str) -> None:
    assert normalize_path(path) == "/"


@pytest.mark.parametrize("path", ["..", "/foo/..", "./foo", "foo\0"])
def test_invalid_segments_are_refused(path: str) -> None:
    with pytest.raises(SelectionError, match="cannot be the name of a node"):
        normalize_path(path)
