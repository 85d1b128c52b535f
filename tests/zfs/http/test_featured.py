"""The node that viewers open, and the links that open it."""

from __future__ import annotations

import json
import urllib.parse
from pathlib import Path

import pytest

import zarrcore as zc
from zarrfs.http.featured import find_featured
from zarrfs.http.viewers import VIEWERS, Featured, links
from zarrfs.trees.opening import open_trees
from zarrfs.trees.store_trees import TreeOptions

IMAGE = {
    "multiscales": [{"version": "0.4", "axes": [{"name": "y"}, {"name": "x"}], "datasets": [{"path": "0"}]}]
}


ROOT = Featured("/", is_image=False, is_array=False)


def featured(source: Path) -> list[Featured]:
    return [*find_featured(open_trees(source, TreeOptions()).arrays)]


def test_an_image_wins_over_arrays_and_arrays_over_the_root(tmp_path: Path) -> None:
    hierarchy = zc.create(tmp_path / "a.zarr")
    hierarchy.create_array("line", shape=(3,), dtype="int8")
    assert featured(tmp_path / "a.zarr") == [ROOT]
    hierarchy.create_array("deep/plane", shape=(3, 3), dtype="int8")
    assert featured(tmp_path / "a.zarr") == [Featured("/deep/plane", is_image=False, is_array=True), ROOT]
    hierarchy.create_group("deep/image", attributes=IMAGE)
    assert featured(tmp_path / "a.zarr") == [Featured("/deep/image", is_image=True, is_array=False), ROOT]


def test_a_large_hierarchy_is_not_walked_to_its_end(tmp_path: Path) -> None:
    hierarchy = zc.create(tmp_path / "a.zarr")
    for number in range(150):
        hierarchy.create_group(f"g{number:03}")
    hierarchy.create_array("z", shape=(3, 3), dtype="int8")
    assert featured(tmp_path / "a.zarr") == [ROOT]


ADDRESS = "http://127.0.0.1:8000/zarr3/a%20b/?token=x"


@pytest.mark.parametrize(
    ("node", "names"),
    [
        (Featured("/a b", is_image=True, is_array=False), ["neuroglancer", "vizarr", "vitessce"]),
        (Featured("/a b", is_image=False, is_array=True), ["neuroglancer", "vizarr"]),
        (Featured("/a b", is_image=False, is_array=False), ["gridlook"]),
    ],
)
def test_each_viewer_gets_the_address_as_it_wants_it(node: Featured, names: list[str]) -> None:
    made = {viewer.name: link for viewer, link in links(node, ADDRESS)}
    assert list(made) == names
    for viewer in VIEWERS:
        assert viewer.name not in made or made[viewer.name].startswith(f"{viewer.origin}/")
    if "neuroglancer" in made:
        state = json.loads(urllib.parse.unquote(made["neuroglancer"].partition("#!")[2]))
        assert state["layers"][0]["source"] == f"zarr://{ADDRESS}"
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(made["vizarr"]).query)
        assert query == {"source": [ADDRESS]}
    if "vitessce" in made:
        configuration = json.loads(urllib.parse.unquote(made["vitessce"].partition("url=data:,")[2]))
        assert configuration["datasets"][0]["files"] == [{"fileType": "image.ome-zarr", "url": ADDRESS}]
    if "gridlook" in made:
        assert made["gridlook"].partition("#")[2] == ADDRESS


def test_a_server_without_the_tree_of_zarr_v3_has_no_links() -> None:
    assert links(Featured("/", is_image=True, is_array=False), None) == []
