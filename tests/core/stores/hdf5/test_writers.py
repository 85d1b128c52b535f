"""Files that a program is writing, or did not close: h5py writes them in another process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import h5py
import numpy as np
import pytest

import zarrcore
from tests.command import run_inside
from tests.core.stores.hdf5.writer import Writer
from tests.core.stores.hdf5.written import node, opened
from tests.waiting import wait_until
from zarrcore.errors import StoreError
from zarrcore.stores import MemoryStore
from zarrcore.stores.hdf5.file import Hdf5File
from zarrcore.stores.virtual.file_reader import FileReader


@pytest.fixture
def writers() -> Iterator[list[Writer]]:
    started: list[Writer] = []
    yield started
    for writer in started:
        writer.end()


def renew(hierarchy: zarrcore.Hierarchy) -> None:
    """What F5 in the window and the age limit of a mount do."""
    hierarchy.store.refresh()
    hierarchy.refresh()


def assert_as_h5py(hierarchy: zarrcore.Hierarchy, path: Path, length: int) -> None:
    with h5py.File(path, swmr=True) as file:
        for name in ("g/grown", "packed", "both"):
            array = hierarchy[name]
            assert array.shape[0] == length
            np.testing.assert_array_equal(array[...], file[name][...])


def test_a_file_is_read_while_it_grows(tmp_path: Path, writers: list[Writer]) -> None:
    """The Fixed and Extensible Arrays and the B-tree of version 2 grow, and so does the file."""
    path = tmp_path / "a.h5"
    writers.append(writer := Writer(path, "swmr"))
    with zarrcore.open_hierarchy(path) as hierarchy:
        for length in (0, 1, 5, 30, 300):
            if length:
                writer.write(length)
            renew(hierarchy)
            assert_as_h5py(hierarchy, path, length)
        writer.write(310)
        # A local file is looked at again by itself; what the hierarchy keeps, it keeps as long as it may.
        store = hierarchy.store
        wait_until(lambda: b"310" in bytes(store.get("packed/zarr.json") or b""))
        assert "marked as open for SWMR writing" in store.warnings()[0]
        writer.tell("close")
        writer.answer()
        renew(hierarchy)
        assert_as_h5py(hierarchy, path, 310)
        assert store.warnings() == []


def test_reading_never_fails_while_a_program_writes(tmp_path: Path, writers: list[Writer]) -> None:
    """Elements are those that are written, or the fill value where they are not flushed yet."""
    path = tmp_path / "a.h5"
    writers.append(writer := Writer(path, "swmr"))
    lengths = range(1, 200, 10)
    for length in lengths:
        writer.tell(length)
    with zarrcore.open_hierarchy(path) as hierarchy:
        seen = set()
        while max(seen, default=0) < lengths[-1]:
            renew(hierarchy)
            roots, counts = hierarchy["packed"][...], hierarchy["g/grown"][...].ravel()
            seen.add(len(roots))
            for values, expected in (
                (roots, np.sqrt(np.arange(len(roots)))),
                (counts, np.arange(len(counts))),
            ):
                assert not values[values != expected].any()
        for _ in lengths:
            writer.answer()
        renew(hierarchy)
        assert_as_h5py(hierarchy, path, lengths[-1])


@pytest.mark.parametrize("mode", ["swmr", "plain"])
def test_a_file_of_a_writer_that_died_is_read_with_a_warning(
    tmp_path: Path, writers: list[Writer], mode: str
) -> None:
    path = tmp_path / "a.h5"
    writers.append(writer := Writer(path, mode))
    writer.write(12)
    if mode == "plain" and sys.platform == "linux":
        refused = run_inside("info", path)
        assert refused.status == 1
        assert "is being written by another program, and not in SWMR mode" in refused.stderr
        with pytest.raises(StoreError, match="close it there first"):
            zarrcore.open_hierarchy(path)
    writer.die()
    warning = "is marked as open for SWMR writing" if mode == "swmr" else "was not closed by the program"
    for command in (
        ("info", path, "packed", "--json"),
        ("tree", path),
        ("check", path),
        ("cat", path, "packed", "--as", "csv"),
        ("diff", path, path),
        ("checksum", path),
        ("copy", path, tmp_path / "b.zarr"),
    ):
        outcome = run_inside(*command)
        assert outcome.status == 0
        assert outcome.stderr.count(warning) == (2 if command[0] == "diff" else 1)
        assert warning not in outcome.text
    assert warning in str(zarrcore.open_hierarchy(path)["/"]._repr_html_())
    with zarrcore.open_hierarchy(path) as hierarchy, zarrcore.open_hierarchy(tmp_path / "b.zarr") as copied:
        for name in ("g/grown", "packed", "both"):
            assert (copied[name][...] == hierarchy[name][...]).all()
        assert hierarchy["g/grown"][...].tolist() == np.arange(36).reshape(12, 3).tolist()
        assert hierarchy["packed"][...].tolist() == np.sqrt(np.arange(12)).tolist()


def test_links_lead_to_files_that_are_being_written(tmp_path: Path, writers: list[Writer]) -> None:
    writers.append(writer := Writer(tmp_path / "b.h5", "swmr"))
    writer.write(2)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["link"] = h5py.ExternalLink("b.h5", "/packed")
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        assert hierarchy["link"][...].tolist() == [0, 1]


def test_a_structure_that_is_being_written_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of it may be old; one that stays wrong is an error."""
    monkeypatch.setattr("zarrcore.stores.virtual.file_reader._PAUSE_S", 0)
    with h5py.File(tmp_path / "a.h5", "w", libver="latest") as file:
        file["a"] = [1, 2]
        file.swmr_mode = True
        file.flush()
        content = (tmp_path / "a.h5").read_bytes()
    reads: list[int] = []
    fetch = FileReader._fetch

    def torn(self: FileReader, start: int, stop: int) -> bytes:
        reads.append(start)
        data = bytearray(fetch(self, start, stop))
        if start == 0 and len(reads) % 3:  # two reads of three
            data[44:48] = b"torn"
        return bytes(data)

    monkeypatch.setattr(FileReader, "_fetch", torn)
    assert "a" in opened(content).find("").node.links  # type: ignore[union-attr]
    monkeypatch.setattr(
        FileReader, "_fetch", lambda self, start, stop: fetch(self, start, stop)[:44] + b"torn" * 9
    )
    with pytest.raises(StoreError, match="checksum of its superblock differs"):
        opened(content)


def test_a_part_of_an_object_header_that_is_being_written_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zarrcore.stores.virtual.file_reader._PAUSE_S", 0)
    with h5py.File(tmp_path / "a.h5", "w", libver="latest") as file:
        group = file.create_group("g")
        for number in range(7):
            group.attrs[f"a{number}"] = "x" * 100
            file.create_group(f"between {number}")
        file.swmr_mode = True
        file.flush()
        content = (tmp_path / "a.h5").read_bytes()
    part, reads, fetch = content.index(b"OCHK"), count(), FileReader._fetch

    def torn(self: FileReader, start: int, stop: int) -> bytes:
        data = bytearray(fetch(self, start, stop))
        if next(reads) % 3:  # two reads of three
            data[part + 10 : part + 14] = b"torn"
        return bytes(data)

    monkeypatch.setattr(FileReader, "_fetch", torn)
    assert [*node(opened(content), "g").attributes] == [f"a{number}" for number in range(7)]


def test_chunks_that_were_added_since_the_shape_was_read_are_left_out(tmp_path: Path) -> None:
    contents = []
    with h5py.File(tmp_path / "a.h5", "w", libver="latest") as file:
        dataset = file.create_dataset("x", (2, 2), "u1", maxshape=(None, None), chunks=(2, 2))
        file.swmr_mode = True
        for length in (2, 9):
            dataset.resize((length, length))
            dataset[...] = length
            file.flush()
            contents.append((tmp_path / "a.h5").read_bytes())
    store = MemoryStore()
    store.set("a.h5", contents[0])
    before = node(Hdf5File(FileReader(store, "a.h5", "memory://a.h5")), "x").dataset
    store.set("a.h5", contents[1])
    assert [index for index, _ in before.chunks()] == [(0, 0)]


def test_a_file_of_which_nothing_is_flushed_says_so(tmp_path: Path, writers: list[Writer]) -> None:
    path = tmp_path / "a.h5"
    writers.append(writer := Writer(path, "plain"))
    writer.die()
    with pytest.raises(StoreError, match="its root group is not in it: its writer has not flushed anything"):
        zarrcore.open_hierarchy(path)
