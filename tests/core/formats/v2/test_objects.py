"""Version 2's arrays of Python objects, and of structures: written by numcodecs at test time, read as version 3 knows them."""

from __future__ import annotations

import base64
import contextlib
import json
import tarfile
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from tests.core.formats.strategies import broken
from zarrcore.errors import CodecError, MetadataError, UnsupportedError, ZarrError
from zarrcore.formats import Format
from zarrcore.metadata import ArrayMetadata
from zarrcore.operations.check import check
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores import MemoryStore
from zarrcore.typing import AnyArray

VECTORS = Path(__file__).parents[4].parent / "shared" / "corpora" / "numcodecs-fixture.tar.gz"
LABELS = ["foo", "bär", "☃"]
OBJECTS: list[Any] = ["text", "", "ünï", None, 7, 0.5, True, [1, "a"], {"b": [None]}]
TEXTS = ["text", "", "ünï", "null", "7", "0.5", "true", '[1, "a"]', '{"b": [null]}']


def objects(values: list[Any], shape: tuple[int, ...]) -> AnyArray:
    array = np.empty(len(values), object)
    array[:] = values
    return array.reshape(shape)


def written(array: AnyArray, *filters: Any, **members: Any) -> MemoryStore:
    """An array of a single chunk."""
    chunk: Any = array
    for codec in filters:
        chunk = codec.encode(chunk)
    document = {
        "zarr_format": 2,
        "shape": array.shape,
        "chunks": array.shape,
        "dtype": "|O",
        "fill_value": None,
        "order": "C",
        "filters": [codec.get_config() for codec in filters],
        "compressor": {"id": "zlib", "level": 1},
        **members,
    }
    key = ".".join("0" * array.ndim) or "0"
    return MemoryStore(
        values={
            ".zarray": json.dumps(document).encode(),
            key: numcodecs.Zlib().encode(np.ascontiguousarray(chunk) if filters else chunk.tobytes()),
        }
    )


def read(store: MemoryStore) -> zarrcore.Array:
    array = zarrcore.open_hierarchy(store)["/"]
    assert isinstance(array, zarrcore.Array)
    return array


def parse(**members: Any) -> ArrayMetadata:
    document = {
        "zarr_format": 2,
        "shape": [2],
        "chunks": [2],
        "dtype": "|O",
        "fill_value": None,
        "order": "C",
        "filters": [{"id": "json2"}],
        "compressor": None,
        **members,
    }
    node = Format.V2.parse((json.dumps(document).encode(), None, None))
    assert isinstance(node, ArrayMetadata)
    return node


@pytest.mark.parametrize("codec", [numcodecs.JSON(), numcodecs.MsgPack()], ids=lambda codec: codec.codec_id)
@pytest.mark.parametrize("shape", [(9,), (3, 3), (1, 9, 1)])
def test_objects_of_any_kind_appear_as_text(codec: Any, shape: tuple[int, ...]) -> None:
    store = written(objects(OBJECTS, shape), codec)
    array = read(store)
    assert array.data_type.name == "string"
    assert array[...].ravel().tolist() == TEXTS
    assert [*check(zarrcore.open_hierarchy(store))] == []
    with pytest.raises(UnsupportedError, match=f"{codec.codec_id}' can be read but not written"):
        zarrcore.open_hierarchy(store, "r+")["/"][(0,) * len(shape)] = "x"


@given(
    st.lists(st.sampled_from(["", *LABELS]), min_size=6, max_size=6),
    st.sampled_from(["|O", "<U4", ">U3"]),
    st.sampled_from(["|u1", "<i2", ">u4"]),
    st.booleans(),
)
def test_labels(values: list[str], dtype: str, astype: str, delta: bool) -> None:
    codec = numcodecs.Categorize(LABELS, dtype="O" if dtype == "|O" else dtype, astype=astype)
    filters = [codec, *([numcodecs.Delta(astype)] if delta else [])]
    given = objects(values, (2, 3)) if dtype == "|O" else np.array(values, dtype).reshape(2, 3)
    flat = given.reshape(-1)
    for each in filters:
        flat = each.encode(flat)
    told = [each.get_config() for each in filters]
    if dtype != "|O":
        told[0]["dtype"] = dtype
    store = written(given, dtype=dtype, filters=told)
    store.set("0.0", numcodecs.Zlib().encode(np.ascontiguousarray(flat)))
    assert read(store)[...].tolist() == np.array(values).reshape(2, 3).tolist()
    changed = zarrcore.open_hierarchy(store, "r+")["/"]
    changed[1, 2] = "☃"
    assert read(store)[...].ravel().tolist() == [*values[:-1], "☃"]


@pytest.mark.parametrize("dtype", ["|O", "<U4"])
def test_one_label_of_an_array_without_dimensions(dtype: str) -> None:
    codec = numcodecs.Categorize(LABELS, dtype="O" if dtype == "|O" else dtype, astype="|u1")
    given = objects([LABELS[1]], ()) if dtype == "|O" else np.array(LABELS[1], dtype)
    store = written(given, dtype=dtype, filters=[{**codec.get_config(), "dtype": dtype}])
    store.set("0", numcodecs.Zlib().encode(np.ascontiguousarray(codec.encode(given.reshape(-1)))))
    assert read(store)[...] == LABELS[1]
    zarrcore.open_hierarchy(store, "r+")["/"][...] = LABELS[2]
    assert read(store)[...] == LABELS[2]


def test_values_that_are_not_labels_are_refused() -> None:
    codec = numcodecs.Categorize(LABELS, dtype="O")
    store = written(objects(["foo"] * 4, (4,)), codec)
    with pytest.raises(CodecError, match="'strange' is not one of the labels"):
        zarrcore.open_hierarchy(store, "r+")["/"][0] = "strange"
    store.set("0", numcodecs.Zlib().encode(b"\0\1\2\4"))
    with pytest.raises(CodecError, match="expected the numbers of 3 labels, found 0 to 4"):
        read(store)[...]


@pytest.mark.parametrize(
    "codec", [numcodecs.JSON(), numcodecs.MsgPack(), numcodecs.Categorize(LABELS, dtype="O")], ids=repr
)
@pytest.mark.parametrize("to", [Format.V3, Format.V2], ids=str)
def test_a_copy_holds_the_same_text(codec: Any, to: Format) -> None:
    array = objects([*LABELS, ""], (2, 2))
    source = zarrcore.open_hierarchy(written(array, codec, fill_value=""))
    execute(plan_copy(source, to=to), source, copied := MemoryStore())
    assert read(copied)[...].tolist() == array.tolist()
    assert "vlen-utf8" in [named.name for named in read(copied).codecs]


@pytest.mark.parametrize("folder", ["json2", "msgpack2", "categorize"])
def test_object_vectors_of_numcodecs_decode(folder: str) -> None:
    if not VECTORS.exists():
        pytest.skip(f"the corpus {VECTORS.name} is not beside the repository")
    with tarfile.open(VECTORS) as archive:
        files = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
        values = {name: file.read() for name, file in files.items() if file and f"/{folder}/" in name}
    found = 0
    for name, encoded in values.items():
        parent, _, last = name.rpartition("/")
        if not last.startswith("encoded."):
            continue
        config = json.loads(values[f"{parent}/config.json"])
        if config["id"] != folder:
            continue  # an older codec, which numcodecs has forgotten too
        theirs = np.asarray(numcodecs.get_codec(config).decode(encoded))
        store = written(theirs.astype(object), dtype="|O", filters=[config])
        key = ".".join("0" * theirs.ndim)
        store.set(key, numcodecs.Zlib().encode(encoded))
        for found_text, item in zip(read(store)[...].ravel(), theirs.ravel().tolist(), strict=True):
            text = item.decode() if isinstance(item, bytes) else item
            assert found_text == (text if isinstance(text, str) else json.dumps(text))
        found += 1
    assert found


@pytest.mark.parametrize(
    "encoded",
    [
        b"",
        b"[",
        b"{}",
        b"[]",
        b"3",
        b'["a","|O"]',
        b'["a","|O",[1]]',
        b'["a","|O",[2,2]]',
        b'["a","b","|O",3]',
        b"\xff\xfe",
        b'["a","\\ud800","|O",[2]]',
        b"[" * 100_000,
    ],
)
@pytest.mark.parametrize("codec", ["json2", "msgpack2"])
def test_broken_chunks(codec: str, encoded: bytes) -> None:
    if codec == "msgpack2" and encoded.startswith(b"["):
        encoded = b"\x92" * 100_000 + encoded
    store = written(objects(["a", "b"], (2,)), filters=[{"id": codec}])
    store.set("0", numcodecs.Zlib().encode(encoded))
    with pytest.raises(CodecError, match=rf"numcodecs\.{codec}"):
        read(store)[...]


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ([], "of Python objects is not supported"),
        ([{"id": "pickle"}], "could run any program"),
        ([{"id": "json2"}, {"id": "pickle"}], "could run any program"),
        ([{"id": "vlen-array", "dtype": "<i4"}], "vlen-array"),
        ([{"id": "json2"}, {"id": "delta", "dtype": "<i4"}], "which returns bytes"),
    ],
)
def test_objects_that_are_refused_by_name(filters: list[Any], words: str) -> None:
    with pytest.raises(UnsupportedError, match=words):
        parse(filters=filters)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"labels": "foo"}, "labels: expected an array of strings"),
        ({"labels": [1]}, "labels: expected an array of strings"),
        ({"labels": ["a"] * 300, "astype": "|u1"}, "astype: expected a type of integers up to 300"),
        ({"labels": ["a"], "astype": "<f4"}, "astype: expected a type of integers"),
    ],
)
def test_broken_labels(parameters: Any, words: str) -> None:
    store = written(objects(["a"], (1,)), filters=[{"id": "categorize", "dtype": "|O", **parameters}])
    with pytest.raises(MetadataError, match=words):
        read(store)


def test_structures_with_arrays_in_them_and_fill_values_in_base64() -> None:
    dtype: list[Any] = [["id", "<u2"], ["where", ">f4", [2, 3]], ["name", "|S3"]]
    numpy_dtype = np.dtype([(name, kind, *map(tuple, shape)) for name, kind, *shape in dtype])
    elements = np.zeros((2, 3), numpy_dtype)
    elements["id"], elements["where"][..., 1, 2], elements["name"] = np.arange(6).reshape(2, 3), 0.5, b"ab"
    fill = elements[1, 2].tobytes()
    store = written(elements, dtype=dtype, filters=None, fill_value=base64.b64encode(fill).decode())
    array = read(store)
    assert array.dtype["where"].shape == (2, 3)
    for name in ("id", "where", "name"):
        assert (array[...][name] == elements[name]).all()
    store.erase("0.0")
    missing = array[1, 1]
    assert (missing["id"], missing["name"]) == (5, b"ab")
    assert missing["where"].tolist() == elements["where"][1, 2].tolist()
    for kind, value in (("|S4", b"ab\0\0"), ("|V2", b"\0\xff")):
        told = parse(
            dtype=kind, filters=None, shape=[1], chunks=[1], fill_value=base64.b64encode(value).decode()
        )
        assert told.fill_value.tobytes() == value


@pytest.mark.parametrize("nbytes", [5, 7])
def test_a_record_of_another_length_is_no_fill_value(nbytes: int) -> None:
    with pytest.raises(MetadataError, match=f"fill_value: expected 6 bytes, found {nbytes}"):
        parse(
            dtype=[["a", "<u2"], ["b", "<f4"]],
            filters=None,
            shape=[1],
            chunks=[1],
            fill_value=base64.b64encode(bytes(nbytes)).decode(),
        )


@given(st.sampled_from([numcodecs.JSON(), numcodecs.MsgPack(), numcodecs.Categorize(LABELS, "O")]), st.data())
def test_broken_documents_only_raise_our_errors(codec: Any, data: st.DataObject) -> None:
    store = written(objects(LABELS, (3,)), codec)
    document = data.draw(broken(json.loads(store.get(".zarray") or b"")))
    store.set(".zarray", json.dumps(document).encode())
    with contextlib.suppress(ZarrError):
        node = zarrcore.open_hierarchy(store, format="v2").node("/")
        assert "cannot be understood" not in str(getattr(node, "error", ""))
        if isinstance(node, zarrcore.Array) and node.size < 1000:
            node[...]
