"""Addresses of nodes in the tree of Zarr v3, and what a client may remember."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from zarrfs.http.options import ServeOptions
from zarrfs.http.site import Site, site_of, tree_options
from zarrfs.http.viewers.links import ANY_ORIGIN, Featured
from zarrfs.trees.opening import open_trees

NODE = Featured("/g/a b", is_image=False, is_array=True)
ORIGIN = "http://localhost:8000"


@pytest.fixture
def site(source: Path) -> Iterator[Site]:
    options = ServeOptions(port=0)
    trees = open_trees(source, tree_options(options))
    made = site_of(trees, options)
    yield made
    made.workers.stop(0)
    trees.close()


@pytest.mark.parametrize(
    ("view", "expected"),
    [(None, f"{ORIGIN}/zarr3/g/a%20b/"), ("zarr3", f"{ORIGIN}/g/a%20b/"), ("arrays", None)],
)
def test_addresses(site: Site, view: str | None, expected: str | None) -> None:
    assert replace(site, view=view).address(ORIGIN, NODE) == expected


def test_an_address_with_a_token(site: Site) -> None:
    assert site.address(ORIGIN, NODE, "a/b") == f"{ORIGIN}/zarr3/g/a%20b/?token=a%2Fb"


@pytest.mark.parametrize(
    ("view", "names", "expected"),
    [
        (None, ["zarr3", "g", "x"], "/g/x"),
        (None, ["zarr3"], "/"),
        (None, ["arrays", "g"], None),
        ("zarr3", ["g"], "/g"),
        ("keys", ["g"], None),
    ],
)
def test_paths_of_directories(site: Site, view: str | None, names: list[str], expected: str | None) -> None:
    assert replace(site, view=view).node_path(names) == expected


def test_origins(site: Site) -> None:
    assert not site.allows("https://viewer.example")
    assert replace(site, origins=frozenset({"https://viewer.example"})).allows("https://viewer.example")
    assert replace(site, origins=frozenset({ANY_ORIGIN})).allows("https://any.example")


def test_answers_to_a_token_are_private(site: Site) -> None:
    scope, _, age = site.cache_control.partition(", ")
    assert (scope, age.startswith("max-age=")) == ("public", True)
    assert replace(site, is_private=True).cache_control == f"private, {age}"
