"""Paths and links of HDF5 files, and files that are broken."""

from __future__ import annotations

import random
from pathlib import Path
from unittest import mock

import h5py
import numpy as np
import pytest

import zarrcore
from tests.proofs.fuzz.targets import hdf5_sources
from tests.servers.distant import distant_server
from zarrcore.errors import HierarchyNotFoundError, StoreError, UnreadableNodeError, UnsupportedError


def kinds(path: Path) -> dict[str, str]:
    """The kinds of all nodes."""
    with zarrcore.open_hierarchy(path) as hierarchy:
        return {node.path: node.kind for node in hierarchy.walk()}


def test_links_lead_to_objects_or_say_why_not(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["g/a"] = np.arange(3)
        file["hard"] = file["g"]
        file["soft"] = h5py.SoftLink("/g/a")
        file["g/relative"] = h5py.SoftLink("a")
        file["through"] = h5py.SoftLink("/hard/relative")
        file["dangling"] = h5py.SoftLink("/nothing")
        file["itself"] = h5py.SoftLink("/itself")
        file["outside"] = h5py.ExternalLink("other.h5", "/x")
        file["g/up"] = file["/"]
    found = kinds(tmp_path / "a.h5")
    broken = {path for path, kind in found.items() if kind == "broken"}
    assert broken == {"/dangling", "/itself", "/outside", "/g/up", "/hard/up"}
    assert {path for path, kind in found.items() if kind == "array"} == {
        *("/g/a", "/hard/a", "/soft", "/g/relative", "/hard/relative", "/through")
    }
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        assert hierarchy["through"][...].tolist() == [0, 1, 2]
        for path, why in (
            ("dangling", "the soft link leads to /nothing, which does not exist"),
            ("itself", "the link leads to itself, or through more than 256 others"),
            ("outside", "the external link leads to /x in other.h5, which does not exist"),
            ("g/up", "the link leads to a group above it"),
        ):
            with pytest.raises(UnreadableNodeError) as caught:
                hierarchy[path]
            assert (str(caught.value), caught.value.reason) == (f"/{path}: {why}", why)


def test_external_links_lead_to_other_files(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    with h5py.File(tmp_path / "below/b.h5", "w") as file:
        file.create_dataset("g/a", data=np.arange(6), chunks=(4,), compression="gzip")
        file["g/a"].attrs["text"] = "ü"
        file["x"] = np.arange(6)
        file["x"].make_scale("x")
        file["g/a"].dims[0].attach_scale(file["x"])
        file["soft"] = h5py.SoftLink("/g/a")
        file["back"] = h5py.ExternalLink("../a.h5", "/")
        file["loop"] = h5py.ExternalLink("b.h5", "/loop")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, target in (
            ("g", "/g"),
            ("g2/a", "g/a"),
            ("soft", "/soft"),
            ("all", "/"),
            ("none", "/none"),
        ):
            file[name] = h5py.ExternalLink("below/b.h5", target)
        file["loop"] = h5py.ExternalLink("below/b.h5", "/loop")
        file["own"] = h5py.ExternalLink("a.h5", "/g2")
        file["other"] = h5py.ExternalLink("text.h5", "/g2")
    (tmp_path / "text.h5").write_text("no HDF5")
    found = kinds(tmp_path / "a.h5")
    arrays = {path for path, kind in found.items() if kind == "array"}
    assert arrays == {"/g/a", "/g2/a", "/soft", "/own/a", "/all/g/a", "/all/soft", "/all/x"}
    broken = {path for path, kind in found.items() if kind == "broken"}
    assert broken == {"/none", "/loop", "/other", "/all/back", "/all/loop"}
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        for path in arrays:
            assert hierarchy[path][...].tolist() == [0, 1, 2, 3, 4, 5]
        assert hierarchy["own/a"].attributes == {"text": "ü"}
        assert hierarchy["all/g/a"].dimension_names == ("x",)
        assert hierarchy["own/a"].dimension_names == ("x",)
        for path, why in (
            ("none", "does not exist"),
            ("other", "is not HDF5"),
            ("all/back", "group above it"),
        ):
            with pytest.raises(UnsupportedError, match=why):
                hierarchy[path]


def test_external_links_on_a_server(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file.create_dataset("a", data=np.arange(6), chunks=(2,))
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["a"] = h5py.ExternalLink("b.h5", "/a")
        file["local"] = h5py.ExternalLink("/etc/hosts", "/a")
    with distant_server(tmp_path) as server, zarrcore.open_hierarchy(f"{server.url}/a.h5") as hierarchy:
        assert hierarchy["a"][...].tolist() == [0, 1, 2, 3, 4, 5]
        with pytest.raises(UnsupportedError, match="--allow-targets /etc allows it"):
            hierarchy["local"]


def test_a_web_of_hard_links_is_bounded(tmp_path: Path) -> None:
    """Two links from each group to the next one: 2⁴⁰ paths."""
    with h5py.File(tmp_path / "a.h5", "w") as file:
        group = file
        for _ in range(40):
            following = group.create_group("a")
            group["b"] = following
            group = following
        group["x"] = [1, 2]
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        assert hierarchy["/".join("ab" * 20) + "/x"][...].tolist() == [1, 2]
    with mock.patch("zarrcore.stores.hdf5.file._MAX_AGAIN", 50):
        found = kinds(tmp_path / "a.h5")
        assert list(found.values()).count("group") == 41 + 50
        assert 0 < list(found.values()).count("broken") < 200
        with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
            told = [str(node.error) for node in hierarchy.walk() if node.kind == "broken"]
        assert all("other paths lead to this group, too, and only the first 50 such" in why for why in told)


def test_soft_links_through_many_others_end(tmp_path: Path) -> None:
    """Each goes twice through the one before: 2⁴⁰ steps."""
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["g/x"] = [1, 2]
        file["g/l0"] = h5py.SoftLink("/g")
        for number in range(1, 40):
            file[f"g/l{number}"] = h5py.SoftLink(f"/g/l{number - 1}/l{number - 1}")
        file["last"] = h5py.SoftLink("/g/l39/x")
        file["first"] = h5py.SoftLink("/g/l5/x")
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        assert hierarchy["first"][...].tolist() == [1, 2]
        with pytest.raises(UnsupportedError, match="more than 256 others"):
            hierarchy["last"]


@pytest.mark.parametrize("options", [{}, {"libver": "latest"}])
def test_groups_with_many_children_and_attributes(tmp_path: Path, options: dict) -> None:
    with h5py.File(tmp_path / "a.h5", "w", **options) as file:
        for number in range(1000):
            file.create_group(f"g{number:03}")
        for number in range(200):
            file.attrs[f"a{number}"] = f"text {number}"
        if options:
            file.attrs["large"] = np.arange(20_000.0)
    assert len(kinds(tmp_path / "a.h5")) == 1001
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        attributes = hierarchy["/"].attributes
        assert [attributes[f"a{number}"] for number in range(200)] == [
            f"text {number}" for number in range(200)
        ]
        assert not options or attributes["large"] == [*range(20_000)]


def test_attributes_are_json(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.attrs.update(
            {"text": "ü", "one": [5], "many": [[1, 2], [3, 4]], "texts": ["a", "b"], "yes": True}
        )
        file.attrs["record"] = np.array((1, 2.5), [("a", "i1"), ("b", "f8")])
        file.attrs["complex"] = 1 + 2j
        file.attrs["nothing"] = h5py.Empty("f4")
        file.attrs["reference"] = file["/"].ref
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        assert hierarchy["/"].attributes == {
            "text": "ü",
            "one": 5,
            "many": [[1, 2], [3, 4]],
            "texts": ["a", "b"],
            "yes": True,
            "record": {"a": 1, "b": 2.5},
            "complex": [1.0, 2.0],
            "nothing": None,
            "reference": "/",
        }


def test_a_broken_object_does_not_hide_the_others(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w", libver="latest") as file:
        file["a"] = [1]
        file["b"] = [2]
        at = h5py.h5o.get_info(file["a"].id).addr
    data = bytearray((tmp_path / "a.h5").read_bytes())
    data[at + 20] ^= 1
    (tmp_path / "a.h5").write_bytes(data)
    assert kinds(tmp_path / "a.h5") == {"/": "group", "/a": "broken", "/b": "array"}
    with (
        zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy,
        pytest.raises(UnsupportedError, match="checksum of an object header"),
    ):
        hierarchy["a"]


def test_an_attribute_of_the_root_that_is_not_where_it_should_be_is_one_line(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.attrs["name of it"] = 1
    data = bytearray((tmp_path / "a.h5").read_bytes())
    data[data.index(b"name of it") - 12] |= 2  # the flag of a shared message
    (tmp_path / "a.h5").write_bytes(data)
    with pytest.raises(UnsupportedError, match="the object cannot be read: a structure of 0 bytes"):
        zarrcore.open_hierarchy(tmp_path / "a.h5")["/"]


def test_a_file_without_a_root_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(StoreError, match=r"a\.h5 is a broken HDF5 file: "):
        zarrcore.open_hierarchy(tmp_path / "a.h5")


@pytest.mark.parametrize("version", ["earliest", "latest"])
def test_a_file_with_short_addresses_is_not_called_broken(tmp_path: Path, version: str) -> None:
    created, access = h5py.h5p.create(h5py.h5p.FILE_CREATE), h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    created.set_sizes(4, 4)
    bound = h5py.h5f.LIBVER_EARLIEST if version == "earliest" else h5py.h5f.LIBVER_LATEST
    access.set_libver_bounds(bound, h5py.h5f.LIBVER_LATEST)
    h5py.h5f.create(bytes(tmp_path / "a.h5"), h5py.h5f.ACC_TRUNC, created, access).close()
    with pytest.raises(StoreError, match=r"a\.h5 cannot be read: its addresses are not of 8 bytes"):
        zarrcore.open_hierarchy(tmp_path / "a.h5")


def test_changed_files_are_errors_or_values() -> None:
    examples = [*hdf5_sources.examples()]
    choices = random.Random(7)
    for _ in range(200):
        data = bytearray(choices.choice(examples))
        if choices.random() < 0.2:
            del data[choices.randrange(len(data)) :]
        for _ in range(choices.randint(0, 5) if data else 0):
            at = choices.randrange(len(data))
            data[at] = choices.choice((0, 255, data[at] ^ 1 << choices.randrange(8)))
        hdf5_sources.check(bytes(data))


def test_a_folder_with_files_of_such_suffixes_that_are_not_hdf5_opens(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x"] = [1]
    (tmp_path / "old.mat").write_bytes(b"MATLAB 5.0 MAT-file" + bytes(200))
    assert kinds(tmp_path) == {"/": "collection", "/a.h5": "group", "/a.h5/x": "array"}


def test_a_file_without_the_signature_is_refused_in_plain_words(tmp_path: Path) -> None:
    (tmp_path / "a.h5").write_bytes(b"")
    with pytest.raises(
        HierarchyNotFoundError, match=r"holds no hierarchy: the signature of HDF5 is not there"
    ):
        zarrcore.open_hierarchy(tmp_path / "a.h5")
