"""Creating and erasing members, and changing arrays, as zarr-python and h5py do it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numcodecs
import numpy as np
import pandas
import pytest
import zarr
from zarr.codecs import GzipCodec, TransposeCodec

import zarrcore as zc
from zarrcore.stores import MemoryStore

DATA = np.arange(12, dtype="int16").reshape(3, 4)


@pytest.fixture(params=["hierarchy", "group"])
def members(request: pytest.FixtureRequest) -> Any:
    hierarchy = zc.create(MemoryStore())
    return hierarchy if request.param == "hierarchy" else hierarchy.create_group("a/b")


class TestArrays:
    def test_data_give_the_shape_and_the_dtype(self, members: Any) -> None:
        array = members.create_array("x/y", data=DATA)
        assert array.path.endswith("/x/y")
        assert (array.shape, array.dtype) == (DATA.shape, DATA.dtype)
        assert np.array_equal(members["x/y"][...], DATA)
        assert members.create_array("list", data=[[1.5, 2]]).shape == (1, 2)
        assert members.create_array("scalar", data=3)[()] == 3
        assert members.create_array("text", data=["a", "bc"])[...].tolist() == ["a", "bc"]
        assert members.create_array("strings", data=["a", "bc"], dtype=str)[...].tolist() == ["a", "bc"]

    def test_data_are_converted(self, members: Any) -> None:
        array = members.create_array("x", shape=[3, 4], data=DATA, dtype="float32")
        assert (array.dtype, array[2, 3]) == (np.float32, 11)
        with pytest.raises(zc.ElementError):
            members.create_array("y", data=[300], dtype="uint8")
        assert "y" not in members, "nothing is made before the data are known to fit"

    @pytest.mark.parametrize("value", [{"a": 1}, zc.create(MemoryStore())])
    def test_a_group_is_no_array(self, members: Any, value: Any) -> None:
        members["group/b"] = members["texts"] = ["a"]
        for refused in (value, members["group"]):
            for call in (
                lambda: members.create_array("x", data=refused),  # noqa: B023 - called at once
                lambda: members.__setitem__("x", refused),  # noqa: B023
                lambda: members["texts"].__setitem__(..., refused),  # noqa: B023
            ):
                with pytest.raises(zc.ElementError, match="expected an array, found"):
                    call()
        assert "x" not in members

    def test_objects_of_one_type(self, tmp_path: Path) -> None:
        own = zc.create(tmp_path / "a.zarr")
        own["texts"] = pandas.Series(["a", "bü"])
        own["bytes"] = np.array([b"a", b"bcd"], object)
        for name in ("texts", "bytes"):
            own[f"again/{name}"] = own[name]
        theirs = zarr.open_group(tmp_path / "a.zarr", mode="r")
        for group in ("", "again/"):
            assert np.asarray(theirs[f"{group}texts"]).tolist() == ["a", "bü"]
            assert np.asarray(theirs[f"{group}bytes"]).tolist() == [b"a", b"bcd"]
        for mixed in (["a", None], ["a", b"a"], [1, 2], []):
            with pytest.raises(zc.UnsupportedError):
                own["x"] = np.array(mixed, object)
        assert "x" not in own

    @pytest.mark.parametrize("zarr_format", ["v2", "v3"])
    def test_codecs_of_numcodecs(self, zarr_format: str, tmp_path: Path) -> None:
        own = zc.create(tmp_path / "a.zarr", zarr_format)
        calls: list[dict[str, Any]] = [
            {"compressors": numcodecs.Blosc(shuffle=numcodecs.Blosc.BITSHUFFLE)},
            {"compressors": {"id": "zlib", "level": 2}, "filters": ()},
            {"compressors": [numcodecs.GZip(2)], "filters": numcodecs.Delta("<i2")},
        ]
        for number, arguments in enumerate(calls):
            own.create_array(str(number), data=DATA, **arguments)
            theirs = zarr.open_array(tmp_path / "a.zarr" / str(number), mode="r")
            assert np.array_equal(np.asarray(theirs), DATA)
            name = type(theirs.compressors[0]).__name__.removesuffix("Codec").lower()
            assert name == ("blosc", "zlib", "gzip")[number]
            assert len(theirs.filters) == (number == 2)
        for wrong in ({"id": 5}, numcodecs.Delta("<i2"), object()):
            with pytest.raises(zc.MetadataError):
                own.create_array("x", data=DATA, compressors=wrong)

    def test_names_of_types_of_strings(self, members: Any) -> None:
        kinds: dict[str, list[Any]] = {
            "string": [str, "str", np.dtype(str), "string"],
            "variable_length_bytes": [bytes, np.dtype(bytes)],
        }
        for name, spellings in kinds.items():
            for number, spelling in enumerate(spellings):
                array = members.create_array(f"{name}{number}", shape=2, dtype=spelling)
                assert array.data_type.name == name, spelling

    def test_an_error_tells_types_of_one_name_apart(self, members: Any) -> None:
        members["x"] = ["a", "b"]
        with pytest.raises(zc.NodeExistsError, match=r"<U1, not .* <U6"):
            members["x"] = ["longer", "b"]

    def test_data_of_the_array_that_is_overwritten(self, members: Any) -> None:
        members["x"] = DATA
        again = members.create_array("x", data=members["x"], chunks=2, overwrite=True)
        assert (again.chunks, again[...].tolist()) == ((2, 2), DATA.tolist())

    def test_it_is_what_zarr_python_makes(self, tmp_path: Path) -> None:
        own, theirs = zc.create(tmp_path / "own"), zarr.create_group(tmp_path / "theirs")
        calls: list[dict[str, Any]] = [
            {"shape": 5, "dtype": "i2", "chunks": 2},
            {"shape": (5, 6), "dtype": "f4", "chunks": (2, 2), "compressors": None},
            {"shape": (4, 6), "dtype": "f4", "chunks": (2, 3), "shards": (4, 6), "fill_value": 3},
            {"data": DATA, "chunks": (2, 2), "compressors": GzipCodec(level=1)},
            {"data": DATA, "filters": TransposeCodec(order=(1, 0)), "compressors": ()},
            {"data": DATA, "dimension_names": ["y", "x"], "attributes": {"unit": "nm"}},
        ]
        for number, arguments in enumerate(calls):
            made = own.create_array(f"a{number}", **arguments)
            expected = theirs.create_array(f"a{number}", **arguments)
            found = zarr.open_array(tmp_path / "own" / f"a{number}", mode="r")
            assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
            assert found.metadata.dimension_names == expected.metadata.dimension_names
            assert dict(found.attrs) == dict(expected.attrs)
            assert np.array_equal(found[...], expected[...])
            if "chunks" in arguments:
                assert (made.chunks, made.shards) == (expected.chunks, expected.shards)
            if arguments.get("compressors") is not None:
                assert (found.compressors, found.filters) == (expected.compressors, expected.filters)

    @pytest.mark.parametrize(
        ("arguments", "kind", "words"),
        [
            ({}, TypeError, r"create_array\(\) needs data, or a shape and a dtype"),
            ({"shape": 3}, TypeError, "needs data, or a shape and a dtype"),
            ({"dtype": "i2"}, TypeError, "needs data, or a shape and a dtype"),
            (
                {"data": DATA, "shape": (4, 3)},
                zc.MetadataError,
                r"shape: .*the data, \(3, 4\), found \(4, 3\)",
            ),
            ({"data": [[1], [2, 3]]}, zc.ElementError, "expected an array: "),
            ({"data": {}}, zc.ElementError, "expected an array, found {}"),
            ({"data": [None]}, zc.UnsupportedError, "data type"),
            (
                {"data": DATA, "chunk": 2},
                TypeError,
                r"^create_array\(\) has no argument 'chunk': did you mean 'chunks'\?$",
            ),
            ({"data": DATA, "compressor": "gzip"}, TypeError, r"did you mean 'compressors'\?$"),
            ({"data": DATA, "xyz": 0}, TypeError, r"^create_array\(\) has no argument 'xyz'$"),
        ],
    )
    def test_wrong_arguments(
        self, members: Any, arguments: dict[str, Any], kind: type[Exception], words: str
    ) -> None:
        with pytest.raises(kind, match=words):
            members.create_array("x", **arguments)
        assert "x" not in members

    def test_reading_only_is_said_first(self) -> None:
        store = MemoryStore()
        zc.create(store)
        changes: list[Callable[[Any], object]] = [
            lambda members: members.create_array("x"),
            lambda members: members.create_group("x"),
            lambda members: members.require_group("x"),
            lambda members: members.__setitem__("x", DATA),
        ]
        for change in changes:
            with pytest.raises(zc.ReadOnlyError, match=r"mode 'r\+'"):
                change(zc.open(store))


class TestRequired:
    def test_a_group(self, members: Any) -> None:
        made = members.require_group("g/h")
        made.attrs["a"] = 1
        assert members.require_group("g/h").attrs == {"a": 1}
        members["x"] = DATA
        with pytest.raises(TypeError, match="is an array, not a group"):
            members.require_group("x")

    def test_an_array(self, members: Any) -> None:
        made = members.require_array("x", shape=DATA.shape, dtype="int16", chunks=2)
        made[...] = DATA
        for same in ({"shape": (3, 4), "dtype": ">i2"}, {"data": np.zeros((3, 4), "i2")}):
            again = members.require_array("x", **same)
            assert (again.chunks, again[2, 3]) == ((2, 2), 11)
        for other in ({"shape": (3, 5), "dtype": "i2"}, {"shape": (3, 4), "dtype": "u2"}):
            with pytest.raises(
                zc.NodeExistsError, match=r"exists, with the shape \(3, 4\) and the data type int16, not"
            ):
                members.require_array("x", **other)
        members.create_group("g").create_group("h")
        with pytest.raises(zc.NodeExistsError, match="exists, as a group"):
            members.require_array("g", shape=(), dtype="i2")


class TestItems:
    @pytest.mark.parametrize(
        ("zarr_format", "name"), [("v3", "zarr.json"), ("v2", ".zgroup"), ("n5", "attributes.json")]
    )
    def test_a_name_of_a_document(self, zarr_format: str, name: str) -> None:
        own = zc.create(MemoryStore(), zarr_format)
        for path in (name, f"g/{name}", f"{name}/x"):
            with pytest.raises(zc.SelectionError, match="cannot be the name of a node"):
                own[path] = DATA
        assert [*own] == []

    def test_assigning_makes_an_array(self, tmp_path: Path) -> None:
        own = zc.create(tmp_path / "own")
        with h5py.File(tmp_path / "a.h5", "w") as theirs:
            for members in (own, own.require_group("g"), theirs):
                members["x"] = DATA
                members["deep/y"] = [1.5, 2.5]
                members["z"] = 7
            found, expected = ({key: own[f"{at}{key}"] for key in ("x", "deep/y", "z")} for at in ("", "g/"))
            for key, array in found.items():
                assert (array.shape, array.dtype) == (theirs[key].shape, theirs[key].dtype)
                assert np.array_equal(array[...], theirs[key][...])
                assert np.array_equal(array[...], expected[key][...])

    def test_assigning_never_replaces_a_node(self, members: Any) -> None:
        members["x"] = DATA
        array = members["x"]
        members["x"] = DATA + 1
        assert array[0, 0] == 1
        for other in (DATA[:2], DATA.astype("f4")):
            with pytest.raises(zc.NodeExistsError):
                members["x"] = other
        assert members["x"][0, 0] == 1

    def test_deleting(self, members: Any) -> None:
        members["g/x"] = DATA
        members["y"] = DATA
        del members["g/x"]
        del members["y"]
        assert [*members] == ["g"]
        with pytest.raises(KeyError):
            del members["y"]
        for own in ("", "/"):
            with pytest.raises(zc.SelectionError, match="not one of its own members"):
                del members[own]
        with pytest.raises(TypeError):
            del members[3]


class TestLengths:
    @pytest.mark.parametrize("axis", [0, 1, -1])
    def test_appending_is_that_of_zarr_python(self, tmp_path: Path, axis: int) -> None:
        for own in (True, False):
            place = tmp_path / f"own-{own}"
            root: Any = zc.create(place) if own else zarr.create_group(place)
            array = root.create_array("x", shape=DATA.shape, dtype="i2", chunks=(2, 3))
            array[...] = DATA
            more = DATA.take([0, 1], axis) + 100
            expected = np.concatenate([DATA, more], axis)
            zarr_axis = axis if own else axis % 2  # it takes no negative ones
            assert array.append(more, axis=zarr_axis) == expected.shape
            assert np.array_equal(array[...], expected)
            assert array.append(more.tolist(), zarr_axis) == array.shape
            assert array.append(np.zeros_like(DATA).take([], axis), axis=zarr_axis) == array.shape

    @pytest.mark.parametrize(
        ("data", "axis", "kind"),
        [
            (np.zeros((1, 5)), 0, ValueError),
            (np.zeros((2, 1, 4)), 0, ValueError),
            (7, 0, ValueError),
            (np.zeros((3, 1)), 0, ValueError),
            (["x"] * 4, 0, ValueError),
            (DATA, 2, IndexError),
        ],
    )
    def test_what_does_not_fit_changes_nothing(self, data: Any, axis: int, kind: type[Exception]) -> None:
        array = zc.create(MemoryStore()).create_array("x", data=DATA)
        with pytest.raises(kind):
            array.append(data, axis)
        assert array.shape == DATA.shape

    def test_resizing_takes_an_integer(self) -> None:
        array = zc.create(MemoryStore()).create_array("x", data=[1, 2, 3])
        array.resize(2)
        assert array[...].tolist() == [1, 2]


def test_attrs_are_the_attributes() -> None:
    store = MemoryStore()
    with zc.create(store) as hierarchy:
        array = hierarchy.create_array("x", data=DATA)
        for node in (hierarchy, hierarchy.create_group("g"), array):
            node.attrs["a"] = 1
            assert node.attributes == node.attrs == {"a": 1}
            node.attrs = {"b": 2}
        hierarchy.attributes["c"] = 3
    assert zc.open(store).attrs == {"b": 2, "c": 3}
    assert zc.open_array(store, "x").attrs == zc.open_group(store, "g").attrs == {"b": 2}


def test_data_of_a_store_are_read_once_and_unknown_types_get_a_hint() -> None:
    class Counted:
        shape, dtype, reads = (2,), np.dtype("int32"), 0

        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            self.reads += 1
            return np.array([1, 2], "int32")

    hierarchy, data = zc.create("memory://"), Counted()
    assert hierarchy.create_array("a", data=data)[...].tolist() == [1, 2]
    assert data.reads == 1
    with pytest.raises(zc.UnsupportedError, match="'flot32' is not supported: did you mean 'float32'"):
        hierarchy.create_array("b", shape=3, dtype="flot32")
    for wrong, meant in (("zstdd", "zstd"), ("lz4", "numcodecs.lz4"), ("blsc", "blosc")):
        with pytest.raises(zc.UnsupportedError, match=f"'{wrong}' is not supported: did you mean '{meant}'"):
            hierarchy.create_array("b", shape=3, dtype="int8", compressors=wrong)
    with pytest.raises(zc.UnsupportedError, match=r"'xyz' is not supported$"):
        hierarchy.create_array("b", shape=3, dtype="int8", codecs=["bytes", "xyz"])
