"""Arrays of strings, bytes and small numbers between us and zarr-python, tensorstore and zarrs, in both directions."""

from __future__ import annotations

import csv
import io
import json
import warnings
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tensorstore
import zarr
import zarr.dtype
import zarrs
from zarr.abc.codec import ArrayBytesCodec
from zarr.codecs import GzipCodec
from zarr.core.dtype import VariableLengthBytes
from zarr.registry import register_codec

import zarrcore
from tests.command import run_inside
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.errors import ElementError, UnsupportedError
from zarrcore.filetypes import supported_suffixes
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.fill_value import zero

WORDS = ["", "a", "naïve", "漢字 🧠", "x" * 50, "nul\0in", 'tab\t"q",z', "line\nbreak"]
TEXT = np.resize(np.array(WORDS, object), (5, 7)).astype(np.dtypes.StringDType())
RAW = np.empty((4, 3), object)
RAW[...] = [[bytes([i, j, 255]) * (i * j) for j in range(3)] for i in range(4)]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What zarr-python makes of strings and bytes: plain, sharded, without dimensions, with missing chunks."""
    path = tmp_path_factory.mktemp("types") / "types.zarr"
    with warnings.catch_warnings(action="ignore"):
        group = zarr.create_group(path, zarr_format=3)
        plain: dict[str, Any] = {"shape": TEXT.shape, "dtype": str}
        group.create_array("text", chunks=(2, 3), fill_value="fill", **plain)[:3] = TEXT[:3]
        group.create_array("gzip", chunks=(2, 3), compressors=[GzipCodec()], **plain)[...] = TEXT
        group.create_array("shards", chunks=(1, 2), shards=(2, 4), **plain)[...] = TEXT
        group.create_array("scalar", shape=(), chunks=(), dtype=str)[...] = "hello"
        raw = VariableLengthBytes()
        group.create_array("raw", shape=RAW.shape, chunks=(2, 2), dtype=raw, fill_value=b"\xff\0")[:2] = RAW[
            :2
        ]
        zarr.consolidate_metadata(path)
    return path


@pytest.mark.parametrize("budget", [None, 300, 1 << 20])
def test_strings_and_bytes_of_zarr_python(written: Path, budget: int | None) -> None:
    opened = zarrcore.open_hierarchy(
        written, chunk_cache=None if budget is None else zarrcore.ChunkCache(budget)
    )
    for _ in range(2):
        assert opened["text"][:3].tolist() == TEXT[:3].tolist()
        assert set(opened["text"][3:].reshape(-1).tolist()) == {"fill"}
        for name in ("gzip", "shards"):
            assert opened[name][...].tolist() == TEXT.tolist()
            assert opened[name][1:4, ::-2].tolist() == TEXT[1:4, ::-2].tolist()
            assert opened[name][2, 3] == TEXT[2, 3]
        assert opened["raw"][:2].tolist() == RAW[:2].tolist()
        assert opened["raw"][3, 0] == opened["raw"].fill_value == b"\xff\0"
        assert opened["scalar"][()] == "hello"
    assert opened["text"].dtype == np.dtypes.StringDType()


def test_a_cache_counts_memory_outside_arrays(tmp_path: Path) -> None:
    with warnings.catch_warnings(action="ignore"):
        zarr.create_array(tmp_path / "a.zarr", shape=(4,), chunks=(4,), dtype=str)[...] = "x" * 100_000
    cache = zarrcore.ChunkCache(1 << 30)
    zarrcore.open_hierarchy(tmp_path / "a.zarr", chunk_cache=cache)["/"].read()
    assert cache.nbytes >= 400_000


def test_files_of_a_known_size_hold_no_strings(written: Path) -> None:
    array = zarrcore.open_hierarchy(written)["text"]
    assert supported_suffixes(array) == ()
    with pytest.raises(UnsupportedError, match="'string' has elements of variable length"):
        zarrcore.virtual_file(array, suffix="npy")


def test_the_commands_show_strings(written: Path) -> None:
    told = run_inside("cat", str(written), "gzip")
    assert json.loads(told.text) == TEXT.tolist()
    told = run_inside("cat", str(written), "gzip", "--as", "csv", "--select", "1:3")
    assert list(csv.reader(io.StringIO(told.text, newline=""))) == TEXT[1:3].tolist()
    assert json.loads(run_inside("cat", str(written), "raw", "--select", "1,1").text) == "AQH/"
    refused = run_inside("cat", str(written), "gzip", "--as", "raw")
    assert (refused.status, "which raw files cannot hold" in refused.stderr) == (1, True)
    assert 'fill value       "fill"' in run_inside("info", str(written), "text").text
    assert "text  5 × 7  string\n" in run_inside("tree", str(written)).text


SMALL = ("bfloat16", "int2", "int4", "float4_e2m1fn", "float8_e3m4", "float8_e4m3fn", "float8_e4m3fnuz")
SMALL = (*SMALL, "float8_e4m3b11fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu")


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("endian", ["little", "big"])
def test_small_numbers_of_tensorstore(name: str, endian: str, tmp_path: Path) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name))
    bits = {"int2": 2, "int4": 4, "float4_e2m1fn": 4}.get(name, 8)
    patterns = np.random.default_rng(3).integers(0, 2**bits, 15 * dtype.itemsize, np.uint8)
    values = patterns.view(dtype).reshape(3, 5)
    codec: dict[str, Any] = {"name": "bytes"}
    if dtype.itemsize > 1:
        codec["configuration"] = {"endian": endian}
    metadata = {
        "shape": [3, 5],
        "data_type": name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 2]}},
        "codecs": [codec],
    }
    spec = {"driver": "zarr3", "kvstore": f"file://{tmp_path}/a/", "metadata": metadata}
    theirs = tensorstore.open(spec, create=True).result()
    theirs[...] = values
    ours = zarrcore.open_hierarchy(tmp_path / "a")["/"]
    assert ours.dtype == dtype
    assert ours[...].tobytes() == values.tobytes()
    assert ours.metadata.document()["data_type"] == name
    # What our codecs make of the same chunk is what tensorstore reads, too.
    chunk = (tmp_path / "a/c/0/0").read_bytes()
    made = Pipeline(
        [NamedConfiguration("bytes", codec.get("configuration", {}))], ArraySpec((2, 2), dtype, zero(dtype))
    )
    assert bytes(made.encode(values[:2, :2])) == chunk


def test_other_readers_read_our_records(tmp_path: Path) -> None:
    dtype = np.dtype([("a", "<i2"), ("b", "<f8"), ("when", "<M8[ns]"), ("in", [("s", "S3"), ("u", "<U2")])])
    values = np.array([(1, 2.5, 3, (b"ab", "ä")), (-4, np.inf, -5, (b"c", "xy"))], dtype)
    hierarchy = zarrcore.create(tmp_path / "x.zarr")
    array = hierarchy.create_array("r", shape=(4,), dtype=dtype, chunks=(2,), fill_value=values[1])
    array[:2] = values
    ours = zarrcore.open_hierarchy(tmp_path / "x.zarr")["r"]
    assert ours[...].tolist() == [*values.tolist(), *values[1:].tolist() * 2]
    assert ours.fill_value.tobytes() == values[1].tobytes()
    if hasattr(zarr.dtype, "Struct"):  # 3.1 knows the first name of the type only
        with warnings.catch_warnings(action="ignore"):
            theirs = zarr.open_array(tmp_path / "x.zarr/r", mode="r")[...]
        assert theirs.tolist() == ours[...].tolist()
    small = hierarchy.create_array("small", shape=(2,), dtype=np.dtype([("a", "<i2"), ("b", "<f8")]))
    small[...] = np.array([(1, 2.5), (3, 4.5)], small.dtype)
    for field in ("a", "b"):
        kvstore = {"driver": "file", "path": f"{tmp_path}/x.zarr/small"}
        opened = tensorstore.open({"driver": "zarr3", "kvstore": kvstore, "field": field}).result()
        assert opened.read().result().tolist() == small[...][field].tolist()


def test_zarr_python_reads_our_strings_and_bytes(tmp_path: Path) -> None:
    made = zarrcore.create(tmp_path / "ours.zarr")
    plain: dict[str, Any] = {"shape": TEXT.shape, "dtype": "string"}
    made.create_array("/text", chunks=(2, 3), fill_value="naïve", **plain)[...] = TEXT
    made.create_array("/shards", chunks=(1, 2), shards=(2, 4), **plain)[...] = TEXT
    array = made.create_array("/raw", shape=RAW.shape, dtype="variable_length_bytes", fill_value=[1, 2])
    array[...] = RAW
    array[0] = [b"one", b"", b"\0"]
    with pytest.raises(ElementError, match="bytes"):
        array[0] = ["one", "two", "three"]
    with warnings.catch_warnings(action="ignore"):
        theirs = zarr.open_group(tmp_path / "ours.zarr", mode="r")
        for name in ("text", "shards"):
            assert theirs[name][...].tolist() == made[name][...].tolist() == TEXT.tolist()
        expected = [[b"one", b"", b"\0"], *RAW[1:].tolist()]
        assert theirs["raw"][...].tolist() == array[...].tolist() == expected
        assert theirs["raw"].fill_value == b"\1\2"


@pytest.mark.parametrize(
    "name", SMALL[:-1]
)  # of float8_e8m0fnu tensorstore reads other fill values than it writes
def test_tensorstore_reads_our_small_numbers(name: str, tmp_path: Path) -> None:
    values = np.array([[0, 1, -1], [1, 0, 1]], np.int8).astype(getattr(ml_dtypes, name))
    made = zarrcore.create(tmp_path / "ours.zarr")
    options: dict[str, Any] = {"chunks": (1, 2), "shards": (2, 2), "fill_value": 1}
    made.create_array("/a", shape=(2, 3), dtype=name, **options)[:, :2] = values[:, :2]
    spec = {"driver": "zarr3", "kvstore": f"file://{tmp_path}/ours.zarr/a/"}
    theirs = tensorstore.open(spec).result().read().result()
    values[:, 2] = 1
    assert theirs.tobytes() == made["a"][...].tobytes() == values.tobytes()


class _PackbitsStub(ArrayBytesCodec):
    """zarr-python has to know the name, for zarrs to be asked."""

    is_fixed_size = True

    def __init__(self, configuration: dict[str, Any]) -> None:
        self.configuration = configuration

    @classmethod
    def from_dict(cls, data: Any) -> _PackbitsStub:
        return cls(data.get("configuration", {}))

    def to_dict(self) -> Any:
        return {"name": "packbits", "configuration": self.configuration}

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any) -> int:
        return input_byte_length


@pytest.mark.parametrize(
    ("name", "configuration"),
    [
        ("bool", {}),
        ("bool", {"padding_encoding": "first_byte"}),
        ("bool", {"padding_encoding": "last_byte"}),
        ("uint8", {"first_bit": 1, "last_bit": 5}),
        ("int16", {"first_bit": 0, "last_bit": 15}),
        ("uint16", {"first_bit": 3, "last_bit": 12, "padding_encoding": "first_byte"}),
    ],
)
def test_packed_bits_and_zarrs(name: str, configuration: dict[str, Any], tmp_path: Path) -> None:
    register_codec("packbits", _PackbitsStub)
    dtype = parse_data_type(name).dtype
    last, first = (
        configuration.get("last_bit", 0 if name == "bool" else 15),
        configuration.get("first_bit", 0),
    )
    values = (np.random.default_rng(1).integers(0, 2 ** (last - first + 1), (3, 7)) << first).astype(dtype)
    made = Pipeline([NamedConfiguration("packbits", configuration)], ArraySpec((3, 7), dtype, zero(dtype)))
    path = tmp_path / "a.zarr"
    with warnings.catch_warnings(action="ignore"):
        zarr.create_array(path, shape=(3, 7), chunks=(3, 7), dtype=dtype, compressors=None)
    document = json.loads((path / "zarr.json").read_text())
    document["codecs"] = [{"name": "packbits", "configuration": configuration}]
    (path / "zarr.json").write_text(json.dumps(document))
    (path / "c/0").mkdir(parents=True)
    (path / "c/0/0").write_bytes(made.encode(values))
    assert zarrcore.open_hierarchy(path)["/"][...].tobytes() == values.tobytes()
    with (
        zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"}),
        warnings.catch_warnings(action="ignore"),
    ):
        assert zarrs.ZarrsCodecPipeline is not None
        theirs = zarr.open_array(path)
        assert np.asarray(theirs[...]).tobytes() == values.tobytes()
        theirs[...] = values[::-1]
    assert zarrcore.open_hierarchy(path)["/"][...].tobytes() == values[::-1].tobytes()
