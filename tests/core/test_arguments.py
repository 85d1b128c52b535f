"""Arguments of the wrong type: one error that names the argument and what it takes, before anything is done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import zarrcore as zc
from zarrcore.arguments import check_type
from zarrcore.errors import SelectionError, UnsupportedError

PLACE = "expected a path, a URL or an open store"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    with zc.create(tmp_path / "a.zarr") as made:
        made["x"] = [[1, 2], [3, 4]]
    return tmp_path / "a.zarr"


Call = Callable[..., Any]
OPEN: tuple[Call, ...] = (zc.open, zc.open_array, zc.open_group, zc.open_hierarchy)
NODES: tuple[Call, ...] = (zc.copy, zc.check, zc.advise, zc.checksum, zc.du, zc.find, zc.pyramid, zc.convert)


@pytest.mark.parametrize("wrong", [5, None, ["a"], b"a"])
def test_a_source_is_a_path_a_url_or_a_store(wrong: object, tmp_path: Path) -> None:
    for call in (*OPEN, zc.create):
        with pytest.raises(TypeError, match=f"^source: {PLACE}, found "):
            call(wrong)
    for call in NODES:
        with pytest.raises(TypeError, match=f"^source: {PLACE} or node, found "):
            call(wrong, *([tmp_path / "b"] if call is zc.copy else []))
    with pytest.raises(TypeError, match=f"^url: {PLACE}"):
        zc.open_store(wrong)


def test_each_of_two_places_is_named(place: Path) -> None:
    with pytest.raises(TypeError, match=f"^b: {PLACE} or node, found 5$"):
        zc.diff(place, 5)
    with pytest.raises(TypeError, match=f"^destination: {PLACE}, found 5$"):
        zc.copy(place, 5)


OPTIONS = [
    ({"retries": "x"}, "retries: expected a whole number, found 'x'"),
    ({"retries": True}, "retries: expected a whole number, found True"),
    ({"retries": None}, "retries: expected a whole number, found None"),
    ({"retires": 1}, "a store has no option 'retires': did you mean 'retries'?"),
    ({"timeout_s": "soon"}, "timeout_s: expected a number, found 'soon'"),
    ({"anonymous": "no"}, "anonymous: expected True or False, found 'no'"),
    ({"region": 5}, "region: expected text or None, found 5"),
    ({"cache_dir": 5}, "cache_dir: expected text or a path or None, found 5"),
    ({"allow_targets": [5]}, "allow_targets: expected a sequence of texts, found (5,)"),
    ({"headers": {"a": 5}}, "headers: expected a mapping of names to texts, found a value of type dict"),
    ({"allow_targets": 5}, "allow_targets: expected a sequence of texts, found 5"),
    ({"headers": 5}, "headers: expected a mapping of names to texts, found a value of type int"),
    ({"secret_access_key": 5}, "secret_access_key: expected text or None, found a value of type int"),
    ({"storage_options": 5}, "storage_options: expected a mapping, found 5"),
    ({"storage_options": {"client_kwargs": 5}}, "storage_options: client_kwargs: expected a mapping, found a value of"),
    ({"storage_options": {"connect_timeout": "soon"}}, "storage_options has the option 'connect_timeout', which is not"),
    ({"storage_options": {"anon": "no"}}, "anonymous: expected True or False, found 'no'"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "sentence"), OPTIONS)
def test_options_of_stores(place: Path, options: dict[str, Any], sentence: str) -> None:
    for call in (*OPEN, zc.create, zc.open_store):
        with pytest.raises(TypeError) as caught:
            call(place, **options)
        assert str(caught.value).startswith(sentence)


CALLS: list[tuple[Callable[[Path], Any], str]] = [
    (lambda p: zc.open(p, chunk_cache=5), "chunk_cache: expected a ChunkCache or None, found 5"),
    (lambda p: zc.open(p, max_chunk_bytes="x"), "max_chunk_bytes: expected a whole number, found 'x'"),
    (lambda p: zc.open(p, metadata_max_age_s="x"), "metadata_max_age_s: expected a number or None"),
    (lambda p: zc.open(p, believe_consolidated=1), "believe_consolidated: expected True or False or None, found 1"),
    (lambda p: zc.open(p, "q"), "mode 'q' is unknown; known are r, r+, a, w, w-"),
    (lambda p: zc.open(p, format=9), "format '9' is unknown; known are v3, v2, n5, "),
    (lambda p: zc.open(p, missing="x"), "missing 'x' is unknown; known are fill, error"),
    (lambda p: zc.open(p, verify="x"), "verify 'x' is unknown; known are needed, always"),
    (lambda p: zc.open_array(p, 5), "path: expected text or None, found 5"),
    (lambda p: zc.open_group(p, 5), "path: expected text or None, found 5"),
    (lambda p: zc.create(p, overwrite="x"), "overwrite: expected True or False, found 'x'"),
    (lambda p: zc.create(p, mode="w"), "create has no mode: overwrite=True erases an existing hierarchy"),
    (lambda p: zc.copy(p, f"{p}2", chunks="ato"), "chunks: expected integers, one per dimension, found 'ato'"),
    (lambda p: zc.copy(p, f"{p}2", codecs=3), "codecs: expected a codec, or several in order, found 3"),
    (lambda p: zc.copy(p, f"{p}2", memory_nbytes="x"), "memory_nbytes: expected a whole number, found 'x'"),
    (lambda p: zc.copy(p, f"{p}2", memory_nbytes=0), "memory_nbytes: expected 1 or more, found 0"),
    (lambda p: zc.copy(p, f"{p}2", overwrite="no"), "overwrite: expected True or False, found 'no'"),
    (lambda p: zc.check(p, decode="x"), "decode: expected True or False, found 'x'"),
    (lambda p: zc.diff(p, p, rtol="x"), "rtol: expected a number, found 'x'"),
    (lambda p: zc.diff(p, p, examples="x"), "examples: expected a whole number, found 'x'"),
    (lambda p: zc.diff(p, p, layout=1), "layout: expected True or False, found 1"),
    (lambda p: zc.checksum(zc.open_array(p, "x"), memory_nbytes="x"), "memory_nbytes: expected a whole number, found 'x'"),
    (lambda p: zc.checksum(zc.open_array(p, "x"), algorithm="md5"), "algorithm 'md5' is unknown; known are sha256, xxh128"),
    (lambda p: zc.find(p, shape="x"), "shape: expected an integer or None per dimension, found 'x'"),
    (lambda p: zc.find(p, min_nbytes="x"), "min_nbytes: expected a whole number or None, found 'x'"),
    (lambda p: zc.find(p, depth="x"), "depth: expected a whole number or None, found 'x'"),
    (lambda p: zc.find(p, name=5), "name: expected text or None, found 5"),
    (lambda p: zc.find(p, attributes=5), "attributes: expected a mapping or None, found 5"),
    (lambda p: zc.find(p, kind="x"), "kind 'x' is unknown; known are group, array, broken"),
    (lambda p: zc.find(p, dtype=5), "dtype: expected a data type, found 5"),
    (lambda p: zc.pyramid(f"{p}#/x", levels="x"), "levels: expected a whole number or None, found 'x'"),
    (lambda p: zc.pyramid(f"{p}#/x", factors="x"), "factors: expected integers, one per dimension, found 'x'"),
    (lambda p: zc.pyramid(f"{p}#/x", axes="yx"), "axes: expected a name per axis, found 'yx'"),
    (lambda p: zc.pyramid(f"{p}#/x", scale=["a"]), "scale: expected a number per axis, found ['a']"),
    (lambda p: zc.convert(p, remove_v2="x"), "remove_v2: expected True or False, found 'x'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "sentence"), CALLS)
def test_functions(place: Path, call: Callable[[Path], Any], sentence: str) -> None:
    with pytest.raises((TypeError, ValueError, UnsupportedError, SelectionError)) as caught:
        call(place)
    assert str(caught.value).startswith(sentence)
    assert [entry.name for entry in place.parent.iterdir()] == ["a.zarr"]


CREATION = [
    ({"shape": "x"}, "shape: expected integers, one per dimension, found 'x'"),
    ({"chunks": "ato"}, "chunks: expected 'auto', or integers, one per dimension, found 'ato'"),
    ({"chunks": True}, "chunks: expected integers, one per dimension, found True"),
    ({"shape": True}, "shape: expected integers, one per dimension, found True"),
    ({"shards": 2.5}, "shards: expected integers, one per dimension, found 2.5"),
    ({"codecs": 3}, "codecs: expected a codec, or several in order, found 3"),
    ({"codecs": [3]}, "codecs[0]: expected an object with a name, found the number 3"),
    ({"dtype": "in8"}, "data type 'in8' is not supported: did you mean 'int8'?"),
    ({"fill_value": "x"}, "fill_value: expected an element of type int8, found the string 'x'"),
    ({"dimension_names": "y"}, "dimension_names: expected a name or None per dimension, found 'y'"),
    ({"dimension_names": 5}, "dimension_names: expected a name or None per dimension, found 5"),
    ({"dimension_names": [5]}, "dimension_names[0]: expected a string or null, found the number 5"),
    ({"attributes": 5}, "attributes: expected a mapping or None, found 5"),
    ({"chunk_key_encoding": "v2"}, "chunk_key_encoding: expected a ChunkKeyEncoding or None, found 'v2'"),
    ({"overwrite": "no"}, "overwrite: expected True or False, found 'no'"),
    ({"chuncks": 1}, "create_array() has no argument 'chuncks': did you mean 'chunks'?"),
]


@pytest.mark.parametrize(("arguments", "sentence"), CREATION)
def test_new_arrays(place: Path, arguments: dict[str, Any], sentence: str) -> None:
    group = zc.open_group(place, mode="a")
    with pytest.raises((TypeError, ValueError, UnsupportedError)) as caught:
        group.create_array("y", **{"shape": (2,), "dtype": "int8", **arguments})
    assert str(caught.value).startswith(sentence)
    assert [*group] == ["x"]


def test_paths_and_attributes_of_groups(place: Path) -> None:
    hierarchy = zc.open_hierarchy(place, "r+")
    for call in (lambda: hierarchy.move(5, "x"), lambda: hierarchy.move("x", 5)):
        with pytest.raises(TypeError, match=r"^path: expected text, found 5$"):
            call()
    with pytest.raises(TypeError, match=r"^attributes: expected a mapping or None, found 5$"):
        hierarchy.create_group("g", attributes=5)
    for lookup in (lambda: hierarchy[5], lambda: hierarchy.create_group(5)):
        with pytest.raises(TypeError, match=r"is indexed by names and paths of nodes, not by 5$"):
            lookup()


def test_numbers_of_numpy_count_and_booleans_do_not() -> None:
    import numpy as np

    check_type("n", np.int64(3), "int | None")
    check_type("n", np.float32(3), "float")
    with pytest.raises(TypeError, match=r"^n: expected a number, found True$"):
        check_type("n", True, "float")


def test_what_numpy_and_pathlib_give_is_accepted(place: Path, tmp_path: Path) -> None:
    import numpy as np

    group = zc.open_group(place, mode="a")
    level = {"name": "zstd", "configuration": {"level": np.int64(5), "checksum": np.bool_(False)}}
    made = group.create_array(
        "y",
        shape=(np.int64(4), 6),
        dtype="i4",
        chunks=np.array([2, 3]),
        codecs=[level],
        overwrite=np.bool_(True),
    )
    assert made.chunks == (2, 3)
    assert made.metadata.codecs[-1].configuration == {"level": 5, "checksum": False}
    options = zc.open_store(place, allow_targets=[tmp_path], ca_bundle=tmp_path / "ca.pem").options
    assert options.allow_targets == (str(tmp_path),)
    assert options.ca_bundle == str(tmp_path / "ca.pem")
