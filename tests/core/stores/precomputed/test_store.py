"""Volumes written by tensorstore, read as hierarchies and compared with what tensorstore reads."""

from __future__ import annotations

import gzip
import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.command import run_inside
from tests.core.stores.precomputed.volumes import SHARDING, random_values, write_scale
from tests.servers import AzureServer, GCSServer, S3Server, environment
from tests.servers.distant import distant_server
from zarrcore.conventions import image_of
from zarrcore.errors import MetadataError, StoreError, UnsupportedError, ZarrError
from zarrcore.stores import LocalStore
from zarrcore.stores.interface import ByteRange
from zarrcore.stores.precomputed.store import PrecomputedStore
from zarrcore.stores.wrapper.interface import listable, writable

RAW = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "float32")


@st.composite
def volumes(draw: st.DrawFn) -> tuple[tuple[int, ...], str, str, dict[str, Any]]:
    """Shape, type, encoding and further members of a scale."""
    encoding = draw(st.sampled_from(["raw", "jpeg", "png", "compressed_segmentation"]))
    types = {"raw": RAW, "jpeg": ("uint8",), "png": ("uint8", "uint16")}
    dtype = draw(st.sampled_from(types.get(encoding, ("uint32", "uint64"))))
    channels = draw(st.sampled_from({"jpeg": (1, 3), "png": (1, 2, 3, 4)}.get(encoding, (1, 2))))
    shape = (channels, *(draw(st.integers(1, 20)) for _ in range(3)))
    members: dict[str, Any] = {
        "chunk": tuple(draw(st.integers(1, 12)) for _ in range(3)),
        "voxel_offset": [draw(st.integers(-1000, 1000)) for _ in range(3)],
    }
    if encoding == "compressed_segmentation":
        block_size = [draw(st.integers(1, 9)) for _ in range(3)]
        members["compressed_segmentation_block_size"] = block_size
    if draw(st.booleans()):
        codings = st.sampled_from(["raw", "gzip"])
        members["sharding"] = {
            **SHARDING,
            "hash": draw(st.sampled_from(["identity", "murmurhash3_x86_128"])),
            "preshift_bits": draw(st.integers(0, 4)),
            "minishard_bits": draw(st.integers(0, 3)),
            "shard_bits": draw(st.integers(0, 5)),
            "minishard_index_encoding": draw(codings),
            "data_encoding": draw(codings),
        }
    return shape, dtype, encoding, members


@settings(max_examples=60, deadline=None)
@given(volume=volumes(), seed=st.integers(0, 100), most=st.sampled_from([2, 5, 120]))
def test_any_volume_reads_as_with_tensorstore(
    tmp_path_factory: pytest.TempPathFactory, volume: Any, seed: int, most: int
) -> None:
    shape, dtype, encoding, members = volume
    path = tmp_path_factory.mktemp("a")
    expected = write_scale(path, random_values(shape, dtype, seed, most), encoding, **members)
    with zarrcore.open_hierarchy(path) as hierarchy:
        array = hierarchy["8_8_8"]
        found = array[...].reshape(expected.shape)
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes()
        keys = [entry.key for entry in listable(hierarchy.store).list_prefix("8_8_8/c/")]
        assert len(set(keys)) == len(keys)
        assert all(hierarchy.store.stat(key).size == len(hierarchy.store.get(key)) for key in keys)
    # No stored chunk is without a key: without those that are listed, only zeros remain.
    assert bool(keys) == bool(expected.any())


def test_scales_are_levels_of_one_image(tmp_path: Path) -> None:
    for level, factor in enumerate((1, 2)):
        values = random_values((1, 8 // factor, 12 // factor, 16 // factor), "uint16", level)
        key = f"{8 * factor}_{8 * factor}_40"
        resolution = (8 * factor, 8 * factor, 40)
        write_scale(tmp_path, values, key=key, resolution=resolution, voxel_offset=[4 // factor, 0, 10])
    with zarrcore.open_hierarchy(tmp_path) as hierarchy:
        assert [(node.path, node.kind) for node in hierarchy.walk()] == [
            *(("/", "group"), ("/16_16_40", "array"), ("/8_8_40", "array"))
        ]
        image = image_of(hierarchy["/"])
        assert [level.node.path for level in image.levels] == ["/8_8_40", "/16_16_40"]
        assert image.levels[1].factors == (1, 2, 2)
        # A voxel of twice the length has its centre half a voxel of the finest scale further up.
        assert image.levels[1].offsets == (0, 0.5, 0.5)
        assert [(axis.name, axis.unit) for axis in image.axes] == [(name, "nanometer") for name in "zyx"]
        assert (image.spacing, image.origin) == ((40, 8, 8), (400, 0, 32))
        assert not image.is_labels


def test_a_segmentation_is_labels_and_names_its_other_data(tmp_path: Path) -> None:
    write_scale(tmp_path, random_values((1, 9, 9, 9), "uint64"), "compressed_segmentation")
    info = json.loads((tmp_path / "info").read_text())
    info |= {"mesh": "mesh", "skeletons": "skeletons", "segment_properties": "properties"}
    del info["@type"]  # as older writers
    (tmp_path / "info").write_text(json.dumps(info))
    with zarrcore.open_hierarchy(tmp_path) as hierarchy:
        attributes = hierarchy["/"].attributes
        assert image_of(hierarchy["/"]).is_labels
        assert attributes["neuroglancer"]["mesh"] == "mesh"
        assert attributes["neuroglancer"]["segment_properties"] == "properties"


@pytest.mark.parametrize("sharding", [None, SHARDING])
@pytest.mark.parametrize("encoding", ["raw", "compressed_segmentation"])
def test_a_copy_reads_with_zarr_python_and_checks(tmp_path: Path, encoding: str, sharding: Any) -> None:
    more = {} if sharding is None else {"sharding": sharding}
    expected = write_scale(tmp_path / "a", random_values((1, 9, 20, 13), "uint32"), encoding, **more)[0]
    assert run_inside("check", tmp_path / "a").status == 0
    for format_ in ("v3", "v2"):
        outcome = run_inside("copy", tmp_path / "a", tmp_path / format_, "--to", format_)
        assert outcome.status == 0, outcome.stderr
        assert np.array_equal(zarr.open(tmp_path / format_, mode="r")["8_8_8"][...], expected)
    assert run_inside("cat", tmp_path / "a", "8_8_8").stdout == expected.tobytes()
    assert "8_8_8" in run_inside("tree", tmp_path / "a").text
    assert "nanometer" in run_inside("info", tmp_path / "a").text


@pytest.mark.parametrize("encoding", ["raw", "compressed_segmentation"])
def test_compressed_files_of_chunks_are_read(tmp_path: Path, encoding: str) -> None:
    expected = write_scale(tmp_path, random_values((1, 9, 10, 11), "uint32"), encoding)[0]
    for path in (tmp_path / "8_8_8").iterdir():
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    with zarrcore.open_hierarchy(tmp_path) as hierarchy:
        assert np.array_equal(hierarchy["8_8_8"][...], expected)
        assert np.array_equal(hierarchy["8_8_8"][7, 3:4], expected[7, 3:4])
        keys = [entry.key for entry in listable(hierarchy.store).list_prefix("8_8_8/c/")]
        assert len(keys) == 8
        for key in keys:
            assert hierarchy.store.stat(key).size == len(hierarchy.store.get(key))
        if encoding == "raw":
            assert hierarchy.store.get(keys[0], ByteRange(2, 6)) == hierarchy.store.get(keys[0])[2:6]
    for path in (tmp_path / "8_8_8").iterdir():
        path.write_bytes(path.read_bytes()[:-9])
    with zarrcore.open_hierarchy(tmp_path) as hierarchy, pytest.raises(ZarrError, match="ends early"):
        hierarchy["8_8_8"][...]
    for path in (tmp_path / "8_8_8").iterdir():
        path.rename(path.with_suffix(".br"))
    with (
        zarrcore.open_hierarchy(tmp_path) as hierarchy,
        pytest.raises(StoreError, match="brotli --decompress"),
    ):
        hierarchy["8_8_8"][...]


def test_requests_for_opening_and_for_a_plane(tmp_path: Path) -> None:
    expected = write_scale(tmp_path / "a", random_values((1, 16, 64, 64), "uint8", most=50))[0]
    for sharding in ({**SHARDING, "data_encoding": "raw"}, {**SHARDING, "hash": "identity"}):
        path = tmp_path / sharding["hash"]
        write_scale(path, expected[None], sharding={**sharding, "minishard_bits": 3, "shard_bits": 1})
    for path in (tmp_path / "a" / "8_8_8").iterdir():
        path.write_bytes(gzip.compress(path.read_bytes()))  # as objects with Content-Encoding
    # At most one request for each chunk, and two for the indexes of each shard, whatever reads are combined.
    with distant_server(tmp_path) as server:
        for name, most in (("a", 64), ("murmurhash3_x86_128", 68), ("identity", 68)):
            for url in (f"{server.url}/{name}", f"precomputed://{server.url}/{name}"):
                server.forget()
                with zarrcore.open_hierarchy(url) as hierarchy:
                    array = hierarchy["8_8_8"]
                    if url.startswith("precomputed:"):
                        assert len(server.requests) <= 4
                    before = len(server.requests)
                    assert np.array_equal(array[12], expected[12])
                    assert len(server.requests) - before <= most


def test_volumes_in_buckets(tmp_path: Path, s3: S3Server, gcs: GCSServer, azure: AzureServer) -> None:
    expected = write_scale(tmp_path / "whole", random_values((1, 16, 32, 32), "uint8", most=50))[0]
    write_scale(tmp_path / "shards", expected[None], sharding=SHARDING)
    s3.upload(tmp_path, "bucket/volumes")
    s3.upload(tmp_path, "gcs/volumes")
    with environment(azure.environment):
        with zarrcore.open_store("az://container/volumes", **azure.options) as store:
            for file in tmp_path.rglob("*"):
                if file.is_file():
                    writable(store).set(file.relative_to(tmp_path).as_posix(), file.read_bytes())
        for place, server in (("s3://bucket", s3), ("gs://gcs", gcs), ("az://container", azure)):
            for name in ("whole", "shards"):
                url = f"{place}/volumes/{name}"
                for address in (url, f"precomputed://{url}"):
                    with zarrcore.open_hierarchy(address, **server.options) as hierarchy:
                        assert [node.path for node in hierarchy.walk()] == ["/", "/8_8_8"]
                        assert np.array_equal(hierarchy["8_8_8"][3:9, 5:20], expected[3:9, 5:20])
                        assert np.array_equal(hierarchy["8_8_8"][...], expected)
    assert "8_8_8  16 × 32 × 32  uint8" in run_inside("tree", "s3://bucket/volumes/whole", *s3.arguments).text


def test_what_urls_name(tmp_path: Path) -> None:
    expected = write_scale(tmp_path / "a", random_values((1, 5, 6, 7), "uint8"))[0]
    archive = shutil.make_archive(str(tmp_path / "b"), "zip", tmp_path / "a")
    for url in (f"{tmp_path}/a|neuroglancer-precomputed:", f"precomputed://{tmp_path}/a", archive, tmp_path):
        with zarrcore.open_hierarchy(url) as hierarchy:
            name = "a/8_8_8" if url is tmp_path else "8_8_8"
            assert np.array_equal(hierarchy[name][...], expected)


def test_a_broken_scale_does_not_hide_the_others(tmp_path: Path) -> None:
    write_scale(tmp_path, random_values((1, 5, 6, 7), "uint8"))
    info = json.loads((tmp_path / "info").read_text())
    good = info["scales"][0]
    for more in ({"key": "a", "encoding": "compresso"}, {"key": "b", "size": [1, 2]}):
        info["scales"].append({**good, **more})
    (tmp_path / "info").write_text(json.dumps(info))
    with zarrcore.open_hierarchy(tmp_path) as hierarchy:
        assert [node.kind for node in hierarchy.walk()] == ["group", "array", "broken", "broken"]
        assert str(hierarchy.node("/a").error) == "/a: the scale cannot be read: its encoding is 'compresso'"
        image = image_of(hierarchy["/"])
        assert len(image.levels) == 1
    info["scales"] = 3
    (tmp_path / "info").write_text(json.dumps(info))
    with pytest.raises(StoreError, match="not that of a Neuroglancer volume: its scales are not a list"):
        zarrcore.open_hierarchy(tmp_path)


def test_a_volume_that_changes_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.stores.virtual.parsed_file._CHECKED_EACH_S", -1.0)
    for number, sharding in enumerate((SHARDING, {**SHARDING, "data_encoding": "raw"})):
        path = tmp_path / str(number)
        write_scale(path, random_values((1, 9, 9, 9), "uint16"), sharding=sharding)
        with PrecomputedStore(LocalStore(path)) as store, zarrcore.open_hierarchy(store) as hierarchy:
            array = hierarchy["8_8_8"]
            before = array[...]
            shutil.rmtree(path)
            after = write_scale(path, random_values((1, 9, 9, 9), "uint16", 7), sharding=sharding)[0]
            assert not np.array_equal(before, after)
            assert np.array_equal(array[...], after)
            copied = pickle.loads(pickle.dumps(store))
            assert copied.get("8_8_8/c/0/0/0") == store.get("8_8_8/c/0/0/0")


def test_keys_outside_the_bounds_are_absent(tmp_path: Path) -> None:
    write_scale(tmp_path, random_values((2, 9, 9, 9), "uint16") + np.uint16(1))
    (tmp_path / "8_8_8" / "0-8_0-8_0-7").write_bytes(b"x")
    (tmp_path / "8_8_8" / "notes").write_bytes(b"x")
    with PrecomputedStore(LocalStore(tmp_path)) as store:
        absent = ("c/1/0/0/0", "c/0/0/0/2", "c/0/00/0/0", "c/0/0/0", "c/0/0/0/x", "d/0", "c/0/0/0/0/0")
        assert [store.get(f"8_8_8/{key}") for key in absent] == [None] * len(absent)
        assert store.get("other/zarr.json") is store.get("other/c/0/0/0/0") is None
        assert len([*store.list_prefix("")]) == 2 + 8
        assert [entry.key for entry in store.list_dir("8_8_8/")] == ["8_8_8/zarr.json", "8_8_8/c/"]
        assert len([*store.list_dir("8_8_8/c/0/1/1/")]) == 2
        assert [*store.list_dir("other/")] == []
        assert (
            store.get_into("8_8_8/zarr.json", memoryview(bytearray(9999)))
            == store.stat("8_8_8/zarr.json").size
        )


def test_codecs_are_never_written(tmp_path: Path) -> None:
    write_scale(tmp_path / "a", random_values((1, 5, 6, 7), "uint8"))
    with zarrcore.open_hierarchy(tmp_path / "a") as hierarchy, zarrcore.create(tmp_path / "b") as other:
        source = hierarchy["8_8_8"].metadata
        with pytest.raises((UnsupportedError, MetadataError)):
            other.writer().create("/x", source)
