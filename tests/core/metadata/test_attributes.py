"""Attributes of groups and arrays as a mapping that stores what is changed."""

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore as zc
from zarrcore.stores.memory import MemoryStore

FORMATS = ["v3", "v2", "n5"]
KINDS = ["array", "group"]


def _made(place: Path, format_name: str = "v3") -> zc.Hierarchy:
    hierarchy = zc.create(str(place / "a"), format_name)
    hierarchy.create_array("array", shape=(4,), dtype="int32", attributes={"unit": "m", "axes": [{"a": 1}]})
    hierarchy.create_group("group", attributes={"unit": "m", "axes": [{"a": 1}]})
    return hierarchy


def _stored(place: Path, name: str) -> Any:
    return dict(zc.open_hierarchy(str(place / "a"))[name].attributes)


@pytest.mark.sampled(22)
@pytest.mark.parametrize("format_name", FORMATS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("change", "after"),
    [
        ("at['unit'] = 'nm'", {"unit": "nm", "axes": [{"a": 1}]}),
        ("at['unit'] = numpy.float32(2)", {"unit": 2.0, "axes": [{"a": 1}]}),
        ("del at['unit']", {"axes": [{"a": 1}]}),
        ("at.update({'unit': 'nm'}, b=2)", {"unit": "nm", "axes": [{"a": 1}], "b": 2}),
        ("at.setdefault('b', [])", {"unit": "m", "axes": [{"a": 1}], "b": []}),
        ("at.setdefault('unit', 'nm')", {"unit": "m", "axes": [{"a": 1}]}),
        ("assert at.pop('unit') == 'm'", {"axes": [{"a": 1}]}),
        ("assert at.pop('none', 7) == 7", {"unit": "m", "axes": [{"a": 1}]}),
        ("assert at.popitem() in [('unit', 'm'), ('axes', [{'a': 1}])]; at.clear()", {}),
        ("node.attributes |= {'b': 2}", {"unit": "m", "axes": [{"a": 1}], "b": 2}),
        ("node.attributes = {'b': 2}", {"b": 2}),
    ],
)
def test_a_change_is_stored(tmp_path: Path, format_name: str, kind: str, change: str, after: object) -> None:
    node = _made(tmp_path, format_name)[kind]
    attributes = node.attributes
    exec(change, {"node": node, "at": attributes, "numpy": np})
    assert node.attributes == after
    assert attributes == after
    assert _stored(tmp_path, kind) == after


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "change",
    [
        "at['b'] = 1",
        "del at['unit']",
        "at.update(b=1)",
        "at.setdefault('b', 1)",
        "at.pop('unit')",
        "at.clear()",
    ],
)
def test_a_hierarchy_opened_for_reading_refuses(tmp_path: Path, kind: str, change: str) -> None:
    _made(tmp_path)
    node = zc.open_hierarchy(str(tmp_path / "a"))[kind]
    before = dict(node.attributes)
    with pytest.raises(zc.ReadOnlyError, match="r\\+"):
        exec(change, {"at": node.attributes})
    assert node.attributes == before == _stored(tmp_path, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_values_within_are_read_only(tmp_path: Path, kind: str) -> None:
    node = _made(tmp_path)[kind]
    with pytest.raises(TypeError, match="in place"):
        node.attributes["axes"].append(1)
    with pytest.raises(TypeError, match="in place"):
        node.attributes["axes"][0]["a"] = 2
    with pytest.raises(TypeError, match="in place"):
        node.metadata.attributes["b"] = 1
    axes = copy.deepcopy(node.attributes["axes"])
    axes[0]["a"] = 2
    node.attributes["axes"] = axes
    axes.append("later")
    assert node.attributes["axes"] == [{"a": 2}] == _stored(tmp_path, kind)["axes"]


@pytest.mark.parametrize("kind", KINDS)
def test_all_holders_of_a_node_see_the_change(tmp_path: Path, kind: str) -> None:
    hierarchy = _made(tmp_path)
    first = hierarchy[kind]
    hierarchy.create_group("other")  # this forgets the nodes that were read
    second = hierarchy[kind]
    assert first is not second
    second.attributes["b"] = 2
    first.attributes["c"] = 3
    assert first.attributes == second.attributes == _stored(tmp_path, kind)
    assert {"b", "c"} <= set(first.attributes)


def test_all_holders_of_an_array_see_its_new_shape(tmp_path: Path) -> None:
    hierarchy = _made(tmp_path)
    first = hierarchy["array"]
    hierarchy.create_group("other")
    hierarchy["array"].resize((9,))
    assert first.shape == (9,)
    assert first[8] == 0


def test_what_another_program_stored_meanwhile_is_kept(tmp_path: Path) -> None:
    node = _made(tmp_path)["array"]
    assert node.attributes["unit"] == "m"
    zc.open_hierarchy(str(tmp_path / "a"), mode="r+")["array"].attributes["theirs"] = 1
    node.attributes["ours"] = 2
    assert node.attributes == {"unit": "m", "axes": [{"a": 1}], "theirs": 1, "ours": 2}


@pytest.mark.parametrize("format_name", ["v3", "v2", "n5"])
def test_what_other_hierarchies_of_this_process_store_at_the_same_time_is_kept(
    tmp_path: Path, format_name: str
) -> None:
    """As when threads of Dask change an array that each of them has unpickled."""
    place = tmp_path / "h"
    zc.create(place, format=format_name).create_group("g")
    groups = [zc.open_hierarchy(place, "r+")["g"] for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        for number in range(10):
            names = [f"{thread}_{number}" for thread in range(4)]
            [*threads.map(lambda group, name: group.attributes.update({name: 1}), groups, names)]
    assert len(zc.open_hierarchy(place)["g"].attributes) == 40


def test_a_refused_change_changes_nothing(tmp_path: Path) -> None:
    hierarchy = _made(tmp_path)
    hierarchy.consolidate()
    before = (tmp_path / "a" / "zarr.json").read_bytes()
    attributes = hierarchy["array"].attributes
    with pytest.raises(KeyError):
        del attributes["none"]
    with pytest.raises(KeyError):
        attributes.pop("none")
    with pytest.raises(zc.MetadataError, match="no JSON form"):
        attributes["b"] = object()
    assert (tmp_path / "a" / "zarr.json").read_bytes() == before
    assert "b" not in attributes


def test_a_call_stores_once(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    attributes = zc.create(store).create_array("x", shape=(1,), dtype="int8").attributes
    written: list[str] = []
    store_value = store.set

    def counted(key: str, *args: Any, **options: Any) -> bool:
        written.append(key)
        return store_value(key, *args, **options)

    monkeypatch.setattr(MemoryStore, "set", lambda _store, *args, **options: counted(*args, **options))
    attributes.update(a=1, b=2, c=3)
    assert written == ["x/zarr.json"]
    attributes.clear()
    assert written == ["x/zarr.json"] * 2


@pytest.mark.parametrize("kind", KINDS)
def test_it_reads_like_a_dict(tmp_path: Path, kind: str) -> None:
    plain = {"unit": "m", "axes": [{"a": 1}]}
    attributes = _made(tmp_path)[kind].attributes
    assert attributes == plain
    assert plain == attributes
    assert attributes != {}
    assert dict(attributes) == {**attributes} == attributes.asdict() == attributes.copy() == plain
    assert json.dumps(dict(attributes)) == json.dumps(plain)
    assert repr(attributes) == repr(plain)
    assert (len(attributes), list(attributes), "unit" in attributes) == (2, ["unit", "axes"], True)
    assert attributes | {"b": 1} == {**plain, "b": 1}
    assert {"unit": "nm"} | attributes == plain
    for copied in (copy.copy(attributes), copy.deepcopy(attributes), pickle.loads(pickle.dumps(attributes))):
        assert type(copied) is dict
        assert copied == plain
    attributes.asdict()["axes"][0]["a"] = 2
    assert attributes == plain


def test_an_array_that_was_pickled_stores_too(tmp_path: Path) -> None:
    node = pickle.loads(pickle.dumps(_made(tmp_path)["array"]))
    node.attributes["b"] = 1
    assert node.attributes["b"] == 1 == _stored(tmp_path, "array")["b"]


def test_a_codec_of_shared_metadata_is_read_only(tmp_path: Path) -> None:
    hierarchy = _made(tmp_path)
    hierarchy.create_array("twin", shape=(4,), dtype="int32")
    codec = hierarchy["array"].codecs[-1]
    with pytest.raises(TypeError, match="in place"):
        codec.configuration["level"] = 99  # type: ignore[index]


def test_attributes_of_a_new_node_are_not_those_of_the_caller(tmp_path: Path) -> None:
    mine: dict[str, Any] = {"axes": []}
    node = zc.create(str(tmp_path / "b")).create_array("x", shape=(1,), dtype="int8", attributes=mine)
    mine["axes"].append(1)
    assert node.attributes == {"axes": []}
