"""Compound types with texts, references and arrays of variable length, compared with what h5py reads."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import anndata
import h5py
import numpy as np
import pytest
import zarr
from anndata import OldFormatWarning

import zarrcore
from tests.command import run_inside
from tests.core.stores.hdf5.written import node, written
from zarrcore.conventions.tables import column_values
from zarrcore.errors import CodecError
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.fill_value import fill_value_document, parse_fill_value
from zarrcore.stores.hdf5.elements import fill_value_of
from zarrcore.stores.virtual.file_reader import BrokenFileError

TEXT, ASCII = h5py.string_dtype(), h5py.string_dtype("ascii")
INNER = np.dtype([("s", TEXT), ("x", ">f8")])
RECORD = np.dtype(
    [
        ("id", ">i2"),
        ("name", TEXT),
        ("old", ASCII),
        ("object", h5py.ref_dtype),
        ("region", h5py.regionref_dtype),
        ("list", h5py.vlen_dtype("f8")),
        ("inner", INNER),
        ("fixed", "S3"),
        ("pair", TEXT, (2,)),
        ("nested", INNER, (2, 1)),
        ("matrix", "<f4", (2, 2)),
    ]
)
LAYOUTS: dict[str, dict[str, Any]] = {
    "contiguous": {},
    "chunked": {"chunks": (2,)},
    "filtered": {"chunks": (4,), "compression": "gzip", "shuffle": True, "fletcher32": True},
    "growing": {"chunks": (3,), "maxshape": (None,)},
}


def row(file: h5py.File, number: int) -> tuple[Any, ...]:
    target = file["g/target"]
    inner = (f"in {number}", number / 4)
    return (
        number,
        "ñäme " * number,
        "old",
        target.ref if number != 1 else h5py.Reference(),
        target.regionref[number : number + 2],
        np.arange(number) / 2,
        inner,
        b"a" * (number % 4),
        ["p", "日本" * number],
        [[inner], [("", -number)]],
        np.full((2, 2), number),
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Five records in each layout; the last two of ``growing`` are not stored."""
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["g/target"] = np.arange(10)
        for name, options in LAYOUTS.items():
            dataset = file.create_dataset(name, (5,), RECORD, **options)
            for number in range(3 if name == "growing" else 5):
                dataset[number] = row(file, number)
        file["scalar"] = np.array((1, "x"), [("a", "i4"), ("s", TEXT)])
    return tmp_path / "a.h5"


def plain(file: h5py.File, value: Any) -> Any:
    """A value as h5py reads it, in the terms of this project: references as paths, arrays of variable length as JSON."""
    if isinstance(value, h5py.RegionReference):
        if not value:
            return ""
        ((start, count, *_),) = zip(*_selection(file, value), strict=True)
        return f"{file[value].name}[{start}:{start + count}]"
    if isinstance(value, h5py.Reference):
        return file[value].name if value else ""
    if isinstance(value, np.void):
        return tuple(plain(file, value[name]) for name in value.dtype.names)
    if isinstance(value, np.ndarray):
        return [plain(file, item) for item in value]
    return value.decode() if type(value) is bytes else value


def _selection(file: h5py.File, region: Any) -> Any:
    space = h5py.h5r.get_region(region, file.id)
    first, last = space.get_select_bounds()
    return first, tuple(stop - start + 1 for start, stop in zip(first, last, strict=True))


def expected(path: Path, name: str, field: str) -> list[Any]:
    with h5py.File(path) as file:
        values = file[name][...]
        if field == "list":
            return [json.dumps(np.asarray(value).tolist()) for value in values[field]]
        return [plain(file, value) for value in values[field]]


def ours(value: Any) -> Any:
    if isinstance(value, np.void):
        return tuple(ours(value[name]) for name in value.dtype.names)
    return [ours(item) for item in value] if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("name", LAYOUTS)
def test_records_are_those_of_h5py(path: Path, name: str) -> None:
    array = zarrcore.open_hierarchy(path)[name]
    values = array[...]
    assert values.dtype.names == RECORD.names
    for field in RECORD.names or ():
        found = [ours(value) for value in values[field]]
        assert found == expected(path, name, field), field
    assert run_inside("check", path).status == 0


def test_a_scalar_record(path: Path) -> None:
    assert zarrcore.open_hierarchy(path)["scalar"][()].item() == (1, "x")


def test_an_array_type_of_texts(tmp_path: Path) -> None:
    texts = [[f"{i}" * j for j in range(3)] for i in range(5)]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        dataset = file.create_dataset("a", (5,), np.dtype((TEXT, (3,))))
        for number, one in enumerate(texts):
            dataset[number] = one
    array = zarrcore.open_hierarchy(tmp_path / "a.h5")["a"]
    with h5py.File(tmp_path / "a.h5") as file:
        assert [[text.decode() for text in one] for one in file["a"][...]] == texts
    assert array[...].tolist() == texts
    assert array[2:4, 1].tolist() == ["2", "3"]


def test_texts_of_a_record_that_are_not_utf8(tmp_path: Path) -> None:
    """They are read like those that are the whole element."""
    value = "°C".encode("latin-1")
    for name, kind in (("ascii", ASCII), ("utf8", TEXT)):
        with h5py.File(tmp_path / f"{name}.h5", "w") as file:
            file.create_dataset("a", data=np.array([(1, value)], [("n", "i4"), ("s", kind)]))
    assert zarrcore.open_hierarchy(tmp_path / "ascii.h5")["a"][...].tolist() == [(1, "°C")]
    with pytest.raises(CodecError, match="utf-8"):
        zarrcore.open_hierarchy(tmp_path / "utf8.h5")["a"][...]


def test_fill_values_of_records() -> None:
    """A fill value is stored as an element is. h5py cannot write one with texts, so an element takes its place."""
    dtype = np.dtype([("n", ">i4"), ("s", TEXT), ("inner", INNER), ("pair", TEXT, (2,)), ("m", ">f4", (2,))])
    element = (7, "none", ("i", 2.5), ["x", "y"], [1, 2])
    file = written(lambda file: file.create_dataset("a", data=np.array([element], dtype)))
    dataset = node(file, "a").dataset
    stored = dataset._bytes(dataset._stored((0,)))
    data_type = parse_data_type(dataset.document({}, None)["data_type"])
    fill = parse_fill_value(fill_value_of(dataset.type, stored, file.heaps), data_type)
    with h5py.File(io.BytesIO(file.reader.read(0, file.reader.nbytes, "it"))) as opened:
        assert ours(fill[()]) == plain(opened, opened["a"][0]) == (7, "none", ("i", 2.5), ["x", "y"], [1, 2])
    assert parse_fill_value(fill_value_document(fill, data_type), data_type) == fill
    assert ours(parse_fill_value(None, data_type)[()]) == (0, "", ("", 0), ["", ""], [0, 0])


def test_values_that_take_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many records may refer to the same long text."""
    dtype = np.dtype([("a", TEXT), ("b", h5py.ref_dtype)])

    def write(file: h5py.File) -> None:
        file["long"] = 1
        file.create_dataset("a", data=np.array([("x" * 100, file["long"].ref)] * 9, dtype))

    dataset = node(written(write), "a").dataset
    assert len(dataset.chunk((0,))) == 9 * (24 + 100 + len("/long"))
    monkeypatch.setattr("zarrcore.stores.hdf5.dataset._MAX_VARIABLE_NBYTES", 9 * 100 + 9 * len("/long") - 1)
    with pytest.raises(BrokenFileError, match="the elements of a chunk take more than"):
        dataset.chunk((0,))


def test_text_and_tables_of_records(path: Path) -> None:
    rows = json.loads(run_inside("cat", path, "/chunked").text)
    assert [one["name"] for one in rows] == expected(path, "chunked", "name")
    assert [one["object"] for one in rows] == ["/g/target", "", *["/g/target"] * 3]
    assert rows[2]["inner"] == {"s": "in 2", "x": 0.5}
    told = [*csv.DictReader(io.StringIO(run_inside("cat", path, "/chunked", "--as", "csv").text))]
    assert [one["name"] for one in told] == expected(path, "chunked", "name")


@pytest.mark.parametrize("target", ["v3", "v2"])
def test_a_copy_spells_records_as_json(path: Path, tmp_path: Path, target: str) -> None:
    """zarr-python reads what `cat` prints; the file is copied as a whole."""
    outcome = run_inside("copy", path, tmp_path / "b.zarr", "--to", target)
    assert outcome.status == 0
    assert "/chunked: structures with texts of variable length become texts" in outcome.stderr
    group = zarr.open_group(tmp_path / "b.zarr", mode="r")
    for name in LAYOUTS:
        assert [json.loads(text) for text in group[name][...]] == json.loads(
            run_inside("cat", path, f"/{name}").text
        )
    assert group["g/target"][...].tolist() == [*range(10)]


def test_an_hdf5_file_of_records(path: Path, tmp_path: Path) -> None:
    copied = tmp_path / "b.h5"
    assert run_inside("cat", path, "/", "--as", "hdf5", "-o", copied).status == 0
    source = zarrcore.open_hierarchy(path)
    with h5py.File(copied) as file:
        for name in (*LAYOUTS, "scalar"):
            values, found = np.atleast_1d(source[name][...]), np.atleast_1d(file[name][...])
            for field in values.dtype.names or ():
                assert [ours(one) for one in values[field]] == [plain(file, one) for one in found[field]]
            assert (zarrcore.open_hierarchy(copied)[name][...] == source[name][...]).all()
    checked = run_inside("checksum", path, "/chunked"), run_inside("checksum", copied, "/chunked")
    assert checked[0].status == checked[1].status == 0


def test_tables_of_old_anndata(tmp_path: Path) -> None:
    """Before version 0.7, observations were a compound type with names of variable length and codes of categories."""
    obs = np.array([("cell a", 1), ("cell b", 0)], [("index", TEXT), ("kind", "i1")])
    var = np.array([("g1",), ("g2",), ("g3",)], [("index", TEXT)])
    with h5py.File(tmp_path / "a.h5ad", "w") as file:
        file["X"] = np.arange(6, dtype="f4").reshape(2, 3)
        file["obs"], file["var"] = obs, var
        file["uns/kind_categories"] = np.array(["blood", "bone"], object)
    with pytest.warns(OldFormatWarning):
        read = anndata.read_h5ad(tmp_path / "a.h5ad")
    values = column_values(zarrcore.open_hierarchy(tmp_path / "a.h5ad")["obs"])
    assert values["index"].tolist() == read.obs_names.tolist()
    assert values["kind"].tolist() == read.obs["kind"].tolist()
