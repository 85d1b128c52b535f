"""Links of groups, in all forms in which they are stored."""

from __future__ import annotations

import io

import h5py
import pytest

from tests.core.stores.hdf5.written import node, opened, written
from zarrcore.stores.virtual.unreadable_node import reason_of


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


def test_a_link_of_an_unknown_kind_says_so() -> None:
    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        file["link"] = h5py.ExternalLink("other.h5", "/x")
    content = memory.getvalue()
    at = content.index(b"\x40\x04link")  # its kind, and the length of its name
    for kind, why in (
        (64, "the external link leads to /x in other.h5, which does not exist"),
        (65, "the link is of the kind 65, which zarrscope does not know"),
    ):
        changed = opened(content[:at] + bytes((kind,)) + content[at + 1 :])
        found = changed.find("link")
        assert found is not None
        assert reason_of(changed.document("link", found)) == why


def test_a_link_whose_name_has_a_wrong_length_hides_no_other() -> None:
    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        file["a"] = [1, 2]
        file["link"] = h5py.ExternalLink("other.h5", "/x")
        file["z"] = [3]
    content = memory.getvalue()
    at = content.index(b"\x40\x04link") + 1
    for length, why in (
        (255, "the name of the link has 255 bytes, more than are stored"),
        (0, "has no name"),
    ):
        changed = opened(content[:at] + bytes((length,)) + content[at + 1 :])
        assert set(node(changed, "").links) == {"a", "broken link 0", "z"}
        found = changed.find("broken link 0")
        assert found is not None
        assert (reason_of(changed.document("broken link 0", found)) or "").endswith(why)
        assert node(changed, "z").dataset.shape == (1,)


def test_a_name_outside_its_heap_hides_no_other() -> None:
    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        group = file.create_group("g")
        for name in "abc":
            group[name] = [1]
    content = memory.getvalue()
    at = content.rindex(b"SNOD") + 8 + 40  # the second symbol of the last group
    changed = opened(content[:at] + b"\xff" * 4 + content[at + 4 :])
    assert set(node(changed, "g").links) == {"a", "broken link 1", "c"}
    assert node(changed, "g/c").dataset.shape == (1,)
