"""Links of groups, in all forms in which they are stored."""

from __future__ import annotations

import h5py
import pytest

from tests.core.stores.hdf5.written import node, written


@pytest.mark.parametrize("options", [{}, {"libver": "latest"}])
@pytest.mark.parametrize("track_order", [False, True])
@pytest.mark.parametrize("count", [0, 5, 300])
def test_links_of_all_kinds(count: int, track_order: bool, options: dict) -> None:
    def write(file: h5py.File) -> None:
        group = file.create_group("g", track_order=track_order)
        for number in range(count):
            group.create_group(f"ü{number}")
        group["soft"] = h5py.SoftLink("/a/b")
        group["external"] = h5py.ExternalLink("f.h5", "/x")

    links = node(written(write, **options), "g").links
    assert {*links} == {*(f"ü{number}" for number in range(count)), "soft", "external"}
    assert links["soft"].target == "/a/b"
    assert (links["external"].file, links["external"].target) == ("f.h5", "/x")
    assert all(links[f"ü{number}"].address for number in range(count))
