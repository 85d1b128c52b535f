"""Variable-length arrays of any items, compared with what h5py reads."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import zarrcore
from tests.command import run_inside
from tests.core.stores.hdf5.written import node, written
from zarrcore.stores.virtual.file_reader import BrokenFileError

TEXT, ASCII = h5py.string_dtype(), h5py.string_dtype("ascii")
LEVEL = h5py.enum_dtype({"LOW": -2, "HIGH": 300}, "i2")
POINT = np.dtype([("x", ">i4"), ("y", "f8"), ("s", "S3"), ("m", "i2", (2,)), ("z", "c8"), ("?", "?")])
MIXED = np.dtype([("t", TEXT), ("r", h5py.ref_dtype), ("l", h5py.vlen_dtype("i4")), ("e", LEVEL)])
LAYOUTS: dict[str, dict[str, Any]] = {
    "contiguous": {},
    "chunked": {"chunks": (2,), "maxshape": (None,)},
    "filtered": {"chunks": (4,), "compression": "gzip", "shuffle": True},
}


def objects(*items: Any) -> Any:
    found = np.empty(len(items), object)
    for place, item in enumerate(items):
        found[place] = item  # NumPy would make one array of items of one length
    return found


def mixed(file: h5py.File) -> Any:
    items = np.empty(2, MIXED)
    items["t"], items["r"], items["e"] = ["", "日本"], [file.ref, file["g"].ref], [-2, 300]
    items["l"][0], items["l"][1] = np.arange(3, dtype="i4"), np.array([], "i4")
    return items


LISTS: dict[str, tuple[Any, Callable[[h5py.File], Any]]] = {
    "texts": (TEXT, lambda _: objects("a", 'ñ "日本"', "")),
    "ASCII": (ASCII, lambda _: objects("a", "bc")),
    "fixed texts": ("S3", lambda _: np.array([b"abc", b"d", b""])),
    "enumeration": (LEVEL, lambda _: np.array([-2, 300, -2], LEVEL)),
    "Booleans": ("?", lambda _: np.array([True, False])),
    "complex": ("c8", lambda _: np.array([1 + 2j, -0.5j], "c8")),
    "references": (h5py.ref_dtype, lambda file: objects(file.ref, file["g"].ref)),
    "structures": (POINT, lambda _: np.array([(1, 0.5, b"a", [2, 3], 1j, True)] * 2, POINT)),
    "structures of all": (MIXED, mixed),
    "lists": (h5py.vlen_dtype("i4"), lambda _: objects(np.arange(2, dtype="i4"), np.arange(0, dtype="i4"))),
}


def plain(file: h5py.File, value: Any) -> Any:
    """A value as h5py reads it, in the terms of JSON."""
    match value:
        case h5py.Reference():
            return file[value].name
        case np.void():
            return {name: plain(file, value[name]) for name in value.dtype.names}
        case np.ndarray():
            return [plain(file, item) for item in value]
        case bytes():
            return value.decode()
        case np.complexfloating():
            return [value.real.item(), value.imag.item()]
    return value.item() if isinstance(value, np.generic) else value


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lists of each kind, in each layout: two elements have items, the second one and the last have none."""
    path = tmp_path_factory.mktemp("lists") / "a.h5"
    with h5py.File(path, "w") as file:
        file.create_group("g")
        for name, (dtype, items) in LISTS.items():
            for layout, options in LAYOUTS.items():
                dataset = file.create_dataset(f"{name}/{layout}", (4,), h5py.vlen_dtype(dtype), **options)
                value = items(file)
                dataset[0], dataset[2] = value, value[:1]
    return path


@pytest.mark.sampled(15)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", LISTS)
def test_lists_are_those_of_h5py(path: Path, name: str, layout: str) -> None:
    with zarrcore.open_hierarchy(path) as hierarchy:
        found = hierarchy.array(f"{name}/{layout}")[...]
    with h5py.File(path) as file:
        # h5py cannot read empty lists of structures with parts of variable length.
        first, third = (plain(file, file[name][layout][place]) for place in (0, 2))
        assert len(first) == len(LISTS[name][1](file)) > len(third) == 1
    assert [json.loads(text) for text in found] == [first, [], third, []]


@pytest.mark.parametrize("chunks", [None, (2,)])
def test_lists_that_were_never_written_are_empty(tmp_path: Path, chunks: tuple[int] | None) -> None:
    lists = h5py.vlen_dtype("i4")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, dtype in (("a", lists), ("c", np.dtype([("n", "i4"), ("l", lists), ("t", TEXT)]))):
            file.create_dataset(name, (4,), dtype, chunks=chunks)
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        assert hierarchy.array("a")[...].tolist() == ["[]"] * 4
        assert hierarchy.array("c")[...].tolist() == [(0, "[]", "")] * 4


def test_numbers_of_lists_are_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, dtype in (("i", ">i2"), ("f", "<f4"), ("u", "u8")):
            file.create_dataset(name, (1,), h5py.vlen_dtype(dtype))[0] = np.arange(1000).astype(dtype)
    monkeypatch.setattr("zarrcore.stores.hdf5.elements.json_of", None)
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        for name in "ifu":
            assert json.loads(hierarchy.array(name)[0]) == [*range(1000)]


def test_texts_of_lists_are_legible(path: Path) -> None:
    assert zarrcore.open_array(path, "texts/chunked")[0] == '["a", "ñ \\"日本\\"", ""]'


def test_a_field_of_a_structure_is_a_list_of_texts(tmp_path: Path) -> None:
    dtype = np.dtype([("n", "i4"), ("tags", h5py.vlen_dtype(TEXT))])
    with h5py.File(tmp_path / "a.h5", "w") as file:
        value = np.zeros(2, dtype)
        value["tags"][0], value["tags"][1] = objects("p", "q"), objects()
        file["a"] = value
    with h5py.File(tmp_path / "a.h5") as file:
        expected = [json.dumps(plain(file, tags)) for tags in file["a"]["tags"]]
    assert (
        zarrcore.open_array(tmp_path / "a.h5", "a")["tags"][...].tolist() == expected == ['["p", "q"]', "[]"]
    )


def test_lists_are_printed_and_copied(path: Path, tmp_path: Path) -> None:
    name = "structures of all/filtered"
    with zarrcore.open_hierarchy(path) as hierarchy:
        expected = hierarchy.array(name)[...].tolist()
    printed = run_inside("cat", path, name, "--as", "csv").text
    assert [row[0] for row in csv.reader(io.StringIO(printed))] == expected
    assert run_inside("copy", path, tmp_path / "b.zarr").status == 0
    assert zarrcore.open_array(tmp_path / "b.zarr", name)[...].tolist() == expected
    assert run_inside("cat", path, name, "--as", "hdf5", "-o", tmp_path / "b.h5").status == 0
    with h5py.File(tmp_path / "b.h5") as file:
        (dataset,) = (item for item in file.values() if isinstance(item, h5py.Dataset))
        assert dataset.asstr()[...].tolist() == expected


def test_lists_of_long_texts_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of a few bytes can refer to one long text as many times as it likes."""

    def write(file: h5py.File) -> None:
        dataset = file.create_dataset("a", (2,), h5py.vlen_dtype(TEXT))
        dataset[0] = objects(*["x" * 100] * 9)

    assert json.loads(_first(write)) == ["x" * 100] * 9
    monkeypatch.setattr("zarrcore.stores.hdf5.dataset._MAX_VARIABLE_NBYTES", 9 * 100)
    with pytest.raises(BrokenFileError, match="the elements of a chunk take more than"):
        _first(write)


def test_lists_of_empty_lists_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def write(file: h5py.File) -> None:
        dataset = file.create_dataset("a", (2,), h5py.vlen_dtype(h5py.vlen_dtype("i4")))
        dataset[0] = objects(*[np.arange(n % 2, dtype="i4") for n in range(100)])

    assert json.loads(_first(write)) == [[], [0]] * 50
    monkeypatch.setattr("zarrcore.stores.hdf5.dataset._MAX_VARIABLE_NBYTES", 100 * 64)
    with pytest.raises(BrokenFileError, match="the elements of a chunk take more than"):
        _first(write)


def _first(write: Callable[[h5py.File], None]) -> str:
    found = node(written(write), "a").dataset.chunk((0,))
    assert isinstance(found, bytes)
    return found[8 : 8 + int.from_bytes(found[4:8], "little")].decode()
