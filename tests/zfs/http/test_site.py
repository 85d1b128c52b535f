"""What all requests share: the places of nodes, and how long a client may keep an answer."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from zarrfs.http.options import ServeOptions, Token
from zarrfs.http.site import Site, site_of, tree_options
from zarrfs.http.viewers import Featured
from zarrfs.trees.opening import open_trees

NODE = Featured("/a b/.", is_image=False, is_array=True)


def site(source: Path, **options: object) -> Site:
    chosen = ServeOptions(**options)
    return site_of(open_trees(source, tree_options(chosen)), chosen)


@pytest.mark.parametrize(
    ("view", "address"),
    [
        (None, "http://h/zarr3/a%20b/%252E/?token=%2B"),
        ("zarr3", "http://h/a%20b/%252E/?token=%2B"),
        ("keys", None),
    ],
)
def test_a_node_has_an_address_where_its_tree_is_shown(
    ocean: Path, view: str | None, address: str | None
) -> None:
    shown = site(ocean, view=view)
    assert shown.address("http://h", NODE, "+") == address
    assert address is None or shown.address("http://h", NODE) == address.partition("?")[0]


def test_a_path_of_that_tree_leads_back_to_the_node(ocean: Path) -> None:
    assert site(ocean).node_path(["zarr3", "a b", "%2E"]) == "/a b/."
    assert site(ocean).node_path(["arrays", "a"]) is None
    assert site(ocean, view="zarr3").node_path(["zarr3"]) == "/zarr3"
    assert site(ocean, view="keys").node_path(["zarr3"]) is None


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({}, "public, max-age=20"),
        ({"ttl_s": 0.0}, "no-cache"),
        ({"ttl_s": math.inf}, "public, max-age=31536000"),
        ({"token": Token("x")}, "private, max-age=20"),
    ],
)
def test_a_client_keeps_an_answer_for_its_share_of_the_time_to_live(
    ocean: Path, options: dict, value: str
) -> None:
    assert site(ocean, **options).cache_control == value


def test_origins_are_allowed_by_name_or_all(ocean: Path) -> None:
    assert site(ocean, origins=("https://a.example",)).allows("https://a.example")
    assert not site(ocean, origins=("https://a.example",)).allows("https://b.example")
    assert site(ocean, origins=("*",)).allows("https://b.example")
