"""Bad input, one table: every kind gets one of our errors, whose text is a single line that tells what and where.

Documents, codecs, shards and selections; what a whole hierarchy makes of random damage is in ``test_damage.py``, codecs' own
headers and bombs in ``codecs/test_broken_bytes.py``, stores' keys and zip directories in ``stores/``.
"""

from __future__ import annotations

import contextlib
import json
import struct
from collections.abc import Callable, Mapping
from typing import Any

import google_crc32c
import numpy as np
import pytest

import zarrcore as zc
from tests.memory import forget_peak, peak_nbytes
from zarrcore.array.selection.text import parse_selection
from zarrcore.errors import (
    ChecksumError,
    CodecError,
    HierarchyNotFoundError,
    MetadataError,
    NodeNotFoundError,
    SelectionError,
    UnsupportedError,
    ZarrError,
)
from zarrcore.hierarchy import ArrayNode
from zarrcore.metadata.json_document import parse_json_object
from zarrcore.stores import MemoryStore

Values = Mapping[str, bytes]

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
V3 = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [4],
    "data_type": "int32",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
    "chunk_key_encoding": {"name": "default"},
    "fill_value": 0,
    "codecs": [LITTLE],
}
V2 = {
    "zarr_format": 2,
    "shape": [4],
    "chunks": [4],
    "dtype": "<i4",
    "compressor": None,
    "fill_value": 0,
    "order": "C",
    "filters": None,
}
N5 = {"dimensions": [4], "blockSize": [4], "dataType": "int32", "compression": {"type": "raw"}}


def v3(**members: Any) -> Values:
    """A hierarchy of one array, ``/a``, some of whose members are others; ``...`` takes one away."""
    return {
        "zarr.json": b'{"zarr_format": 3, "node_type": "group"}',
        "a/zarr.json": _document(V3, members),
    }


def v2(**members: Any) -> Values:
    """The same in version 2."""
    return {".zgroup": b'{"zarr_format": 2}', "a/.zarray": _document(V2, members)}


def n5(**members: Any) -> Values:
    """The same in N5."""
    return {"attributes.json": b'{"n5": "4.0.0"}', "a/attributes.json": _document(N5, members)}


def text(document: bytes) -> Values:
    """A hierarchy whose array has this for a document."""
    return {**v3(), "a/zarr.json": document}


def _document(usual: dict[str, Any], members: dict[str, Any]) -> bytes:
    return json.dumps(
        {name: value for name, value in {**usual, **members}.items() if value is not ...}
    ).encode()


def grid(chunk_shape: Any, name: str = "regular") -> dict[str, Any]:
    return {"name": name, "configuration": {"chunk_shape": chunk_shape}}


def struct_of(*fields: Any) -> dict[str, Any]:
    return {"name": "struct", "configuration": {"fields": list(fields)}}


def codec(name: str, **configuration: Any) -> list[Any]:
    return [LITTLE, {"name": name, "configuration": configuration}]


DOCUMENTS: list[tuple[str, Values, type[ZarrError], str]] = [
    # text
    ("empty", text(b""), MetadataError, "expected a JSON object"),
    ("cut", text(_document(V3, {})[:-9]), MetadataError, "expected a JSON object"),
    ("no JSON", text(b"\0" * 60), MetadataError, "expected a JSON object"),
    ("no UTF-8", text(b'{"\xff": 1}'), MetadataError, "UTF-8, found byte 0xff"),
    ("no object", text(b"[3]"), MetadataError, "found an array of 1"),
    ("twice", text(b'{"shape": [1], "shape": [2]}'), MetadataError, "shape: the name occurs twice"),
    ("deep", text(b'{"a":' + b"[" * 101 + b"]" * 101 + b"}"), MetadataError, "deeper than 100"),
    ("digits", text(b'{"zarr_format": ' + b"3" * 5000 + b"}"), MetadataError, "digits"),
    # members of version 3
    *(
        (f"no {name}", v3(**{name: ...}), MetadataError, name)
        for name in ("shape", "data_type", "chunk_grid", "node_type", "zarr_format")
    ),
    (
        "a number as shape",
        v3(shape=4),
        MetadataError,
        "shape: expected an array of integers, found the number 4",
    ),
    ("a negative length", v3(shape=[-4]), MetadataError, r"shape\[0\]: expected at least 0, found -4"),
    ("a fraction", v3(shape=[4.5]), MetadataError, r"shape\[0\]: expected an integer"),
    ("a boolean", v3(shape=[True]), MetadataError, r"shape\[0\]: expected an integer, found true"),
    ("10⁵ dimensions", v3(shape=[1] * 10**5, chunk_grid=grid([1] * 10**5)), MetadataError, "64 allowed"),
    ("2⁶³ bytes", v3(shape=[2**61]), MetadataError, "shape: an array of 2⁶³ bytes"),
    ("2⁶³ bytes of nothing", v3(shape=[0, 2**61], chunk_grid=grid([1, 1])), MetadataError, "2⁶³"),
    (
        "endless lengths",
        v3(shape=[10**4000], chunk_grid=grid([10**4000])),
        MetadataError,
        r"shape\[0\]: .* 2¹²⁸",
    ),
    (
        "endless chunks",  # together they have more digits than Python prints
        v3(shape=[4, 4], chunk_grid=grid([10**4200, 10**4200])),
        MetadataError,
        r"chunk_shape\[0\]: expected less than 2¹²⁸, found a number of 4,201 digits$",
    ),
    ("100,000 digits", text(b'{"shape": [' + b"3" * 10**5 + b"]}"), MetadataError, "has more digits"),
    ("a chunk of nothing", v3(chunk_grid=grid([0])), MetadataError, r"chunk_shape: a chunk length of 0"),
    ("a negative chunk", v3(chunk_grid=grid([-1])), MetadataError, r"chunk_shape\[0\]: expected at least 0"),
    (
        "chunks of 2 dimensions",
        v3(chunk_grid=grid([1, 1])),
        MetadataError,
        "one per dimension of shape, found 2",
    ),
    ("an unknown grid", v3(chunk_grid=grid([4], "hexagonal")), UnsupportedError, "'hexagonal'"),
    (
        "a grid that need not be understood",
        v3(chunk_grid={**grid([4], "hexagonal"), "must_understand": False}),
        UnsupportedError,
        "'hexagonal'",
    ),
    ("an unknown member", v3(novelty=1), UnsupportedError, "member 'novelty'"),
    ("one to be understood", v3(novelty={"must_understand": True}), UnsupportedError, "member 'novelty'"),
    (
        "an unknown member of a codec",
        v3(codecs=[{**LITTLE, "level": 1}]),
        MetadataError,
        r"codecs\[0\]\.level",
    ),
    ("must_understand", v3(codecs=[{**LITTLE, "must_understand": 0}]), MetadataError, "must_understand"),
    (
        "a separator",
        v3(chunk_key_encoding={"name": "v2", "configuration": {"separator": "../"}}),
        MetadataError,
        "sep",
    ),
    ("attributes", v3(attributes=[]), MetadataError, "attributes: expected an object"),
    ("names", v3(dimension_names=["x", "y"]), MetadataError, "dimension_names"),
    ("transformers", v3(storage_transformers=[{"name": "indirect"}]), UnsupportedError, "'indirect'"),
    # data types and fill values
    ("an unknown type", v3(data_type="int33"), UnsupportedError, "'int33'"),
    (
        "a pattern for a name",
        v3(data_type={"name": "r*", "configuration": {"length_bytes": 8}}),
        UnsupportedError,
        "r",
    ),
    ("half a byte", v3(data_type="r12"), MetadataError, "data_type: expected a multiple of 8"),
    ("elements of a gigabyte", v3(data_type="r8589934592"), MetadataError, "data_type: elements of"),
    ("a fill value of another type", v3(fill_value="x"), MetadataError, "fill_value"),
    ("one out of range", v3(fill_value=2**31), MetadataError, "fill_value"),
    (
        "one with 4000 digits",
        v3(data_type="int4", fill_value=10**4000),
        MetadataError,
        "a number of 4,001 digits",
    ),
    ("no float4", v3(data_type="float4_e2m1fn", fill_value=10**400), MetadataError, "fill_value"),
    (
        "a half of a complex number",
        v3(data_type="complex_float4_e2m1fn", fill_value=[0, 10**400]),
        MetadataError,
        "fill",
    ),
    (
        "a field twice",
        v3(data_type=struct_of(["a", "int8"], ["a", "int8"])),
        MetadataError,
        "data_type.fields",
    ),
    (
        "a field of 65 dimensions",
        v3(
            data_type=struct_of(
                ["a", {"name": "subarray", "configuration": {"data_type": "int8", "shape": [1] * 65}}]
            )
        ),
        MetadataError,
        "data_type.fields",
    ),
    # codecs
    ("an unknown codec", v3(codecs=codec("mystery")), UnsupportedError, "codec 'mystery'"),
    ("a broken parameter", v3(codecs=codec("gzip", level=77)), MetadataError, r"codecs\[1\] \(gzip\) level"),
    ("an unknown parameter", v3(codecs=codec("gzip", lvl=7)), MetadataError, r"codecs\[1\] \(gzip\) lvl"),
    ("the wrong order", v3(codecs=codec("gzip")[::-1]), MetadataError, "breaks this order|no array → bytes"),
    ("two that make bytes", v3(codecs=[LITTLE, LITTLE]), MetadataError, r"codecs\[1\]"),
    *(
        (f"pickle in {name}", v3(codecs=codec(name)), UnsupportedError, "never decoded")
        for name in ("pickle", "numcodecs.pickle", "numcodecs.Pickle")
    ),
    ("pickle as a filter", v2(filters=[{"id": "pickle"}]), UnsupportedError, "never decoded"),
    ("pickle of objects", v2(dtype="|O", filters=[{"id": "pickle"}]), UnsupportedError, "never decoded"),
    (
        "pickle as the compressor",
        v2(compressor={"id": "pickle", "protocol": 5}),
        UnsupportedError,
        "never decoded",
    ),
    (
        "pickle behind texts",
        v2(dtype="|O", filters=[{"id": "vlen-utf8"}, {"id": "pickle"}]),
        UnsupportedError,
        "never",
    ),
    ("pickle in N5", n5(compression={"type": "pickle"}), UnsupportedError, "'pickle'"),
    # version 2
    *((f"no {name} (v2)", v2(**{name: ...}), MetadataError, name) for name in V2),
    ("a negative length (v2)", v2(shape=[-4]), MetadataError, r"shape\[0\]"),
    ("a chunk of nothing (v2)", v2(chunks=[0]), MetadataError, "chunks: a chunk length of 0"),
    ("an order", v2(order="K"), MetadataError, "order: expected 'C' or 'F'"),
    ("filters", v2(filters={"id": "delta"}), MetadataError, "filters: expected an array or null"),
    ("a filter", v2(filters=["delta"]), MetadataError, r"filters\[0\]: expected an object with an id"),
    ("an unknown compressor", v2(compressor={"id": "mystery"}), UnsupportedError, "mystery"),
    ("a separator (v2)", v2(dimension_separator="../"), MetadataError, "dimension_separator"),
    ("base64", v2(dtype="|V4", fill_value="?"), MetadataError, "fill_value: expected base64"),
    # What NumPy makes of some of these ends the process.
    *(
        (f"the dtype {dtype}", v2(dtype=dtype), MetadataError, "dtype: expected a NumPy dtype")
        for dtype in (
            "M8[s/0]",
            "<m8[25s/0]",
            "<M8[0s]",
            "M8[s/-1]",
            "i4,f4",
            "\0",
            "i99",
            [["a", "M8[s/0]"]],
            {"names": ["a"]},
        )
    ),
    ("a filter's dtype", v2(filters=[{"id": "delta", "dtype": "M8[s/0]"}]), MetadataError, "NumPy dtype"),
    (
        "a codec's dtype",
        v3(codecs=[{"name": "numcodecs.delta", "configuration": {"dtype": "M8[s/0]"}}, LITTLE]),
        MetadataError,
        "NumPy dtype",
    ),
    ("attributes (v2)", {**v2(), "a/.zattrs": b"[1]"}, MetadataError, "zattrs: expected a JSON object"),
    # N5
    ("no block size", n5(blockSize=[0]), MetadataError, r"blockSize\[0\]"),
    ("blocks past 2³¹", n5(blockSize=[2**31]), MetadataError, "blockSize"),
    ("an unknown type (N5)", n5(dataType="string"), UnsupportedError, "'string'"),
    ("no compression", n5(compression=...), MetadataError, "compression"),
    ("a block of other dimensions", n5(blockSize=[1, 1]), MetadataError, "blockSize"),
]


@pytest.mark.parametrize(
    ("values", "kind", "words"), [row[1:] for row in DOCUMENTS], ids=[row[0] for row in DOCUMENTS]
)
def test_a_document(values: Values, kind: type[ZarrError], words: str) -> None:
    hierarchy = zc.open_hierarchy(MemoryStore(values=dict(values)))
    error = refused(lambda: hierarchy["/a"], kind, words)
    if isinstance(error, MetadataError):
        assert str(error).startswith("a/"), "the document's key"
    assert [node.path for node in hierarchy.walk()] == ["/", "/a"], "it hides nothing else"


def refused(call: Callable[[], object], kind: Any, words: str) -> ZarrError:
    with pytest.raises(kind, match=words or None) as caught:
        call()
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 500
    return caught.value


def opened(values: Values, **options: Any) -> ArrayNode:
    array = zc.open_hierarchy(MemoryStore(values=dict(values)), **options)["/a"]
    assert isinstance(array, ArrayNode)
    return array


WHOLE = np.arange(4, dtype="<i4").tobytes()
INDEX_CODECS = [LITTLE, {"name": "crc32c"}]


def shard(*entries: int, members: bytes = WHOLE[:8], **configuration: Any) -> Values:
    """Two inner chunks of two elements, whose index holds these offsets and lengths."""
    configuration = {"chunk_shape": [2], "codecs": [LITTLE], "index_codecs": INDEX_CODECS, **configuration}
    index = struct.pack(f"<{len(entries)}Q", *entries)
    checksum = google_crc32c.value(index).to_bytes(4, "little")
    return {
        **v3(codecs=[{"name": "sharding_indexed", "configuration": configuration}]),
        "a/c/0": members + index + checksum,
    }


def chunk(value: bytes, *codecs: Any) -> Values:
    return {**v3(codecs=[LITTLE, *codecs]), "a/c/0": value}


MISSING = 2**64 - 1
CHUNKS: list[tuple[str, Values, type[ZarrError], str]] = [
    ("empty", chunk(b""), CodecError, "has 16 bytes, found 0"),
    ("cut", chunk(WHOLE[:-1]), CodecError, "has 16 bytes, found 15"),
    ("too long", chunk(WHOLE + b"\0"), CodecError, "16"),
    *(
        (f"{what} of {name}", chunk(value, {"name": name, "configuration": {}}), CodecError, name)
        for name in ("gzip", "zstd", "blosc", "numcodecs.lz4", "numcodecs.bz2", "numcodecs.lzma")
        for what, value in (("nothing", b""), ("garbage", b"\x93NUMPY" * 9))
    ),
    (
        "a wrong CRC32C",
        chunk(WHOLE + b"\0\0\0\0", "crc32c"),
        ChecksumError,
        "crc32c: stored checksum 0x00000000",
    ),
    ("a CRC32C cut", chunk(WHOLE[:3], "crc32c"), CodecError, "crc32c"),
    ("an empty shard", {**shard(), "a/c/0": b""}, CodecError, "expected an index of 36 bytes, found 0"),
    ("a short index", shard(0, 8, members=b""), CodecError, "expected an index of 36 bytes, found 20"),
    (
        "an index with a wrong checksum",
        shard(0, 8, 0, 8, members=b"") | {"a/c/0": WHOLE * 3},
        ChecksumError,
        "checksum",
    ),
    ("a member past the end", shard(0, 8, 40, 8), CodecError, "bytes 0 to 48, but only 44 of them exist"),
    ("one that ends there", shard(0, 8, 40, 20), CodecError, "20 bytes, but at most 8"),
    ("an offset past every file", shard(0, 8, 2**63, 8), CodecError, "inner chunk 1 is at 9,223"),
    ("an offset that overflows", shard(0, 8, MISSING - 3, 8), CodecError, "inner chunk 1 is at 18,446"),
    ("half of missing", shard(0, 8, MISSING, 8), CodecError, "inner chunk 1 is at"),
    ("a length of 2¹²⁸ - 1", shard(0, 8, 0, MISSING), CodecError, "inner chunk 1 is at"),
    ("a large length", shard(0, 8, 0, 2**40), CodecError, "inner chunk 1 has"),
    ("a member of another size", shard(0, 8, 0, 7), CodecError, "found 7"),
    (
        "no character",
        {**v2(dtype="<U4", shape=[1], chunks=[1], fill_value=""), "a/0": b"\xff" * 16},
        CodecError,
        "0xffffffff is not a character",
    ),
    (
        "no character in a field",
        {**v2(dtype=[["n", "<i4"], ["t", ">U1"]], shape=[1], chunks=[1]), "a/0": b"\0\0\0\0\0\x11\0\0"},
        CodecError,
        "0x110000 is not a character",
    ),
    ("a block that breaks off", {**n5(), "a/0": b"\0"}, CodecError, "fewer than a block's header"),
    ("a block of no mode", {**n5(), "a/0": b"\0\7\0\1"}, CodecError, "mode 7"),
    (
        "a block of other dimensions",
        {**n5(), "a/0": b"\0\0\0\2" + b"\0" * 8},
        CodecError,
        "1 dimensions, found 2",
    ),
    ("a block that is too large", {**n5(), "a/0": b"\0\0\0\1\x7f\0\0\0"}, CodecError, "at most"),
]


@pytest.mark.parametrize(
    ("values", "kind", "words"), [row[1:] for row in CHUNKS], ids=[row[0] for row in CHUNKS]
)
def test_a_chunk(values: Values, kind: type[ZarrError], words: str) -> None:
    array = opened(values)
    error = refused(lambda: array[...], kind, words)
    assert isinstance(error, CodecError)
    assert error.key == list(values)[-1]


def test_overlapping_inner_chunks_are_read_as_the_index_says() -> None:
    # No specification forbids it: a writer may store two equal inner chunks once.
    assert opened(shard(0, 8, 0, 8))[...].tolist() == [0, 1, 0, 1]
    assert opened(shard(0, 8, 4, 8, members=WHOLE))[...].tolist() == [0, 1, 1, 2]


@pytest.mark.parametrize("chunk_shape", [[3], [0], [2, 2], "2", [], [5]])
def test_a_shard_whose_inner_chunks_do_not_fit(chunk_shape: Any) -> None:
    hierarchy = zc.open_hierarchy(MemoryStore(values=dict(shard(0, 8, 0, 8, chunk_shape=chunk_shape))))
    assert "chunk_shape" in str(refused(lambda: hierarchy["/a"], MetadataError, "a/zarr.json"))


def test_a_shard_of_too_many_inner_chunks() -> None:
    many = 2**40
    inner = {"chunk_shape": [1], "codecs": [LITTLE], "index_codecs": INDEX_CODECS}
    values = v3(
        shape=[many],
        chunk_grid=grid([many]),
        codecs=[{"name": "sharding_indexed", "configuration": inner}],
    )
    refused(lambda: opened(values), MetadataError, "inner chunks in a shard are too many")


def test_a_chunk_larger_than_allowed() -> None:
    small = opened(chunk(WHOLE), max_chunk_bytes=15)
    refused(lambda: small[0], UnsupportedError, "16")
    assert opened(chunk(WHOLE), max_chunk_bytes=16)[3] == 3
    huge = v3(shape=[2**40], chunk_grid=grid([2**40]), codecs=[*codec("zstd")])
    refused(lambda: opened({**huge, "a/c/0": WHOLE})[0], UnsupportedError, "2,147,483,648|2 GiB")


@pytest.mark.parametrize(
    "made",
    [
        lambda: b'{"a":"' + b"x" * (30 << 20) + b'","b":[' + b"[]," * 200 + b"1]}",
        lambda: b'{"a":[' + b"[]," * 200 + b'""' * (10 << 20) + b"]}",
        lambda: b'{"a":[' + b"[]," * 200 + b'"' + b'\\"' * (10 << 20),
        lambda: b'{"a":' + b"[" * (20 << 20),
        lambda: b'{"a":"' + b"x" * (64 << 20) + b'"}',
    ],
    ids=["a long string", "many strings", "a string without an end", "brackets", "too large"],
)
def test_a_large_document_takes_its_own_size_a_few_times(made: Callable[[], bytes]) -> None:
    document = made()
    before = forget_peak()
    with contextlib.suppress(MetadataError):
        parse_json_object(document)
    assert peak_nbytes() - before < 6 * len(document)


PATHS = ["../secret", "/..", "/a/../../b", "/./a", "/a\0b", "/ .", "//", "/a//b"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("values", [v3(), v2(), n5()], ids=["v3", "v2", "n5"])
def test_a_path_that_leads_elsewhere(path: str, values: Values) -> None:
    outside = {key.replace("a/", "secret/"): value for key, value in values.items()}
    hierarchy = zc.open_hierarchy(MemoryStore(values={**values, **outside}))
    if path.strip("/"):
        refused(lambda: hierarchy[path], (NodeNotFoundError, SelectionError), "")
    else:
        assert hierarchy[path].path == "/"


@pytest.mark.parametrize("values", [{}, {"readme.txt": b"hello"}, {"zarr.json/x": b""}], ids=str)
def test_no_hierarchy(values: Values) -> None:
    refused(
        lambda: zc.open_hierarchy(MemoryStore(values=dict(values))),
        HierarchyNotFoundError,
        "holds no hierarchy",
    )


@pytest.mark.parametrize(
    "selection",
    [
        4,
        -5,
        2**70,
        (0, 0),
        (..., ...),
        "x",
        1.5,
        None,
        True,
        [0, 4],
        [0.5],
        slice(0, 4, 0),
        slice("a"),
        np.array([0, -5]),
        np.array([True, False]),
    ],
    ids=str,
)
def test_a_selection(selection: Any) -> None:
    array = opened(chunk(WHOLE))
    refused(lambda: array[selection], SelectionError, "dimension|indices|only|field")


@pytest.mark.parametrize(
    "spelled", ["x", "0:4:0", "1:2:3:4", "--1", "...=3", "x=1", "9" * 30, "1;2", "\0", "0x1"]
)
def test_the_text_of_a_selection(spelled: str) -> None:
    refused(lambda: parse_selection(spelled, ["y"]), SelectionError, "expected|step|named|stands")


CONSOLIDATED = {"zarr_consolidated_format": 1}


@pytest.mark.parametrize(
    "metadata", [None, 3, [], {}, {"../x/.zarray": V2}, {"a/.zarray": 7, "/.zgroup": []}], ids=str
)
def test_consolidated_metadata(metadata: Any) -> None:
    # A hint: whatever it says, nodes are what their own documents say.
    both = {"kind": "inline", "metadata": metadata}
    group = {"zarr_format": 3, "node_type": "group", "consolidated_metadata": both}
    for values in (
        {**v2(), ".zmetadata": json.dumps({**CONSOLIDATED, "metadata": metadata}).encode()},
        {**v3(), "zarr.json": json.dumps(group).encode()},
    ):
        hierarchy = zc.open_hierarchy(MemoryStore(values=values))
        assert [node.path for node in hierarchy.walk()] == ["/", "/a"]
