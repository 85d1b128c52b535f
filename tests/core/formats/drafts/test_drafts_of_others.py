"""What zarrita (2020) and zarr-python 2.18 wrote in the draft of October 2020 reads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import zarrcore
from tests.archives import unpack
from tests.core.formats.drafts.zarr_python_2_drafts import (
    ARCHIVE,
    COMPRESSORS,
    FILL_VALUES,
    SHAPE,
    TYPES,
    texts,
    values,
)
from zarrcore.formats import Format
from zarrcore.operations.check import check
from zarrcore.stores import MemoryStore, open_store
from zarrcore.typing import AnyArray

CORPORA = Path(__file__).parents[4].parent / "shared" / "corpora"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack(ARCHIVE, tmp_path_factory.mktemp("zarr-python-2"))


def read(root: Path, path: str) -> AnyArray:
    array = zarrcore.open_hierarchy(root)[path]
    assert isinstance(array, zarrcore.Array)
    return array[...]


def same(found: AnyArray, expected: AnyArray) -> bool:
    return bool(found.shape == expected.shape and (found == expected).all())


def test_zarrita(tmp_path: Path) -> None:
    name = "zarr_implementations-zarrita.tar.gz"
    if not (CORPORA / name).exists():
        pytest.skip(f"the corpus {name} is not beside the repository")
    for corpus, part in (
        (name, "examples"),
        ("zarr_implementations-data.tar.gz", "data/reference_image.png"),
    ):
        unpack(CORPORA / corpus, tmp_path, part)
    gui = pytest.importorskip("PySide6.QtGui")
    image = gui.QImage(str(tmp_path / "data" / "reference_image.png"))
    image = image.convertToFormat(gui.QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    picture = rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3)
    hierarchy = zarrcore.open_hierarchy(tmp_path / "examples" / "zarrita.zr3")
    assert hierarchy.format == Format.DRAFT_2020_10
    found = [node.path for node in hierarchy.walk()]
    assert found == ["/", "/blosc", "/blosc/lz4", "/gzip", "/raw", "/zlib"]
    for path in ("raw", "gzip", "zlib", "blosc/lz4"):
        assert same(read(tmp_path / "examples" / "zarrita.zr3", path), picture)


@pytest.mark.parametrize("name", COMPRESSORS)
def test_compressors(archive: Path, name: str) -> None:
    assert same(read(archive / "nodes", f"compressors/{name}"), values("<i4"))


def test_data_types(archive: Path) -> None:
    group = zarrcore.open_hierarchy(archive / "nodes")["types"]
    for name, dtype in TYPES.items():
        array = group[name]
        assert isinstance(array, zarrcore.Array)
        expected = values(dtype)
        assert same(array[...], expected), name
        assert array.dtype == expected.dtype.newbyteorder("<")
    array = group["text"]
    assert isinstance(array, zarrcore.Array)
    assert array[...].tolist() == texts().tolist()
    assert array.attributes == {}, "filters are not attributes of the user"


def test_fill_values(archive: Path) -> None:
    for name, value in FILL_VALUES.items():
        expected = np.full(SHAPE, 0 if value is None else value, "<f4")
        assert read(archive / "nodes", f"fill_values/{name}").tobytes() == expected.tobytes(), name


def test_layouts(archive: Path) -> None:
    hierarchy = zarrcore.open_hierarchy(archive / "nodes")
    assert hierarchy["group"].attributes == {"who": "zarr-python"}
    assert hierarchy["order"].attributes == {"units": "m"}
    for path, dtype in (("order", "<f4"), ("separator", "<i2"), ("filters", "<i4"), ("shards/all", ">i2")):
        assert same(read(archive / "nodes", path), values(dtype)), path
    assert read(archive / "nodes", "empty").shape == (0, 3)
    partly = np.full(SHAPE, 9, "<i4")
    partly[2:4, 4:] = 3
    assert same(read(archive / "nodes", "shards/partly"), partly)
    shards = hierarchy["shards/all"]
    assert isinstance(shards, zarrcore.Array)
    assert (shards.chunk_shape, shards.inner_chunk_shape) == ((4, 4), (2, 4))


def test_the_chunk_of_a_scalar(archive: Path) -> None:
    array = zarrcore.open_hierarchy(archive / "nodes")["scalar"]
    assert isinstance(array, zarrcore.Array)
    assert array.chunk_key(()) == "data/root/scalar/c0"
    assert array[...] == 7
    assert array.storage_info().present == 1


def test_an_array_at_the_root(archive: Path) -> None:
    hierarchy = zarrcore.open_hierarchy(archive / "array")
    assert [node.path for node in hierarchy.walk()] == ["/"]
    assert same(read(archive / "array", "/"), values("<i2"))


def test_two_slashes(archive: Path) -> None:
    store = MemoryStore()
    source = open_store(archive / "array")
    for key in (
        "zarr.json",
        "meta/root.array.json",
        *(f"data/root/c{i}/{j}" for i in range(3) for j in (0, 1)),
    ):
        store.set(key.replace("root/", "root//"), source.get(key) or b"")
    array = zarrcore.open_hierarchy(store)["/"]
    assert isinstance(array, zarrcore.Array)
    assert array.chunk_key((1, 0)) == "data/root//c1/0"
    assert same(array[...], values("<i2"))


def test_consolidated_metadata(archive: Path) -> None:
    hierarchy = zarrcore.open_hierarchy(archive / "consolidated", believe_consolidated=True)
    assert [node.path for node in hierarchy.walk()] == ["/", "/a", "/a/b", "/consolidated"]
    assert not list(check(zarrcore.open_hierarchy(archive / "consolidated")))
    key = archive / "consolidated" / "meta" / "root" / "a" / "b.array.json"
    text = key.read_text()
    key.write_text(text.replace('"attributes": {}', '"attributes": {"new": 1}'))
    found = [finding.what for finding in check(zarrcore.open_hierarchy(archive / "consolidated"))]
    key.write_text(text)
    assert found == ["stale-consolidated"]


def test_drafts_of_others_have_no_findings(archive: Path) -> None:
    findings = list(check(zarrcore.open_hierarchy(archive / "nodes")))
    assert {finding.what for finding in findings} == {"missing-chunks"}


def test_zarrita_of_march_2023() -> None:
    """Version 3 but for the keys of chunks."""
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4, 6],
        "data_type": "int32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 3]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "codecs": [{"name": "endian", "configuration": {"endian": "little"}}],
        "fill_value": 0,
        "attributes": {},
    }
    store = MemoryStore()
    store.set("zarr.json", json.dumps(document).encode())
    for index in (0, 1):
        store.set(f"c0/{index}", np.full(12, index + 1, "<i4").tobytes())
    hierarchy = zarrcore.open_hierarchy(store)
    array = hierarchy["/"]
    assert isinstance(array, zarrcore.Array)
    assert array[0].tolist() == [1, 1, 1, 2, 2, 2]
    assert [finding.what for finding in check(hierarchy)] == ["keys-of-a-draft"]
    store.set("c/0/0", np.full(12, 7, "<i4").tobytes())
    hierarchy.refresh()
    array = hierarchy["/"]
    assert isinstance(array, zarrcore.Array)
    assert array[0].tolist() == [7, 7, 7, 0, 0, 0], "what the document says comes first"
