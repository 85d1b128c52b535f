"""N5 datasets of other implementations and of ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.archives import unpack
from tests.core.formats.n5.datasets import DATASET
from tests.core.formats.n5.zarr_python_2_n5 import ARCHIVE, COMPRESSORS, VALUES
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats import Format
from zarrcore.metadata import ArrayMetadata, GroupMetadata
from zarrcore.operations.check import check
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores import MemoryStore

CORPORA = Path(__file__).parents[4].parent / "shared" / "corpora"


def parse(**members: Any) -> ArrayMetadata:
    document = {name: value for name, value in {**DATASET, **members}.items() if value is not ...}
    node = Format.N5.parse((json.dumps(document).encode(),))
    assert isinstance(node, ArrayMetadata)
    return node


def extracted(name: str, to: Path) -> Path:
    archive = CORPORA / name
    if not archive.exists():
        pytest.skip(f"the corpus {name} is not beside the repository")
    return unpack(archive, to)


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
        for node in zarrcore.open_hierarchy(root).walk():
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
        hierarchy = zarrcore.open_hierarchy(root)
        assert hierarchy.format is Format.N5
        assert hierarchy["/"].attributes == {}
        rows = [[0] * 5 + [1] * 2] * 4 + [[2] * 5 + [3] * 2]
        np.testing.assert_array_equal(hierarchy["raw"][...], rows)


def test_blocks_of_varying_length_by_z5py(tmp_path: Path) -> None:
    z5py = pytest.importorskip("z5py")
    dataset = z5py.File(f"{tmp_path}/x.n5", "a").create_dataset(
        "a", shape=(4, 6), chunks=(2, 3), dtype="uint8", compression="gzip"
    )
    dataset.write_chunk((0, 0), np.arange(6, dtype="u1"), True)
    dataset.write_chunk((1, 1), np.arange(9, dtype="u1"), True)
    found = zarrcore.open_hierarchy(tmp_path / "x.n5")["a"]
    np.testing.assert_array_equal(found[:2, :3], [[0, 1, 2], [3, 4, 5]])
    with pytest.raises(UnsupportedError, match=r"mode 1 \(varlength\)' is not supported with 9 elements"):
        found[...]
    (finding,) = [one for one in check(zarrcore.open_hierarchy(tmp_path / "x.n5")) if one.severity == "error"]
    assert (finding.what, finding.key) == ("unsupported", "a/1/1")


@pytest.mark.parametrize("name", COMPRESSORS)
def test_datasets_of_zarr_python_2_read(tmp_path: Path, name: str) -> None:
    hierarchy = zarrcore.open_hierarchy(unpack(ARCHIVE, tmp_path))
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
    zarrcore.open_hierarchy(source, "r+")["volume/s1"][...] = 7
    stages = [zarrcore.open_hierarchy(source)]
    for to in (Format.V3, Format.V2, Format.V3, Format.N5):
        execute(plan_copy(stages[-1], to=to), stages[-1], copied := MemoryStore())
        stages.append(zarrcore.open_hierarchy(copied))
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
        "a/c", shape=(5, 6), dtype="float32", chunks=(2, 3), dimension_names=("y", "x")
    )
    array[1:4, 2:] = 7.5
    (tmp_path / "bare" / "directory").mkdir(parents=True)
    assert json.loads((tmp_path / "attributes.json").read_bytes()) == {"n5": "4.0.0"}
    again = zarrcore.open_hierarchy(tmp_path)
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
        ({"dtype": "bool"}, "data type 'bool' cannot be expressed in N5"),
        ({"dtype": "complex64"}, "data type 'complex64' cannot be expressed in N5"),
        ({"shape": (), "chunks": ()}, r"shape '\(\)' cannot be expressed in N5"),
        ({"codecs": ["crc32c"]}, "codec 'crc32c' cannot be expressed in N5"),
        ({"fill_value": 3}, "fill value '3' cannot be expressed in N5"),
        ({"shards": (4, 4)}, "codec 'sharding_indexed' cannot be expressed in N5"),
        ({"dtype": "string"}, "data type 'string' cannot be expressed in N5"),
        ({"attributes": {"dimensions": 3}}, "attributes.dimensions: N5 uses this name itself"),
    ],
)
def test_arrays_that_n5_cannot_hold_are_refused(change: dict[str, Any], words: str) -> None:
    hierarchy = zarrcore.create(MemoryStore(), format="n5")
    wishes = {"shape": (4, 4), "chunks": (2, 2), "dtype": "uint8", **change}
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
