"""N5: what Java, C++, Rust and Python wrote reads, and tensorstore reads what we write."""

from __future__ import annotations

import contextlib
import json
import struct
import tarfile
from pathlib import Path
from typing import Any, ClassVar

import numcodecs
import numpy as np
import pytest
import tensorstore
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from tests.core.formats.n5.zarr_python_2_n5 import ARCHIVE, COMPRESSORS, VALUES
from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.errors import CodecError, HierarchyNotFoundError, MetadataError, UnsupportedError
from zarrcore.formats import Format
from zarrcore.metadata import ArrayMetadata, GroupMetadata, NamedConfiguration
from zarrcore.metadata.fill_value import zero
from zarrcore.operations.check import check
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores import MemoryStore

CORPORA = Path(__file__).parents[4].parent / "shared" / "corpora"
TYPES = ["uint8", "int16", "uint32", "int64", "float32", "float64"]
COMPRESSIONS = [
    {"type": "raw"},
    {"type": "gzip", "level": 3},
    {"type": "gzip", "level": -1, "useZlib": True},
    {"type": "bzip2", "blockSize": 2},
    {"type": "xz", "preset": 1},
    {"type": "zstd", "level": 2},
    *({"type": "blosc", "cname": "lz4", "clevel": 4, "shuffle": shuffle} for shuffle in (0, 1, 2)),
]
DATASET = {
    "dimensions": [7, 5],
    "blockSize": [3, 2],
    "dataType": "int16",
    "compression": {"type": "raw"},
}


def parse(**members: Any) -> ArrayMetadata:
    document = {name: value for name, value in {**DATASET, **members}.items() if value is not ...}
    node = Format.N5.parse((json.dumps(document).encode(),))
    assert isinstance(node, ArrayMetadata)
    return node


def extracted(name: str, to: Path) -> Path:
    archive = CORPORA / name
    if not archive.exists():
        pytest.skip(f"the corpus {name} is not beside the repository")
    with tarfile.open(archive) as file:
        file.extractall(to, filter="data")
    return to


@pytest.fixture(scope="module")
def implementations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return extracted("zarr_implementations-data.tar.gz", tmp_path_factory.mktemp("implementations")) / "data"


def test_the_picture_that_every_implementation_wrote(implementations: Path) -> None:
    gui = pytest.importorskip("PySide6.QtGui")
    image = gui.QImage(str(implementations / "reference_image.png"))
    image = image.convertToFormat(gui.QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    picture = rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3)
    found = {}
    for root in sorted((*implementations.glob("*.n5"), *implementations.glob("*.zr"))):
        for node in zarrcore.open(root).walk():
            if isinstance(node, zarrcore.Array):
                found[f"{root.name}{node.path}"] = np.array_equal(node[...], picture)
    assert found == dict.fromkeys(found, True)
    assert (
        len(found) == 5 + 3 + 2 + 2 + 4 + 4
    )  # n5-java (lz4 too), pyn5, z5py, zarr-python; version 2 by the last two


def test_containers_of_every_version_of_n5(tmp_path: Path) -> None:
    extracted("n5-backward.tar.gz", tmp_path)
    roots = sorted(tmp_path.rglob("data-*.n5"))
    assert len(roots) == 3
    for root in roots:
        hierarchy = zarrcore.open(root)
        assert hierarchy.format is Format.N5
        assert hierarchy["/"].attributes == {}
        rows = [[0] * 5 + [1] * 2] * 4 + [[2] * 5 + [3] * 2]
        np.testing.assert_array_equal(hierarchy["raw"][...], rows)


@pytest.mark.parametrize("compression", COMPRESSIONS, ids=str)
def test_to_and_from_tensorstore(tmp_path: Path, compression: dict[str, Any]) -> None:
    values = np.arange(7 * 5 * 4).reshape(7, 5, 4)
    hierarchy = zarrcore.create(tmp_path / "ours.n5", format="n5")
    for data_type in TYPES:
        spec = {"driver": "n5", "kvstore": {"driver": "file", "path": f"{tmp_path}/theirs.n5/{data_type}/"}}
        metadata = {
            "dimensions": [7, 5, 4],
            "blockSize": [3, 2, 4],
            "dataType": data_type,
            "compression": compression,
        }
        theirs = tensorstore.open({**spec, "metadata": metadata, "create": True}).result()
        theirs.write(values.astype(data_type)).result()
        array = zarrcore.open(tmp_path / "theirs.n5", format="n5")[data_type]
        assert isinstance(array, zarrcore.Array)
        np.testing.assert_array_equal(array[...], values.T.astype(data_type))
        ours = hierarchy.create_node(f"group/{data_type}", array.metadata)
        ours[...] = values.T
        spec["kvstore"]["path"] = f"{tmp_path}/ours.n5/group/{data_type}/"
        np.testing.assert_array_equal(tensorstore.open(spec).result().read().result(), values)


@pytest.mark.parametrize("compression", ["raw", "gzip", "bzip2", "xz", "lz4", "zstd", "blosc"])
def test_datasets_of_z5py_read(tmp_path: Path, compression: str) -> None:
    z5py = pytest.importorskip("z5py")  # there are packages for one kind of processor only
    values = np.arange(7 * 5 * 4, dtype="u2").reshape(7, 5, 4)
    root = z5py.File(f"{tmp_path}/x.n5", "a")
    array = root.create_group("g").create_dataset(
        "a", shape=values.shape, chunks=(3, 2, 4), dtype="uint16", compression=compression
    )
    array[...] = values
    array.attrs["resolution"] = [4, 4, 40]
    assert len((tmp_path / "x.n5/g/a/0/2/2").read_bytes()) < 3 * 2 * 4 * 2 + 64
    found = zarrcore.open(tmp_path / "x.n5")["g/a"]
    np.testing.assert_array_equal(found[...], values)  # type: ignore[index]
    assert found.attributes == {"resolution": [4, 4, 40]}


def test_blocks_of_varying_length_by_z5py(tmp_path: Path) -> None:
    z5py = pytest.importorskip("z5py")
    dataset = z5py.File(f"{tmp_path}/x.n5", "a").create_dataset(
        "a", shape=(4, 6), chunks=(2, 3), dtype="uint8", compression="gzip"
    )
    dataset.write_chunk((0, 0), np.arange(6, dtype="u1"), True)
    dataset.write_chunk((1, 1), np.arange(9, dtype="u1"), True)
    found = zarrcore.open(tmp_path / "x.n5")["a"]
    np.testing.assert_array_equal(found[:2, :3], [[0, 1, 2], [3, 4, 5]])  # type: ignore[index]
    with pytest.raises(UnsupportedError, match=r"mode 1 \(varlength\)' is not supported with 9 elements"):
        found[...]  # type: ignore[index]
    (finding,) = [one for one in check(zarrcore.open(tmp_path / "x.n5")) if one.severity == "error"]
    assert (finding.what, finding.key) == ("unsupported", "a/1/1")


@pytest.mark.parametrize(
    "codec",
    [
        None,
        {"name": "gzip", "configuration": {"level": 2}},
        {"name": "numcodecs.zlib", "configuration": {"level": 2}},
        {"name": "numcodecs.bz2", "configuration": {"level": 2}},
        {"name": "numcodecs.lzma", "configuration": {"preset": 2}},
        {"name": "zstd", "configuration": {"level": 2}},
        {"name": "blosc", "configuration": {"cname": "zstd", "shuffle": "bitshuffle"}},
    ],
    ids=str,
)
def test_z5py_and_tensorstore_read_our_datasets(tmp_path: Path, codec: Any) -> None:
    z5py = pytest.importorskip("z5py")
    values = np.arange(7 * 5 * 4, dtype="u2").reshape(7, 5, 4)
    hierarchy = zarrcore.create(tmp_path / "x.n5", format="n5")
    array = hierarchy.create_array(
        "g/a", shape=values.shape, data_type="uint16", chunk_shape=(3, 2, 4), codecs=[codec] if codec else []
    )
    array[:, 1:] = values[:, 1:]  # and later the rest of the blocks, those at the edges among them
    array[:, :1] = values[:, :1]
    np.testing.assert_array_equal(z5py.File(f"{tmp_path}/x.n5", "r")["g/a"][...], values)
    spec = {"driver": "n5", "kvstore": {"driver": "file", "path": f"{tmp_path}/x.n5/g/a/"}}
    np.testing.assert_array_equal(tensorstore.open(spec).result().read().result(), values.T)


def test_lz4_is_written_in_the_form_of_java() -> None:
    hierarchy = zarrcore.create(store := MemoryStore(), format="n5")
    array = hierarchy.create_array(
        "a", shape=(900,), data_type="uint8", chunk_shape=(900,), codecs=["numcodecs.lz4"]
    )
    array[...] = 7
    assert b"LZ4Block" in (store.get("a/0") or b"")
    assert json.loads(store.get("a/attributes.json") or b"")["compression"] == {
        "type": "lz4",
        "blockSize": 65536,
    }
    assert (zarrcore.open(store)["a"][...] == 7).all()  # type: ignore[index]


@pytest.mark.parametrize("name", COMPRESSORS)
def test_datasets_of_zarr_python_2_read(tmp_path: Path, name: str) -> None:
    with tarfile.open(ARCHIVE) as file:
        file.extractall(tmp_path, filter="data")
    hierarchy = zarrcore.open(tmp_path)
    assert hierarchy.format is Format.N5
    assert hierarchy["/"].attributes == {"who": "zarr-python"}
    array = hierarchy[f"group/{name}"]
    assert isinstance(array, zarrcore.Array)
    np.testing.assert_array_equal(array[...], VALUES)
    assert array.dimension_names == ("y", "x")
    assert array.attributes == {"unit": "mm", "_ARRAY_DIMENSIONS": ["y", "x"]}
    assert [*check(hierarchy, f"/group/{name}")] == []


def test_axes_name_the_dimensions() -> None:
    assert parse(axes=["x", "y"]).dimension_names == ("y", "x")
    assert parse(axes=["x", "y"], _ARRAY_DIMENSIONS=["row", "column"]).dimension_names == ("row", "column")
    for axes in (["x"], ["x", 1], "xy", [{"name": "x"}, {"name": "y"}]):
        assert parse(axes=axes).dimension_names is None
    for metadata in (parse(axes=["x", "y"]), parse(axes=["x", "y"], _ARRAY_DIMENSIONS=["a", "b"])):
        assert Format.N5.parse(Format.N5.encode(metadata)) == metadata
    assert b"_ARRAY" not in (Format.N5.encode(parse(axes=["x", "y"]))[0] or b"")


def test_metadata_of_scales_outlive_a_conversion_and_its_reverse() -> None:
    pyramid = {
        "multiScale": True,
        "scales": [[1, 1], [2, 2]],
        "resolution": [4.0, 40.0],
        "units": ["nm", "nm"],
    }
    level = {"downsamplingFactors": [2, 2], "pixelResolution": {"unit": "nm", "dimensions": [8.0, 80.0]}}
    source = MemoryStore()
    source.set("attributes.json", b'{"n5": "2.5.1"}')
    source.set("volume/attributes.json", json.dumps(pyramid).encode())
    for name in ("s0", "s1"):
        document = {**DATASET, **level, "axes": ["x", "y"]}
        source.set(f"volume/{name}/attributes.json", json.dumps(document).encode())
    zarrcore.open(source, "r+")["volume/s1"][...] = 7  # type: ignore[index]
    stages = [zarrcore.open(source)]
    for to in (Format.V3, Format.V2, Format.V3, Format.N5):
        execute(plan_copy(stages[-1], to=to), stages[-1], copied := MemoryStore())
        stages.append(zarrcore.open(copied))
        assert stages[-1]["volume"].attributes == pyramid
        array = stages[-1]["volume/s1"]
        assert isinstance(array, zarrcore.Array)
        assert array.dimension_names == ("y", "x")
        assert {**array.attributes, **level, "axes": ["x", "y"]} == array.attributes
        assert (array[...] == 7).all()
    stored = stages[-1]["volume/s1"].stored_document()
    assert {name: stored[name] for name in level} == level


def test_a_hierarchy_from_nothing(tmp_path: Path) -> None:
    hierarchy = zarrcore.create(tmp_path, format="n5")
    hierarchy.create_group("a/b", attributes={"who": "me"})
    array = hierarchy.create_array(
        "a/c", shape=(5, 6), data_type="float32", chunk_shape=(2, 3), dimension_names=("y", "x")
    )
    array[1:4, 2:] = 7.5
    (tmp_path / "bare" / "directory").mkdir(parents=True)
    assert json.loads((tmp_path / "attributes.json").read_bytes()) == {"n5": "4.0.0"}
    again = zarrcore.open(tmp_path)
    assert again.format is Format.N5
    assert [node.path for node in again.walk()] == ["/", "/a", "/a/b", "/a/c", "/bare", "/bare/directory"]
    assert again["a/b"].attributes == {"who": "me"}
    assert again["a/c"].dimension_names == ("y", "x")
    expected = np.zeros((5, 6), "f4")
    expected[1:4, 2:] = 7.5
    np.testing.assert_array_equal(again["a/c"][...], expected)
    assert (tmp_path / "a" / "c" / "1" / "0").exists()
    assert not (tmp_path / "a" / "c" / "0" / "2").exists()


def test_dimensions_are_reversed() -> None:
    node = parse()
    assert (node.shape, node.chunk_grid.chunk_shape) == ((5, 7), (2, 3))
    assert node.chunk_key_encoding.encode((2, 1)) == "1/2"
    assert node.chunk_key_encoding.decode("1/2", 2) == (2, 1)


@pytest.mark.parametrize(
    ("members", "kind", "words"),
    [
        ({"dimensions": [7]}, MetadataError, "blockSize: expected 1 lengths"),
        ({"dimensions": [-1, 2]}, MetadataError, r"dimensions\[0\]: expected at least 0"),
        ({"blockSize": [0, 1]}, MetadataError, r"blockSize\[0\]: expected at least 1"),
        ({"blockSize": [2**31, 1]}, MetadataError, "blockSize: expected at most"),
        ({"dataType": "string"}, UnsupportedError, "data type 'string' is not supported"),
        ({"dataType": 3}, MetadataError, "dataType: expected a name, found the number 3"),
        ({"compression": {"type": "jpeg"}}, UnsupportedError, "compression 'jpeg' is not supported"),
        ({"compression": ...}, MetadataError, "compression: expected an object with a type, found null"),
        ({"compression": {"type": "gzip", "level": "high"}}, MetadataError, "compression.level: expected an"),
    ],
)
def test_errors_of_broken_datasets_say_what_and_where(
    members: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        parse(**members)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"data_type": "bool"}, "data type 'bool' cannot be expressed in N5"),
        ({"data_type": "complex64"}, "data type 'complex64' cannot be expressed in N5"),
        ({"shape": (), "chunk_shape": ()}, "array 'without dimensions' cannot be expressed in N5"),
        ({"codecs": ["crc32c"]}, "codec 'crc32c' cannot be expressed in N5"),
        ({"fill_value": 3}, "fill value '3' cannot be expressed in N5"),
        ({"shard_shape": (4, 4)}, "codec 'sharding_indexed' cannot be expressed in N5"),
        ({"data_type": "string"}, "data type 'string' cannot be expressed in N5"),
        ({"attributes": {"dimensions": 3}}, "attributes.dimensions: N5 uses this name itself"),
    ],
)
def test_arrays_that_n5_cannot_hold_are_refused(change: dict[str, Any], words: str) -> None:
    hierarchy = zarrcore.create(MemoryStore(), format="n5")
    wishes = {"shape": (4, 4), "chunk_shape": (2, 2), "data_type": "uint8", **change}
    with pytest.raises((UnsupportedError, MetadataError), match=words):
        hierarchy.create_array("x", **wishes)


def test_attributes_are_beside_the_members_of_n5() -> None:
    stored = json.dumps({"n5": "2.0.0", **DATASET, "pixelResolution": [1, 2], "old": 1}).encode()
    assert Format.N5.parse((stored,)).attributes == {"pixelResolution": [1, 2], "old": 1}
    (changed,) = Format.N5.with_attributes((stored,), {"new": 2})
    assert json.loads(changed) == {"n5": "2.0.0", **DATASET, "new": 2}
    (resized,) = Format.N5.with_shape((stored,), (9, 8))
    assert json.loads(resized)["dimensions"] == [8, 9]
    with pytest.raises(MetadataError, match="dataType"):
        Format.N5.with_attributes((stored,), {"dataType": "uint8"})
    assert Format.N5.parse((b'{"n5": "1.0", "dimensions": 3}',)) == GroupMetadata({"dimensions": 3})


class TestDetection:
    def test_a_folder_of_other_files_is_not_a_hierarchy(self) -> None:
        store = MemoryStore()
        store.set("photos/1.jpg", b"\xff\xd8")
        store.set("photos/0/0", b"")
        with pytest.raises(HierarchyNotFoundError):
            zarrcore.open(store)

    def test_a_folder_of_containers_is_not_a_container(self) -> None:
        store = MemoryStore()
        store.set("a.n5/attributes.json", b'{"n5": "2.0.0"}')
        assert zarrcore.open(store).format.name == "collection"

    def test_a_dataset_below_a_root_without_document(self) -> None:
        store = MemoryStore()
        store.set("x/attributes.json", json.dumps(DATASET).encode())
        assert zarrcore.open(store).format is Format.N5

    def test_the_newer_formats_come_first(self) -> None:
        store = MemoryStore()
        store.set("attributes.json", b"{}")
        assert zarrcore.open(store).format is Format.N5
        store.set(".zgroup", b'{"zarr_format": 2}')
        assert zarrcore.open(store).format is Format.V2
        store.set("zarr.json", b'{"zarr_format": 3, "node_type": "group"}')
        assert zarrcore.open(store).format is Format.V3

    def test_an_attributes_file_that_is_not_json_is_broken(self) -> None:
        store = MemoryStore()
        store.set("attributes.json", b"[1, 2]")
        with pytest.raises(HierarchyNotFoundError):
            zarrcore.open(store)


class TestBlocks:
    spec = ArraySpec((4, 3), np.dtype("<u2"), zero(np.dtype("<u2")))
    reverse: ClassVar[Any] = {"name": "transpose", "configuration": {"order": [1, 0]}}
    big: ClassVar[Any] = {"name": "bytes", "configuration": {"endian": "big"}}

    def pipeline(self, *codecs: Any, spec: ArraySpec = spec) -> Pipeline:
        block = {"codecs": list(codecs) or [self.reverse, self.big]}
        return Pipeline([NamedConfiguration("n5_default", block)], spec)

    def test_the_first_dimension_varies_fastest(self) -> None:
        chunk = np.arange(12, dtype="<u2").reshape(4, 3)
        block = bytes(self.pipeline().encode(chunk))
        assert block == struct.pack(">HHII", 0, 2, 4, 3) + chunk.T.astype(">u2").tobytes()

    @pytest.mark.parametrize("shape", [(4, 3), (2, 3), (4, 1), (1, 1), (0, 3)])
    def test_truncated_blocks(self, shape: tuple[int, int]) -> None:
        part = np.arange(1, 1 + shape[0] * shape[1], dtype="<u2").reshape(shape)
        block = struct.pack(">HHII", 0, 2, *shape) + part.T.astype(">u2").tobytes()
        expected = np.zeros((4, 3), "<u2")
        expected[: shape[0], : shape[1]] = part
        np.testing.assert_array_equal(self.pipeline().decode(block), expected)

    @pytest.mark.parametrize(
        ("block", "words"),
        [
            (b"", "0 bytes are fewer than a block's header"),
            (b"\0\0\0", "3 bytes are fewer than a block's header"),
            (b"\0\0\0\2\0\0\0\1", "expected a header of 12 bytes, found 8"),
            (struct.pack(">HHI", 9, 2, 12), "expected a block of mode 0, 1 or 2, found mode 9"),
            (struct.pack(">HHII", 1, 2, 4, 3), "expected a header of 16 bytes, found 12"),
            (struct.pack(">HHIII", 1, 2, 4, 3, 12) + bytes(23), "expected 24 bytes"),
            (struct.pack(">HHIII", 0, 3, 1, 1, 1), "expected a block of 2 dimensions, found 3"),
            (struct.pack(">HHII", 0, 2, 5, 3), r"expected a block of shape \(4, 3\) at most, found \(5, 3\)"),
            (struct.pack(">HHII", 0, 2, 2**32 - 1, 2**32 - 1), "expected a block of shape"),
            (struct.pack(">HHII", 0, 2, 4, 3) + bytes(23), "expected 24 bytes"),
        ],
    )
    def test_broken_blocks(self, block: bytes, words: str) -> None:
        with pytest.raises(CodecError, match=words):
            self.pipeline().decode(block)

    @pytest.mark.parametrize("shape", [(4, 3), (2, 3), (0, 3)])
    def test_blocks_of_varying_length_that_fill_their_shape(self, shape: tuple[int, int]) -> None:
        part = np.arange(1, 1 + shape[0] * shape[1], dtype="<u2").reshape(shape)
        block = struct.pack(">HHIII", 1, 2, *shape, part.size) + part.T.astype(">u2").tobytes()
        expected = np.zeros((4, 3), "<u2")
        expected[: shape[0], : shape[1]] = part
        np.testing.assert_array_equal(self.pipeline().decode(block), expected)

    @pytest.mark.parametrize(
        ("block", "words"),
        [
            (
                struct.pack(">HHIII", 1, 2, 4, 3, 5) + bytes(10),
                r"mode 1 \(varlength\)' is not supported with 5 elements in a shape of 12",
            ),
            (struct.pack(">HHI", 2, 2, 12), r"mode 2 \(object\)' is not supported"),
        ],
    )
    def test_blocks_that_are_refused_by_name(self, block: bytes, words: str) -> None:
        with pytest.raises(UnsupportedError, match=words):
            self.pipeline().decode(block)

    def test_inner_codecs_that_n5_does_not_have_are_refused(self) -> None:
        for codecs in (
            [{"name": "transpose", "configuration": {"order": [0, 1]}}, self.big],
            [self.reverse, {"name": "bytes", "configuration": {"endian": "little"}}],
            [self.reverse, self.big, "crc32c", "crc32c"],
            ["bytes"],
        ):
            with pytest.raises(MetadataError):
                self.pipeline(*codecs)


class TestLz4:
    @given(st.binary(min_size=1, max_size=300))
    def test_other_forms_of_lz4_decode(self, data: bytes) -> None:
        spec = ArraySpec((len(data),), np.dtype("u1"), zero(np.dtype("u1")))
        pipeline = Pipeline([NamedConfiguration("bytes"), NamedConfiguration("n5_lz4")], spec)
        behind_size = numcodecs.lz4.compress(data)
        for encoded in (behind_size, behind_size[4:]):
            assert bytes(pipeline.decode(encoded)) == data
            with pytest.raises(CodecError):
                pipeline.decode(encoded[:-1])

    def test_every_byte_is_checked(self) -> None:
        spec = ArraySpec((400,), np.dtype("u1"), zero(np.dtype("u1")))
        codecs = [NamedConfiguration("bytes"), NamedConfiguration("n5_lz4", {"blockSize": 64})]
        pipeline = Pipeline(codecs, spec)
        chunk = (np.arange(400) // 9 % 5).astype("u1")
        data = bytes(pipeline.encode(chunk))
        np.testing.assert_array_equal(pipeline.decode(data), chunk)
        for place in range(len(data)):
            changed = data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]
            with contextlib.suppress(CodecError):  # or it was a byte that means nothing
                np.testing.assert_array_equal(pipeline.decode(changed), chunk)
        for stop in range(len(data)):
            with pytest.raises(CodecError):
                pipeline.decode(data[:stop])
