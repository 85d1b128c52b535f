"""Links of groups, in all forms in which they are stored."""

from __future__ import annotations

import io

import h5py
import pytest
from numcodecs.checksum32 import JenkinsLookup3

from tests.core.stores.hdf5.written import node, opened, written
from zarrcore.stores.hdf5.conventions import shown_attributes
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


@pytest.mark.parametrize(
    ("length", "why"), [(7, "a structure ends early"), (200, "more than are stored"), (0, "has no name")]
)
def test_a_wrong_length_in_a_header_of_version_2_hides_no_other(length: int, why: str) -> None:
    """The checksum of the header is right: a program wrote it so."""
    memory = io.BytesIO()
    with h5py.File(memory, "w", libver="latest") as file:
        for name in ("first", "middle", "last"):
            file[name] = [1]
            file.attrs[name] = 2
    content = memory.getvalue()
    for wanted, before in ((b"\x06middle", 0), (b"middle\0", 7)):
        changed = bytearray(content)
        at = changed.index(wanted) - before
        changed[at] = length + bool(before)  # the name of an attribute ends in a zero, which is counted
        found = opened(with_sums(content, bytes(changed)))
        root = node(found, "")
        shown = shown_attributes(found, root)
        if before:
            assert set(root.links) == {"first", "middle", "last"}
            assert (shown["first"], shown["last"]) == (2, 2)
            assert "zarrscope.unreadable" in shown["broken attribute 1"]
            continue
        assert shown == {"first": 2, "middle": 2, "last": 2}
        (broken,) = set(root.links) - {"first", "last"}
        assert broken.startswith("broken link ")
        place = found.find(broken)
        assert place is not None
        assert (reason_of(found.document(broken, place)) or "").endswith(why)
        assert node(found, "last").dataset.shape == (1,)


def with_sums(original: bytes, changed: bytes) -> bytes:
    """A changed file with right checksums: each part of an object header ends where the original's checksum is right."""
    content = bytearray(changed)
    for signature in (b"OHDR", b"OCHK"):
        start = -1
        while (start := original.find(signature, start + 1)) >= 0:
            for end in range(start + 8, len(original) - 3):
                if bytes(JenkinsLookup3().encode(original[start:end]))[-4:] == original[end : end + 4]:
                    content[start : end + 4] = JenkinsLookup3().encode(bytes(content[start:end]))
                    break
    return bytes(content)
