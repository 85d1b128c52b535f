"""Differences between the metadata of two nodes."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore as zc
from zarrcore.operations.compare import Wanted
from zarrcore.operations.compare.metadata import compare_metadata
from zarrcore.stores.memory import MemoryStore

BASE = {"shape": (4, 6), "dtype": "int16", "chunks": (2, 3)}


def array(format_: str = "v3", **options: Any) -> Any:
    return zc.create(MemoryStore(), format_).create_array("/x", **{**BASE, **options})


def differences(one: Any, other: Any, *, layout: bool = False) -> dict[str, tuple[Any, Any]]:
    return {
        found.what: (found.a, found.b) for found in compare_metadata(one, other, "/x", Wanted(layout=layout))
    }


def test_each_member_that_differs_is_named() -> None:
    other = array(
        shape=(4, 7), dtype="float32", dimension_names=["y", None], attributes={"unit": "m"}, fill_value=3
    )
    assert differences(array(), other) == {
        "shape": ([4, 6], [4, 7]),
        "data-type": ("int16", "float32"),
        "dimension-names": (None, ["y", None]),
        "attributes": ({}, {"unit": "m"}),
    }
    assert differences(array(fill_value=1), array(fill_value=2)) == {"fill-value": (1, 2)}
    assert (
        differences(array(dtype="float32", fill_value="NaN"), array(dtype="float32", fill_value="NaN")) == {}
    )


def test_formats_that_spell_the_same_are_equal() -> None:
    named = {"dimension_names": ["y", "x"], "attributes": {"a": {"b": [1, 2]}}}
    for format_ in ("v2", "n5"):
        assert differences(array(**named), array(format_, **named)) == {}
    assert differences(array(dimension_names=[None, None]), array()) == {}


@pytest.mark.parametrize("dtype", ["r24", {"name": "variable_length_bytes"}])
def test_types_of_several_names_are_equal(dtype: Any) -> None:
    found = array(dtype=dtype)
    assert differences(found, array("v2", dtype=found.dtype if found.dtype.kind == "V" else "bytes")) == {}
    assert differences(found, array(dtype="r16")).keys() == {"data-type"}


def test_a_missing_value_may_be_the_fill_value_or_the_attribute() -> None:
    named = {"dimension_names": ["y", "x"], "fill_value": 7}
    told = {**named, "attributes": {"_FillValue": 7}}
    assert differences(array("v2", **named), array(**told)) == {}
    assert differences(array("v2", **told), array(**told)) == {}
    assert set(differences(array(**named), array(**told))) == {"attributes"}
    assert set(differences(array("v2", **named), array(**{**told, "attributes": {"_FillValue": 8}}))) == {
        "attributes"
    }
    assert set(differences(array("v2", fill_value=7), array(fill_value=7, attributes={"_FillValue": 7}))) == {
        "attributes"
    }


def test_nan_is_missing_without_being_named() -> None:
    named = {"dimension_names": ["y", "x"], "dtype": "float32", "fill_value": "NaN"}
    told = {**named, "attributes": {"_FillValue": "AAAAAAAA+H8="}}
    for one in (named, told):
        for other in (named, told):
            assert differences(array("v2", **one), array(**other)) == {}
    zero = {**named, "fill_value": 0}
    assert set(differences(array("v2", **zero), array(**{**told, "fill_value": 0}))) == {"attributes"}
    assert set(differences(array(**named), array(**told))) == {"attributes"}


def test_attributes_are_compared_one_by_one() -> None:
    one = array(attributes={"a": 1, "b": float("nan"), "c": {"x": 1, "y": 2}, "d": 1})
    other = array(attributes={"a": 2, "b": float("nan"), "c": {"y": 2, "x": 1}, "e": 1})
    found = [(one.sentence, one.a, one.b) for one in compare_metadata(one, other, "/x", Wanted())]
    assert found == [
        ("attribute a: 1 in A, 2 in B", {"a": 1}, {"a": 2}),
        ("attribute d is only in A: 1", {"d": 1}, {}),
        ("attribute e is only in B: 1", {}, {"e": 1}),
    ]


def test_the_texts_of_two_values_show_where_they_differ() -> None:
    long = {"names": ["x" * 9] * 30, "last": 1}
    one = array(attributes={"a": ["x"], "b": long, "c": "x" * 200 + "1"})
    other = array(attributes={"a": "x", "b": {**long, "last": 2}, "c": "x" * 200 + "2"})
    a, b, c = (found.sentence for found in compare_metadata(one, other, "/x", Wanted()))
    assert a == 'attribute a: ["x"] in A, "x" in B'
    assert (b.split(" in A, ")[0][-4:], b[-9:]) == (": 1}", ": 2} in B")
    assert c == f"attribute c: …{'x' * 20}1 in A, …{'x' * 20}2 in B"


def test_chunks_shards_and_codecs_count_only_if_wanted() -> None:
    other = array(chunks=(4, 3), codecs=["gzip"])
    assert differences(array(), other) == {}
    assert set(differences(array(), other, layout=True)) == {"chunks", "codecs"}
    assert differences(array(), array(), layout=True) == {}
    shards = array(shards=(4, 6)), array(shards=(2, 6))
    assert set(differences(*shards, layout=True)) == {"shards"}
    assert "chunks" not in differences(array(), shards[0], layout=True)
