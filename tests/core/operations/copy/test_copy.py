"""A copy holds what its source holds, whatever the format, the chunks and the codecs; zarr-python and tensorstore say so."""

from __future__ import annotations

import json
import math
import pickle
import shutil
import warnings
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import tensorstore
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore as zc
from tests.conftest import Written
from tests.core.formats.drafts.draft_writer import DRAFTS, write
from tests.core.formats.drafts.draft_writer import Array as DraftArray
from zarrcore.errors import MetadataError, NodeExistsError, UnsupportedError
from zarrcore.formats import format_named
from zarrcore.metadata import NamedConfiguration
from zarrcore.operations.copy import CopyPlan, CopyResult, Layout, LeftKeys, execute, plan_copy
from zarrcore.operations.copy.destination import prepare
from zarrcore.stores import open_store
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.memory import MemoryStore

DATA = np.arange(1, 24 * 36 + 1, dtype="f4").reshape(24, 36)


def copy(
    source: Any, destination: ReadableStore | Path, path: str = "/", to: str | None = None, **options: Any
) -> CopyResult:
    layout = Layout(**{name: options.pop(name) for name in tuple(options) if name in Layout.__slots__})
    hierarchy = zc.open(source)
    memory = options.pop("memory_nbytes", 64 << 20)
    plan = plan_copy(
        hierarchy, path, to=format_named(to) if to else None, layout=layout, memory_nbytes=memory
    )
    store = LocalStore(destination, create=True) if isinstance(destination, Path) else destination
    return execute(plan, hierarchy, store, **options)


def read_by_zarr(path: Path) -> np.ndarray[Any, Any]:
    with warnings.catch_warnings(action="ignore"):
        found = np.asarray(zarr.open_array(path, mode="r")[...])
    return found.astype(found.dtype.newbyteorder("="))


def read_by_tensorstore(path: Path) -> np.ndarray[Any, Any]:
    drivers = {"attributes.json": "n5", "zarr.json": "zarr3", ".zarray": "zarr"}
    driver = next(driver for name, driver in drivers.items() if (path / name).exists())
    spec = {"driver": driver, "kvstore": {"driver": "file", "path": f"{path}/"}}
    found = tensorstore.open(spec, open=True).result()
    values = np.asarray(found.read(order="C").result())
    return values.T if driver == "n5" else values


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Groups with attributes, a sharded array ``g/s``, and one of plain chunks, ``a``, of which one is missing."""
    root = zarr.create_group(tmp_path / "source.zarr", attributes={"title": "µ"})
    array = root.create_array(
        "a", shape=DATA.shape, dtype="f4", chunks=(5, 12), fill_value=7, dimension_names=["y", "x"]
    )
    array[...] = DATA
    array[5:10, 12:24] = 7
    array.attrs["unit"] = "mm"
    root.create_group("g", attributes={"kind": "inner"}).create_array(
        "s", data=DATA, chunks=(4, 6), shards=(12, 18), compressors=[zarr.codecs.GzipCodec(level=1)]
    )
    return tmp_path / "source.zarr"


EXPECTED = DATA.copy()
EXPECTED[5:10, 12:24] = 7


@pytest.mark.parametrize("to", ["v3", "v2", "n5"])
def test_to_another_format(source: Path, tmp_path: Path, to: str) -> None:
    target = tmp_path / "target"
    result = copy(source, target, to=to)
    assert (result.groups, result.arrays, result.nbytes) == (2, 2, 2 * DATA.nbytes)
    for read in (read_by_tensorstore, *([read_by_zarr] if to != "n5" else [])):
        assert np.array_equal(read(target / "a"), EXPECTED)
        assert np.array_equal(read(target / "g/s"), DATA)
    copied = zc.open(target)
    assert copied.format.name == to
    assert copied["/"].attributes["title"] == "µ"
    assert copied["g"].attributes["kind"] == "inner"
    assert copied["a"].attributes["unit"] == "mm"
    assert copied["a"].dimension_names == (("y", "x") if to != "n5" else copied["a"].dimension_names)
    assert copied["a"].chunk_shape == (5, 12)
    assert copied["g/s"].inner_chunk_shape == (4, 6)
    assert list((target).glob(".zarrscope*")) == [], "the marker is gone"


def test_groups_of_version_2_without_documents_are_copied(tmp_path: Path) -> None:
    zarr.create_group(tmp_path / "s", zarr_format=2)
    zarr.create_array(tmp_path / "s/A/1/0", data=DATA, chunks=(5, 12), zarr_format=2)
    (tmp_path / "s/A/.zattrs").write_text('{"who": "me"}')
    result = copy(tmp_path / "s", tmp_path / "t", to="v3")
    assert (result.groups, result.arrays, result.left.count) == (3, 1, 0)
    assert np.array_equal(read_by_zarr(tmp_path / "t/A/1/0"), DATA)
    assert zarr.open_group(tmp_path / "t/A", mode="r").attrs.asdict() == {"who": "me"}
    assert sorted(path for path, _ in zarr.open_group(tmp_path / "t", mode="r").members(max_depth=None)) == [
        "A",
        "A/1",
        "A/1/0",
    ]


@pytest.mark.parametrize("to", ["v3", "v2", "n5"])
def test_keys_that_belong_to_no_node_are_reported(source: Path, tmp_path: Path, to: str) -> None:
    copy(source, tmp_path / "s", to=to, consolidate=to != "n5")
    assert copy(tmp_path / "s", MemoryStore()).left == LeftKeys()
    (tmp_path / "s/g/notes").write_text("mine")
    shutil.copytree(tmp_path / "s/g/s", tmp_path / "s/a/hidden")  # an array within another is no node
    (tmp_path / "s/a/0.1f2e.partial").write_bytes(b"left by a writer that was stopped")
    within = [path for path in (tmp_path / "s/a/hidden").rglob("*") if path.is_file()]
    left = copy(tmp_path / "s", MemoryStore(), to="v3").left
    assert left.count == len(within) + 1
    assert all(key == "g/notes" or key.startswith("a/hidden/") for key in left.examples)
    assert len(left.examples) == 3
    assert copy(tmp_path / "s", MemoryStore(), "/g").left == LeftKeys(1, ("g/notes",))
    assert copy(tmp_path / "s", MemoryStore(), "/g/s").left == LeftKeys()


@pytest.mark.parametrize("day", DRAFTS)
def test_keys_that_belong_to_no_node_of_a_draft_are_reported(day: str) -> None:
    values = write(day, {"/": {"n": 1}, "/g/x": DraftArray(DATA, (5, 12)), "/y": DraftArray(DATA, (24, 36))})
    assert copy(MemoryStore(values=values), MemoryStore()).left == LeftKeys()
    (chunk,) = (key for key in values if "/y/" in f"/{key}" and "zarr.json" not in key)
    lost = f"/{chunk}".replace("/y/", "/lost/")[1:]
    assert copy(MemoryStore(values={**values, lost: b""}), MemoryStore()).left == LeftKeys(1, (lost,))


def test_keys_that_belong_to_no_node_of_a_collection_are_reported(source: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    shutil.copytree(source, place / "deep/one.zarr")
    copy(source, place / "two.n5", to="n5")
    with zc.create(place / "three.zip") as zipped:
        zipped.create_array("x", shape=(4,), data_type="int8")[...] = 1
    assert copy(place, MemoryStore(), to="v3").left == LeftKeys()
    (place / "deep/readme").write_text("")  # what lies beside hierarchies is not theirs
    (place / "two.n5/g/notes").write_text("")
    (place / "deep/one.zarr/notes").write_text("")
    assert copy(place, MemoryStore(), "/two.n5", to="v3").left == LeftKeys(1, ("two.n5/g/notes",))
    left = copy(place, MemoryStore(), to="v3").left
    assert (left.count, sorted(left.examples)) == (2, ["deep/one.zarr/notes", "two.n5/g/notes"])


def test_left_keys_are_unknown_if_the_store_cannot_list(source: Path, tmp_path: Path) -> None:
    class Unlisted(LocalStore):
        def list_prefix(self, prefix: str) -> Any:
            raise zc.ListingUnsupportedError("cannot be listed", url=self.url)

        list_dir = list_prefix

    copy(source, tmp_path / "s", consolidate=True)
    (tmp_path / "s/notes").write_text("")
    result = copy(Unlisted(tmp_path / "s"), MemoryStore())
    assert (result.arrays, result.left) == (2, LeftKeys())


def test_no_key_of_zarr_python_is_left_behind(hierarchy: Written) -> None:
    arrays = [node.path for node in zc.open(hierarchy.path).walk() if node.kind == "array"]
    for path in arrays[:: len(arrays) // 8]:
        assert copy(hierarchy.path, MemoryStore(), path).left == LeftKeys()


@pytest.mark.parametrize("to", ["v2", "n5"])
@pytest.mark.parametrize(
    "name", ["float8_e5m2", "complex_float16", "complex_bfloat16", "complex_float8_e5m2", "int4", "bfloat16"]
)
def test_a_type_that_the_format_lacks_is_named_with_the_array(name: str, to: str) -> None:
    store = MemoryStore()
    made = zc.create(store)
    fields = [{"name": "x", "data_type": name}]
    record = {"name": "struct", "configuration": {"fields": fields}}
    for path, data_type in (("g/plain", name), ("record", record)):
        made.create_array(path, shape=(3,), data_type=data_type)
        title = "Zarr v2" if to == "v2" else "N5"
        told = data_type if isinstance(data_type, str) else "struct"
        sentence = f"array '/{path}' cannot be copied: data type '{told}' cannot be expressed in {title}"
        with pytest.raises(UnsupportedError, match=f"^{sentence}$"):
            copy(store, MemoryStore(), to=to)
        made.erase(path)


def test_codecs_that_do_not_fit_are_named_with_the_array() -> None:
    store = MemoryStore()
    zc.create(store).create_array("g/text", shape=(3,), data_type="string")
    with pytest.raises(MetadataError, match=r"^/g/text: .*packbits"):
        copy(store, MemoryStore(), codecs=(NamedConfiguration("packbits"),))


def test_missing_chunks_stay_missing(source: Path, tmp_path: Path) -> None:
    assert not (source / "a/c/1/1").exists()
    copy(source, tmp_path / "t", to="v2")
    stored = {file.name for file in (tmp_path / "t/a").iterdir()} - {".zarray", ".zattrs"}
    assert stored == {f"{y}.{x}" for y in range(5) for x in range(3)} - {"1.1"}


def test_only_stored_chunks_of_a_remote_store_are_requested(source: Path) -> None:
    class Remote(LocalStore):
        is_remote = True
        requests_in_flight = 4
        asked: ClassVar[list[str]] = []

        def get(self, key: str, byte_range: Any = None, **options: Any) -> Any:
            self.asked.append(key)
            return super().get(key, byte_range, **options)

    for index in [(0, 0), (0, 1), (0, 2), (4, 0), (4, 1), (4, 2)]:
        (source / "a/c/{}/{}".format(*index)).unlink()
    target = MemoryStore()
    result = copy(Remote(source), target, "/a", memory_nbytes=12_000)
    assert result.missing_nbytes > 0
    assert {key for key in Remote.asked if "/c/" in key} < {
        f"a/c/{y}/{x}" for y in range(5) for x in range(3)
    }
    assert np.array_equal(zc.open(target)["/"][...], zc.open(source)["a"][...])


def test_a_chunk_that_a_listing_leaves_out_is_not_taken_for_missing(source: Path, tmp_path: Path) -> None:
    (source / "a/c/0/0").rename(tmp_path / "elsewhere")
    (source / "a/c/0/0").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(zc.StoreError):
        copy(source, MemoryStore())


def test_a_missing_chunk_is_written_if_the_format_has_no_fill_value(source: Path, tmp_path: Path) -> None:
    copy(source, tmp_path / "t", to="n5")
    assert np.array_equal(zc.open(tmp_path / "t")["a"][...], EXPECTED)


def test_documents_survive_a_copy_there_and_back(source: Path, tmp_path: Path) -> None:
    copy(source, tmp_path / "v2", to="v2")
    copy(tmp_path / "v2", tmp_path / "v3", to="v3")
    before, after = (json.loads((root / "a/zarr.json").read_text()) for root in (source, tmp_path / "v3"))
    for member in ("shape", "data_type", "chunk_grid", "fill_value", "attributes", "dimension_names"):
        assert after[member] == before[member]
    assert [codec["name"] for codec in after["codecs"]] == ["bytes", "zstd"]


@pytest.mark.parametrize(
    ("layout", "names"),
    [
        ({"chunk_shape": (7, 10)}, ["bytes", "zstd"]),
        ({"chunk_shape": (8, -1)}, ["bytes", "zstd"]),
        ({"chunk_shape": (4, 6), "shard_shape": (12, 12)}, ["sharding_indexed"]),
        ({"shard_shape": (10, 24)}, ["sharding_indexed"]),
        ({"codecs": ()}, ["bytes"]),
        ({"codecs": (NamedConfiguration("gzip", {"level": 9}),)}, ["bytes", "gzip"]),
        (
            {"codecs": (NamedConfiguration("transpose", {"order": [1, 0]}), NamedConfiguration("crc32c"))},
            ["transpose", "bytes", "crc32c"],
        ),
    ],
)
@pytest.mark.parametrize("memory_nbytes", [64 << 20, 30_000])
def test_other_chunks_shards_and_codecs(
    source: Path, tmp_path: Path, layout: dict[str, Any], names: list[str], memory_nbytes: int
) -> None:
    target = tmp_path / "t"
    copy(source, target, "/a", memory_nbytes=memory_nbytes, **layout)
    document = json.loads((target / "zarr.json").read_text())
    assert [codec["name"] for codec in document["codecs"]] == names
    for read in (read_by_zarr, read_by_tensorstore):
        assert np.array_equal(read(target), EXPECTED)


@pytest.mark.parametrize(
    ("layout", "chunk_shape", "inner"),
    [
        ({}, (12, 18), (4, 6)),
        ({"codecs": ()}, (12, 18), (4, 6)),
        ({"shard_shape": ()}, (4, 6), (4, 6)),
        ({"chunk_shape": (3, 3)}, (3, 3), (3, 3)),
        ({"chunk_shape": (3, 3), "shard_shape": (6, -1)}, (6, 36), (3, 3)),
    ],
)
def test_shards_stay_unless_other_storage_is_requested(
    source: Path, tmp_path: Path, layout: dict[str, Any], chunk_shape: Any, inner: Any
) -> None:
    copy(source, tmp_path / "t", "/g/s", **layout)
    copied = zc.open(tmp_path / "t")["/"]
    assert (copied.chunk_shape, copied.inner_chunk_shape) == (chunk_shape, inner)
    assert np.array_equal(read_by_zarr(tmp_path / "t"), DATA)


@settings(max_examples=60)
@given(data=st.data())
def test_any_chunks_to_any_others(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(0, 9), max_size=3).map(tuple))
    lengths = st.tuples(*(st.integers(1, 6) for _ in shape))
    values = np.arange(1, 1 + math.prod(shape), dtype="i2").reshape(shape)
    if shape:
        values[data.draw(st.integers(0, 9)) :] = 0  # chunks that are missing
    store, target = MemoryStore(), MemoryStore()
    made = zc.create(store, data.draw(st.sampled_from(["v3", "v2"])))
    made.create_array("x", shape=shape, data_type="int16", chunk_shape=data.draw(lengths) if shape else None)
    if values.size:
        made["x"][...] = values
    to = data.draw(st.sampled_from(["v3", "v2", "n5"] if shape and values.size else ["v3", "v2"]))
    memory = data.draw(st.sampled_from([20_000, 1 << 20]))
    copy(store, target, to=to, chunk_shape=data.draw(lengths) if shape else None, memory_nbytes=memory)
    assert np.array_equal(zc.open(target)["x"][...], values)


def test_every_array_of_a_hierarchy(hierarchy: Written, tmp_path: Path) -> None:
    """As zarr-python reads them, where it knows the type."""
    copy(hierarchy.path, tmp_path / "t", to="v3")
    wrong, read = {}, 0
    for path, expected in hierarchy.expected.items():
        try:
            found = read_by_zarr(tmp_path / "t" / path[1:])
        except (ValueError, zarr.errors.UnknownCodecError):
            found = np.asarray(zc.open(tmp_path / "t")[path][...])
        else:
            read += 1
        if found.tobytes() != expected.tobytes():
            wrong[path] = (found.dtype, expected.dtype)
    assert wrong == {}
    assert read > 90


def test_strings(tmp_path: Path) -> None:
    values = np.array([["a", "", "größe"], ["x" * 1000, "y", "z"]], dtype=np.dtypes.StringDType())
    with warnings.catch_warnings(action="ignore"):
        zarr.create_array(tmp_path / "v3", data=values, chunks=(1, 2))
        for to in ("v2", "v3"):
            copy(tmp_path / "v3", tmp_path / f"to-{to}", to=to)
            assert zarr.open_array(tmp_path / f"to-{to}")[...].tolist() == values.tolist()


def test_from_and_to_zip(source: Path, tmp_path: Path) -> None:
    with open_store(tmp_path / "t.zip", create=True) as target:
        copy(source, target)
    copy(tmp_path / "t.zip", tmp_path / "out", to="v2")
    assert np.array_equal(read_by_zarr(tmp_path / "out/a"), EXPECTED)


def test_consolidated_metadata_on_request(source: Path, tmp_path: Path) -> None:
    copy(source, tmp_path / "t", consolidate=True)
    with warnings.catch_warnings(action="ignore"):
        opened = zarr.open_consolidated(tmp_path / "t")
        assert {name for name, _ in opened.members(max_depth=None)} == {"a", "g", "g/s"}
        assert np.array_equal(opened["a"][...], EXPECTED)


def test_a_codec_that_the_format_lacks_is_replaced(tmp_path: Path) -> None:
    with warnings.catch_warnings(action="ignore"):
        zarr.create_array(
            tmp_path / "x",
            data=DATA,
            chunks=(5, 5),
            compressors=[zarr.codecs.Crc32cCodec(), zarr.codecs.ZstdCodec()],
        )
    hierarchy = zc.open(tmp_path / "x")
    for to in ("v2", "n5"):
        plan = plan_copy(hierarchy, to=format_named(to))
        execute(plan, hierarchy, LocalStore(tmp_path / to, create=True))
    assert np.array_equal(read_by_zarr(tmp_path / "v2"), DATA)
    assert np.array_equal(read_by_tensorstore(tmp_path / "n5"), DATA)


def test_a_plan_is_a_value(source: Path) -> None:
    hierarchy = zc.open(source)
    plan = plan_copy(hierarchy, to=format_named("v2"))
    again: CopyPlan = pickle.loads(pickle.dumps(plan))
    assert again.fingerprint == plan.fingerprint == plan_copy(hierarchy, to=format_named("v2")).fingerprint
    for other in (
        plan_copy(hierarchy, to=format_named("v3")),
        plan_copy(hierarchy, "/a", to=format_named("v2")),
        plan_copy(hierarchy, to=format_named("v2"), layout=Layout(chunk_shape=(3, 3))),
    ):
        assert other.fingerprint != plan.fingerprint


def test_blocks_that_do_not_fit_into_memory_are_refused(source: Path, tmp_path: Path) -> None:
    with pytest.raises(zc.StoreError, match="/g/s: copying one shard takes"):
        copy(source, tmp_path / "t", memory_nbytes=2000)
    assert not (tmp_path / "t").exists()


def test_a_layout_that_does_not_fit_any_array_is_refused(source: Path, tmp_path: Path) -> None:
    with pytest.raises(zc.SelectionError, match="chunks of 3 dimensions"):
        copy(source, tmp_path / "t", chunk_shape=(1, 2, 3))
    with pytest.raises(zc.SelectionError, match="whole chunks"):
        copy(source, tmp_path / "t", "/a", chunk_shape=(5, 5), shard_shape=(12, 12))


def test_a_broken_node_is_not_copied_silently(source: Path, tmp_path: Path) -> None:
    (source / "g/zarr.json").write_text("{")
    with pytest.raises(zc.MetadataError, match=r"g/zarr\.json"):
        copy(source, tmp_path / "t")


def test_a_name_that_the_other_format_reserves_is_not_lost_silently() -> None:
    source = zc.create(MemoryStore(), "n5")
    source.create_array("__mine/a", shape=(3,), data_type="int8")[...] = 1
    with pytest.raises(
        zc.UnsupportedError, match="node '/__mine' cannot be copied: Zarr v3 does not allow this name"
    ):
        copy(source.store, MemoryStore(), to="v3")
    assert copy(source.store, MemoryStore(), "/__mine", to="v3").arrays == 1


def test_a_broken_chunk_ends_the_copy(source: Path, tmp_path: Path) -> None:
    (source / "a/c/0/0").write_bytes(b"broken")
    with pytest.raises(zc.CodecError, match="a/c/0/0"):
        copy(source, tmp_path / "t")


@pytest.mark.parametrize("inside", ["", "inside", ".."])
def test_the_source_cannot_be_the_destination(source: Path, inside: str) -> None:
    before = sorted(source.rglob("*"))
    with pytest.raises(zc.SelectionError, match="source itself"):
        copy(source, (source / inside).resolve(), overwrite=True)
    assert [path for path in sorted(source.rglob("*")) if path.name != "inside"] == before


def test_existing_data_is_only_overwritten_on_request(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "t"
    zarr.create_group(target).create_array("old", data=DATA)
    with pytest.raises(NodeExistsError, match="a hierarchy of Zarr v3"):
        copy(source, target)
    assert (target / "old").exists()
    copy(source, target, overwrite=True)
    assert not (target / "old").exists()
    assert np.array_equal(read_by_zarr(target / "a"), EXPECTED)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/letter.txt").write_text("precious")
    for overwrite in (False, True):
        with pytest.raises(NodeExistsError, match=r"letter\.txt"):
            copy(source, tmp_path / "full", overwrite=overwrite)
    assert (tmp_path / "full/letter.txt").exists()


def test_the_folder_of_a_zip_file_cannot_be_its_destination(source: Path, tmp_path: Path) -> None:
    zc.create(tmp_path / "full")
    with open_store(tmp_path / "full/a.zip", create=True) as target:
        copy(source, target)
    with pytest.raises(zc.SelectionError, match="is inside the other"):
        copy(tmp_path / "full/a.zip", tmp_path / "full", overwrite=True)
    with (
        pytest.raises(zc.SelectionError, match="is inside the other"),
        open_store(source / "new.zip", create=True) as target,
    ):
        copy(source, target)
    assert zc.open(tmp_path / "full/a.zip")["a"].shape == DATA.shape


def test_a_prefix_inside_the_source_cannot_be_the_destination(source: Path, tmp_path: Path) -> None:
    hierarchy = zc.open(source)
    plan = plan_copy(hierarchy)
    for one, other in [("data/x", "data/x"), ("data/x", "data"), ("data", "data/x")]:
        target = open_store(f"s3://bucket/{other}")
        for options in ({}, {"cache_dir": tmp_path / "cache"}):
            with pytest.raises(zc.SelectionError, match="is inside the other"):
                prepare(
                    plan,
                    open_store(f"s3://bucket/{one}", anonymous=True, **options),
                    target,
                    overwrite=True,
                )


class Forgetful(MemoryStore):
    """Stores chunks with one bit changed."""

    def set(self, key: str, value: Any, *, if_absent: bool = False) -> bool:
        data = bytearray(value)
        if key == "a/c/2/0":
            data[0] ^= 1
        return super().set(key, bytes(data), if_absent=if_absent)


def test_a_block_that_does_not_read_back_is_an_error(source: Path) -> None:
    with pytest.raises(zc.BrokenBodyError, match="does not read back"):
        copy(source, Forgetful(), codecs=())
    assert copy(source, Forgetful(), codecs=(), verify=False).arrays == 2
