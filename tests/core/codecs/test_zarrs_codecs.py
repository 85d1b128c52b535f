"""What only zarrs has: ``squeeze``, ``vlen``, ``optional`` and ``gdeflate``.

Chunks of ``optional`` are those that zarrs itself keeps as samples; for ``squeeze`` zarrs is asked; ``vlen`` goes by its text.
"""

from __future__ import annotations

import json
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from zarr.abc.codec import ArrayArrayCodec
from zarr.registry import register_codec

import zarrcore as zc
from zarrcore.codecs import ArraySpec, Pipeline, completed
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.fill_value import fill_value_document, parse_fill_value, zero
from zarrcore.operations.copy import Layout, execute, plan_copy
from zarrcore.stores import MemoryStore

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
URL = "https://codec.zarrs.dev"


def pipeline(codecs: list[Any], dtype: np.dtype[Any], shape: tuple[int, ...]) -> Pipeline:
    named = [
        NamedConfiguration(codec) if isinstance(codec, str) else NamedConfiguration(*codec)
        for codec in codecs
    ]
    return Pipeline(named, ArraySpec(shape, dtype, zero(dtype)))


class _SqueezeStub(ArrayArrayCodec):
    """zarr-python has to know the name, for zarrs to be asked."""

    is_fixed_size = True

    @classmethod
    def from_dict(cls, data: Any) -> _SqueezeStub:
        return cls()

    def to_dict(self) -> Any:
        return {"name": "zarrs.squeeze"}

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any) -> int:
        return input_byte_length


@pytest.mark.parametrize("shape", [(3, 1, 4), (1, 1), (1, 6, 1)])
@pytest.mark.parametrize("named", ["zarrs.squeeze", "squeeze", f"{URL}/array_to_array/squeeze"])
def test_squeeze_and_zarrs(tmp_path: Path, shape: tuple[int, ...], named: str) -> None:
    register_codec("zarrs.squeeze", _SqueezeStub)
    values = np.arange(np.prod(shape), dtype="<i4").reshape(shape)
    with warnings.catch_warnings(action="ignore"):
        zarr.create_array(tmp_path, shape=shape, chunks=shape, dtype="<i4", compressors=None)
    path = tmp_path / "zarr.json"
    document = {**json.loads(path.read_text()), "codecs": [{"name": "zarrs.squeeze"}, LITTLE]}
    path.write_text(json.dumps(document))
    with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True}):
        theirs = zarr.open_array(tmp_path)
        theirs[...] = values
        path.write_text(json.dumps({**document, "codecs": [{"name": named}, LITTLE]}))
        ours = zc.open(tmp_path, "r+")["/"]
        assert np.array_equal(ours[...], values)
        ours[...] = values[::-1] + 1
        assert np.array_equal(theirs[...], values[::-1] + 1)


def test_squeezed_chunks_go_through_other_codecs() -> None:
    dtype = np.dtype("<i4")
    values = np.arange(12, dtype=dtype).reshape(3, 1, 4)
    made = pipeline(["zarrs.squeeze", ("transpose", {"order": [1, 0]}), "bytes"], dtype, values.shape)
    assert bytes(made.encode(values)) == values[:, 0].T.tobytes()
    assert np.array_equal(made.decode(values[:, 0].T.tobytes()), values)
    assert made.completed()[0].document() == {"name": "zarrs.squeeze"}
    zfp = pipeline(["squeeze", ("zfp", {"mode": "reversible"})], dtype, (1, 3, 1, 4, 1, 2))
    numbers = np.arange(24, dtype=dtype).reshape(zfp.spec.shape)
    assert np.array_equal(zfp.decode(zfp.encode(numbers)), numbers)


WORDS = [["a", "", "naïve"], ["漢字", "x" * 50, ""]]
ENDS = {"uint32": "<u4", "uint64": "<u8"}


@pytest.mark.parametrize("location", ["start", "end", None])
@pytest.mark.parametrize("index", ENDS)
@pytest.mark.parametrize("kind", ["string", "bytes"])
def test_vlen(location: str | None, index: str, kind: str) -> None:
    dtype = parse_data_type(kind).dtype
    raw = [word.encode() for row in WORDS for word in row]
    elements = np.array(WORDS if kind == "string" else raw, object).reshape(2, 3).astype(dtype)
    positions = np.cumsum([0, *map(len, raw)]).astype(ENDS[index]).tobytes()
    data, length = b"".join(raw), struct.pack("<Q", len(positions))
    stored = data + positions + length if location == "end" else length + positions + data
    configuration = {"data_codecs": [{"name": "bytes"}], "index_codecs": [LITTLE], "index_data_type": index}
    if location:
        configuration["index_location"] = location
    for name in ("zarrs.vlen", "vlen", f"{URL}/array_to_bytes/vlen"):
        made = pipeline([(name, configuration)], dtype, (2, 3))
        assert made.decode(stored).tolist() == elements.tolist()
        assert bytes(made.encode(elements)) == stored
    (told,) = made.completed()
    assert (told.name, told.configuration["index_location"]) == ("zarrs.vlen", location or "start")


def test_vlen_with_codecs_of_its_own_and_nothing_but_empty_values() -> None:
    dtype = parse_data_type("string").dtype
    configuration = {
        "data_codecs": ["bytes", "zstd"],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "big"}}, "crc32c"],
        "index_data_type": "uint32",
        "index_location": "end",
    }
    made = pipeline([("zarrs.vlen", configuration), "gzip"], dtype, (2, 3))
    for words in (WORDS, [[""] * 3] * 2):
        elements = np.array(words, object).astype(dtype)
        assert made.decode(made.encode(elements)).tolist() == words
    none = np.zeros((2, 3), dtype)
    made = pipeline([("zarrs.vlen", configuration)], dtype, (2, 3))
    assert len(bytes(made.encode(none))) == 7 * 4 + 4 + 8


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        struct.pack("<Q", 8),
        struct.pack("<Q", 2**63) + bytes(16),
        struct.pack("<QIII", 12, 0, 2, 1) + b"ab",
        struct.pack("<QIII", 12, 0, 1, 2) + b"a",
        struct.pack("<QIII", 12, 0, 1, 2) + b"abc",
        struct.pack("<QIII", 12, 0, 0, 0) + b"abc",
        struct.pack("<QIII", 12, 0, 1, 2) + b"\xff\xff",
        struct.pack("<QIII", 12, 0, 1, 2**32 - 1) + b"ab",
        struct.pack("<QII", 8, 0, 2) + b"ab",
    ],
)
def test_broken_vlen(stored: bytes) -> None:
    configuration = {"data_codecs": ["bytes"], "index_codecs": [LITTLE], "index_data_type": "uint32"}
    made = pipeline([("zarrs.vlen", configuration)], parse_data_type("string").dtype, (2,))
    assert made.decode(struct.pack("<QIII", 12, 0, 1, 2) + b"ab").tolist() == ["a", "b"]
    with pytest.raises(CodecError):
        made.decode(stored)


def optional(inner: Any, name: str = "zarrs.optional") -> dict[str, Any]:
    return {
        "name": name,
        "configuration": {"name": inner, "configuration": {}} if isinstance(inner, str) else inner,
    }


PLAIN = {"mask_codecs": [{"name": "packbits"}], "data_codecs": [LITTLE]}
NESTED = {
    "mask_codecs": [{"name": "packbits"}],
    "data_codecs": [{"name": "optional", "configuration": PLAIN}],
}
HEAD = struct.Struct("<QQ")


def hierarchy(
    data_type: Any, codec: str, configuration: Any, fill_value: Any, chunks: dict[str, bytes]
) -> MemoryStore:
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4, 4],
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 2]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": fill_value,
        "codecs": [{"name": codec, "configuration": configuration}],
    }
    return MemoryStore(values={"zarr.json": json.dumps(document).encode(), **chunks})


SAMPLE = {
    "c/0/0": HEAD.pack(1, 2) + b"\x09\x00\x05",
    "c/0/1": HEAD.pack(1, 3) + b"\x0b\x02\x03\x07",
}
"""As zarrs keeps them, with the table that stands beside them: 0 N 2 3 / N 5 N 7 / … N N N N."""


@pytest.mark.parametrize("name", ["optional", "zarrs.optional"])
def test_optional_values_of_zarrs(name: str) -> None:
    store = hierarchy(optional("uint8", name), name, PLAIN, None, SAMPLE)
    array = zc.open(store)["/"]
    shown = [[row["value"].item() if row["is_valid"] else None for row in line] for line in array[...]]
    assert shown == [[0, None, 2, 3], [None, 5, None, 7], [None] * 4, [None] * 4]
    copied = MemoryStore()
    source = zc.open(store)
    execute(plan_copy(source), source, copied)
    assert {key: copied.get(key) for key in SAMPLE} == SAMPLE
    told = json.loads(copied.get("zarr.json") or b"")
    assert (told["data_type"]["name"], told["codecs"][0]["name"]) == ("zarrs.optional",) * 2
    assert told["fill_value"] is None
    assert zc.open(copied)["/"][...].tolist() == array[...].tolist()


def test_values_that_are_optional_twice() -> None:
    chunks = {
        "c/0/0": HEAD.pack(1, 18) + b"\x0a" + HEAD.pack(1, 1) + b"\x02\x05",
        "c/1/1": HEAD.pack(1, 0) + b"\x00",
    }
    data_type = optional(optional("uint8", "optional"), "optional")
    array = zc.open(hierarchy(data_type, "optional", NESTED, [None], chunks))["/"]
    missing, none = ((0, False), False), ((0, False), True)
    assert array[:2, :2].tolist() == [[missing, none], [missing, ((5, True), True)]]
    assert array[2:, 2:].tolist() == [[missing] * 2] * 2
    assert array[:2, 2:].tolist() == [[none] * 2] * 2, "the fill value is something that is missing"


@pytest.mark.parametrize(
    ("document", "value", "element"),
    [
        (optional("uint8"), None, (0, False)),
        (optional("uint8"), [42], (42, True)),
        (optional(optional("uint8")), None, ((0, False), False)),
        (optional(optional("uint8")), [None], ((0, False), True)),
        (optional(optional("uint8")), [[42]], ((42, True), True)),
        (optional("float32"), ["-Infinity"], (-np.inf, True)),
    ],
)
def test_fill_values_of_optional_types(document: Any, value: Any, element: Any) -> None:
    data_type = parse_data_type(document)
    found = parse_fill_value(value, data_type)
    assert found.tolist() == element
    assert fill_value_document(found, data_type) == value


def test_optional_values_are_written_and_copied_to_other_formats() -> None:
    store = MemoryStore()
    codecs = [
        {
            "name": "zarrs.optional",
            "configuration": {"mask_codecs": ["bytes"], "data_codecs": ["bytes", "zstd"]},
        }
    ]
    options: dict[str, Any] = {"shape": (5, 6), "chunk_shape": (2, 3), "codecs": codecs, "fill_value": [-1]}
    array = zc.create(store).create_array("x", data_type=optional("int16"), **options)
    values = np.zeros((5, 6), array.dtype)
    values["value"] = np.arange(30).reshape(5, 6)
    values["is_valid"] = np.arange(30).reshape(5, 6) % 3 > 0
    values["value"][~values["is_valid"]] = 0
    array[:3] = values[:3]
    values[3] = values[4] = (-1, True)
    array[3, 4:] = values[3, 4:]
    assert zc.open(store)["x"][...].tolist() == values.tolist()
    source = zc.open(store)
    for to in ("v2", "v3"):
        copied = MemoryStore()
        execute(plan_copy(source, to=zc.formats.format_named(to)), source, copied)
        assert zc.open(copied)["x"][...].tolist() == values.tolist()
    with pytest.raises(
        UnsupportedError, match=r"'bytes' cannot store elements that may be missing: use zarrs.optional"
    ):
        plan_copy(source, layout=Layout(codecs=(NamedConfiguration("gzip"),)))
    with pytest.raises(UnsupportedError, match="'bytes' cannot store elements that may be missing"):
        zc.create(MemoryStore()).create_array("x", shape=(2,), data_type=optional("int16"))


@pytest.mark.parametrize(
    "stored",
    [b"", HEAD.pack(1, 0), HEAD.pack(1, 2) + b"\1\1", HEAD.pack(1, 1) + b"\0\1", HEAD.pack(2**63, 2**63)],
)
def test_broken_optional(stored: bytes) -> None:
    made = pipeline([("zarrs.optional", PLAIN)], parse_data_type(optional("uint8")).dtype, (2,))
    assert made.decode(HEAD.pack(1, 1) + b"\1\7").tolist() == [(7, True), (0, False)]
    with pytest.raises(CodecError):
        made.decode(stored)


def test_arrays_that_do_not_fit_are_refused() -> None:
    number = np.dtype("<i4")
    for codec in (
        ("zarrs.optional", PLAIN),
        ("zarrs.vlen", {"index_data_type": "uint32", "index_codecs": [LITTLE], "data_codecs": ["bytes"]}),
    ):
        with pytest.raises(MetadataError, match="expected elements"):
            pipeline([codec], number, (3,))
    for configuration in ({}, {"mask_codecs": ["packbits"]}, {**PLAIN, "more": 1}):
        with pytest.raises(MetadataError):
            pipeline([("zarrs.optional", configuration)], number, (3,))
    with pytest.raises(UnsupportedError, match="of string is not supported"):
        parse_data_type(optional("string"))


@pytest.mark.parametrize("name", ["zarrs.gdeflate", "gdeflate", f"{URL}/bytes_to_bytes/gdeflate"])
def test_gdeflate_is_refused_in_one_sentence(name: str) -> None:
    with pytest.raises(UnsupportedError, match="needs GDeflate, for which Python has no decoder"):
        completed(
            [NamedConfiguration("bytes"), NamedConfiguration(name)],
            ArraySpec((2,), np.dtype("u1"), zero(np.dtype("u1"))),
        )
