"""Groups, arrays and consolidated metadata between us and zarr-python, in versions 2 and 3 and both directions."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore
from tests.conftest import Written
from tests.hierarchies import values
from tests.zarr_python import RECTILINEAR, configured, has_rectilinear_grids
from zarrcore.errors import UnsupportedError
from zarrcore.formats import Format
from zarrcore.metadata import ChunkKeyEncoding
from zarrcore.typing import AnyArray

FORMATS = (3, 2)
each_format = pytest.mark.parametrize("zarr_format", FORMATS)
SHAPES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((), ()),
    ((0,), (1,)),
    ((3, 0, 2), (2, 4, 1)),
    ((7,), (3,)),
    ((5, 4), (2, 4)),
    ((2, 3, 4, 2), (9, 1, 3, 2)),
]
ATTRIBUTES: dict[str, Any] = {
    "text": "naïve 🧠 \ud7ff\n\0",
    "numbers": [0, -1, 2**53 + 1, 2**70, 1e-300, -0.0],
    "nested": {"": {"a/b": [None, True, {}]}},
    "zarr_format": 7,
    "_ARRAY_DIMENSIONS": "not a list",
}


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, NaN with NaN, -0.0 not with 0.0."""
    return repr(one) == repr(other)


@pytest.mark.sampled(14)
@pytest.mark.parametrize(("shape", "chunks"), SHAPES, ids=str)
@pytest.mark.parametrize("separator", ["/", "."])
@pytest.mark.parametrize("keys", ["default", "v2", "version 2"])
def test_chunk_keys_in_both_directions(
    keys: str, separator: Any, shape: tuple[int, ...], chunks: tuple[int, ...], tmp_path: Path
) -> None:
    zarr_format = 2 if keys == "version 2" else 3
    first, second = values("i2", shape, 1), values("i2", shape, 2)
    encoding = {"name": "default" if keys == "default" else "v2", "separator": separator}
    with configured():
        theirs = zarr.create_array(
            tmp_path / "theirs", shape=shape, chunks=chunks, dtype="i2", fill_value=3, zarr_format=zarr_format,
            chunk_key_encoding=encoding,
        )  # fmt: skip
        theirs[...] = first
        found = zarrcore.open_hierarchy(tmp_path / "theirs", mode="r+")["/"]
        assert np.asarray(found[...]).tobytes() == first.tobytes()
        hierarchy = zarrcore.create(tmp_path / "ours", format=f"v{zarr_format}")
        ours = hierarchy.create_array(
            "a", shape=shape, chunks=chunks, dtype="int16", fill_value=3,
            chunk_key_encoding=ChunkKeyEncoding(encoding["name"], separator),
        )  # fmt: skip
        ours[...] = second
        assert np.asarray(zarr.open_array(tmp_path / "ours/a", mode="r")[...]).tobytes() == second.tobytes()
        names = [
            {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
            for folder in (tmp_path / "theirs", tmp_path / "ours/a")
        ]
        assert names[0] - {".zattrs"} == names[1] - {".zattrs"}
        found[...] = second
        assert np.asarray(zarr.open_array(tmp_path / "theirs", mode="r")[...]).tobytes() == second.tobytes()


@each_format
def test_attributes_in_both_directions(zarr_format: int, tmp_path: Path) -> None:
    with configured():
        group = zarr.create_group(tmp_path / "theirs", zarr_format=zarr_format, attributes=ATTRIBUTES)
        group.create_array("a", shape=(2,), chunks=(2,), dtype="u1", attributes=ATTRIBUTES)
        found = zarrcore.open_hierarchy(tmp_path / "theirs")
        ours = zarrcore.create(tmp_path / "ours", format=f"v{zarr_format}")
        ours["/"].attributes = ATTRIBUTES
        ours.create_array("a", shape=(2,), dtype="uint8", attributes=ATTRIBUTES)
        for path in ("/", "/a"):
            assert same(found[path].attributes, ATTRIBUTES)
            assert same(dict(zarr.open(tmp_path / "ours" / path[1:], mode="r").attrs), ATTRIBUTES)


@each_format
def test_numbers_that_json_lacks_are_read_as_such_and_written_as_words(
    zarr_format: int, tmp_path: Path
) -> None:
    """zarr-python writes a bare NaN, which is invalid JSON. zarrcore reads it, and writes the specification's string instead."""
    odd = {"bad": [math.nan, math.inf, -math.inf], "good": 1}
    with configured():
        zarr.create_group(tmp_path / "theirs", zarr_format=zarr_format, attributes=odd)
        ours = zarrcore.open_hierarchy(tmp_path / "theirs", mode="r+")
        assert same(ours["/"].attributes, odd)
        ours["/"].attributes = ours["/"].attributes
        read = dict(zarr.open_group(tmp_path / "theirs", mode="r").attrs)
    assert read == {"bad": ["NaN", "Infinity", "-Infinity"], "good": 1}


NAMES: list[list[str | None]] = [["time", None, "x"], ["x", "x", ""], [None, None, None]]


@pytest.mark.parametrize("names", NAMES, ids=str)
def test_dimension_names_in_both_directions(names: list[str | None], tmp_path: Path) -> None:
    with configured():
        zarr.create_array(
            tmp_path / "theirs", shape=(2, 3, 4), chunks=(2, 3, 4), dtype="u1", dimension_names=names
        )
    assert zarrcore.open_hierarchy(tmp_path / "theirs")["/"].dimension_names == tuple(names)
    ours = zarrcore.create(tmp_path / "ours")
    ours.create_array("a", shape=(2, 3, 4), dtype="uint8", dimension_names=names)
    with configured():
        assert zarr.open_array(tmp_path / "ours/a", mode="r").metadata.dimension_names == tuple(names)


def edit(path: Path, **members: Any) -> None:
    document = json.loads(path.read_text()) | members
    path.write_text(json.dumps({name: value for name, value in document.items() if value is not ...}))


def made(path: Path) -> None:
    """An array of zarr-python in a group of it."""
    with configured():
        zarr.create_group(path).create_array(
            "a", data=np.arange(6, dtype="<i2"), chunks=(4,), compressors=None
        )


@pytest.mark.parametrize("node", ["", "a"])
def test_members_that_may_be_ignored_stay_and_others_are_refused(node: str, tmp_path: Path) -> None:
    made(tmp_path)
    ignorable = {"must_understand": False, "name": "novelty", "n": [1, {"x": None}]}
    edit(tmp_path / node / "zarr.json", novelty=ignorable)
    zarrcore.open_hierarchy(tmp_path, mode="r+")[node or "/"].attributes = {"changed": True}
    stored = json.loads((tmp_path / node / "zarr.json").read_text())
    assert (stored["novelty"], stored["attributes"]) == (ignorable, {"changed": True})
    if (
        node or "extra_fields" in zarr.core.group.GroupMetadata.__dataclass_fields__
    ):  # 3.1 takes none in groups
        with configured():
            zarr.open(tmp_path / node, mode="r+").attrs["theirs"] = 1
        assert zarrcore.open_hierarchy(tmp_path)[node or "/"].attributes == {"changed": True, "theirs": 1}
    for wrong in ({"name": "novelty"}, {"must_understand": True}, True, None):
        edit(tmp_path / node / "zarr.json", novelty=wrong)
        with pytest.raises(UnsupportedError, match="'novelty' is unknown"):
            zarrcore.open_hierarchy(tmp_path)[node or "/"]


def test_storage_transformers_that_must_be_understood_are_refused(tmp_path: Path) -> None:
    """The specification demands it, unless they may be ignored. zarr-python reads the chunks as if there were none."""
    made(tmp_path)
    for absent in ([], ...):
        edit(tmp_path / "a/zarr.json", storage_transformers=absent)
        assert zarrcore.open_hierarchy(tmp_path)["a"][...].tolist() == list(range(6))
    edit(tmp_path / "a/zarr.json", storage_transformers=[{"name": "x.y", "must_understand": False}])
    assert zarrcore.open_hierarchy(tmp_path)["a"][...].tolist() == list(range(6))
    edit(tmp_path / "a/zarr.json", storage_transformers=[{"name": "x.y", "configuration": {}}])
    with pytest.raises(UnsupportedError, match=r"storage transformer 'x\.y'"):
        zarrcore.open_hierarchy(tmp_path)["a"]


def fill(group: Any, zarr_format: int) -> dict[str, AnyArray]:
    """Arrays below a group of zarr-python, whose documents are of every kind; what they hold."""
    record = np.dtype([("a", "<i2"), ("b", "<f4")])
    arrays: dict[str, tuple[Any, dict[str, Any]]] = {
        "plain": (values("i4", (5, 7)), {"chunks": (2, 3), "fill_value": -1, "attributes": ATTRIBUTES}),
        "deep/er/still/nan": (values("f8", (4,)), {"chunks": (3,), "fill_value": math.nan}),
        "deep/er/record": (values(record, (4,)), {"chunks": (3,), "compressors": None}),
        "deep/Ünïcode/text": (values("<U3", (4,)), {"chunks": (4,), "fill_value": "é"}),
        "deep/z/scalar": (np.array(7, "u2"), {"chunks": ()}),
    }
    if zarr_format == 3:
        arrays["Deep/shards"] = (
            values("u1", (8, 8)),
            {"chunks": (2, 2), "shards": (4, 8), "dimension_names": ["y", None]},
        )
        if has_rectilinear_grids():
            arrays["deep/er/edges"] = (values("u1", (9, 4)), {"chunks": [[1, 1, 3, 4], 3]})
    for path, (data, options) in arrays.items():
        group.create_array(path, shape=data.shape, dtype=data.dtype, **options)[...] = data
    group.require_group("deep/empty").attrs["only"] = "attributes"
    return {path: data for path, (data, _) in arrays.items()}


@each_format
def test_consolidated_metadata_of_zarr_python_serve_for_every_kind_of_node(
    zarr_format: int, tmp_path: Path
) -> None:
    flag = {RECTILINEAR: True} if has_rectilinear_grids() else {}
    with configured(), zarr.config.set(flag):
        expected = fill(
            zarr.create_group(tmp_path / "a", zarr_format=zarr_format, attributes=ATTRIBUTES), zarr_format
        )
        zarr.consolidate_metadata(tmp_path / "a")
    hierarchy = zarrcore.open_hierarchy(tmp_path / "a")
    told = hierarchy.format.consolidated_documents(hierarchy.store.get, hierarchy["/"].documents)
    assert told is not None
    nodes = {node.path: node for node in hierarchy.walk()}
    assert told.keys() | {"/"} == nodes.keys()
    for path, node in nodes.items():
        if path != "/":
            assert told[path] == hierarchy.format.normalize(node.documents), path
            parsed = hierarchy.format.parse_consolidated(told[path])
            assert parsed is not None
            assert repr(parsed.attributes) == repr(node.attributes)
    for path, data in expected.items():
        assert np.asarray(hierarchy[path][...]).tobytes() == data.tobytes()
    assert same(hierarchy["/"].attributes, ATTRIBUTES)


@each_format
def test_zarr_python_opens_every_kind_of_node_through_our_consolidated_metadata(
    zarr_format: int, tmp_path: Path
) -> None:
    flag = {RECTILINEAR: True} if has_rectilinear_grids() else {}
    with configured(), zarr.config.set(flag):
        expected = fill(zarr.create_group(tmp_path / "a", zarr_format=zarr_format), zarr_format)
        hierarchy = zarrcore.open_hierarchy(tmp_path / "a", mode="r+")
        hierarchy.consolidate()
        group = zarr.open_consolidated(tmp_path / "a", zarr_format=zarr_format)
        members = dict(group.members(max_depth=None))
        assert {f"/{path}" for path in members} | {"/"} == {node.path for node in hierarchy.walk()}
        for path, data in expected.items():
            assert np.asarray(members[path][...]).tobytes() == data.tobytes()
            direct = zarr.open_array(tmp_path / "a" / path, mode="r", zarr_format=zarr_format)
            assert same(members[path].metadata.to_dict(), direct.metadata.to_dict())


@each_format
def test_a_change_by_either_makes_no_stale_reading_of_ours(zarr_format: int, tmp_path: Path) -> None:
    """zarr-python believes consolidated metadata. For us they are a hint, and each node's own document is the truth."""
    with configured():
        group = zarr.create_group(tmp_path, zarr_format=zarr_format)
        for name in ("changed", "gone"):
            group.create_array(name, data=np.arange(4), chunks=(2,))
        zarr.consolidate_metadata(tmp_path)
        plain = zarr.open_group(tmp_path, mode="r+", use_consolidated=False)
        plain["changed"].attrs["new"] = True
        plain["changed"].resize((3,))
        plain.create_array("more", data=np.arange(2))
        del plain["gone"]
    hierarchy = zarrcore.open_hierarchy(tmp_path, mode="r+")
    assert {node.path for node in hierarchy.walk()} == {"/", "/changed", "/more"}
    assert (hierarchy["changed"].shape, hierarchy["changed"].attributes) == ((3,), {"new": True})
    hierarchy.consolidate()
    with configured():
        group = zarr.open_consolidated(tmp_path, zarr_format=zarr_format)
        assert sorted(group.keys()) == ["changed", "more"]
        assert group["changed"].attrs["new"] is True


def test_arrays_that_zarr_python_migrates_in_place_are_read_by_their_new_documents(
    v2_hierarchy: Written, tmp_path: Path
) -> None:
    """Its migration puts a ``zarr.json`` beside ``.zarray``, for the same chunks. The newer document counts."""
    migrate = pytest.importorskip("zarr.metadata.migrate_v3").migrate_v2_to_v3
    root = tmp_path / "migrated"
    shutil.copytree(v2_hierarchy.path, root)
    read = set()
    for path, expected in v2_hierarchy.expected.items():
        with configured():
            try:
                migrate(input_store=root / path[1:])
                theirs = np.asarray(zarr.open_array(root / path[1:], mode="r", zarr_format=3)[...])
            except (AttributeError, NotImplementedError, TypeError, ValueError):
                continue  # it has no document for the array in version 3, or cannot read it
        if theirs.astype(expected.dtype).tobytes() == expected.tobytes():
            hierarchy = zarrcore.open_hierarchy(root / path[1:])
            assert hierarchy.format is Format.V3
            assert hierarchy["/"][...].tobytes() == expected.tobytes(), path
            read.add(path.split("/")[1] if "/" in path[1:] else path)
    assert {"types", "compressors", "filters", "layouts", "fill", "shapes"} <= read


@pytest.mark.parametrize(
    "told",
    [
        None,
        {"kind": "inline", "must_understand": False, "metadata": {}},
        {"kind": "inline", "must_understand": True, "metadata": {}},
        {"kind": "by reference", "must_understand": False, "metadata": {}},
    ],
    ids=str,
)
def test_nodes_that_consolidated_metadata_do_not_name_are_found(told: Any, tmp_path: Path) -> None:
    """zarr-python 3.0 wrote null, and shows an empty group for empty ones. It refuses kinds that it does not know."""
    made(tmp_path)
    edit(tmp_path / "zarr.json", consolidated_metadata=told)
    hierarchy = zarrcore.open_hierarchy(tmp_path, mode="r+")
    assert [node.path for node in hierarchy.walk()] == ["/", "/a"]
    hierarchy.consolidate()
    with configured():
        assert list(zarr.open_consolidated(tmp_path).keys()) == ["a"]
