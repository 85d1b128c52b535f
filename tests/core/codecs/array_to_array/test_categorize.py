"""Strings as the numbers of labels."""

from __future__ import annotations

from typing import Any

import numcodecs
import numpy as np
import pytest

from zarrcore.codecs import ArraySpec
from zarrcore.codecs.array_to_array.categorize import CategorizeCodec
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata.fill_value import zero
from zarrcore.typing import AnyArray

LABELS = ["foo", "bär", "☃"]
TEXTS = np.array([["☃", ""], ["foo", "bär"]], np.dtypes.StringDType())


def spec_of(array: AnyArray) -> ArraySpec:
    return ArraySpec(array.shape, array.dtype, zero(array.dtype))


@pytest.mark.parametrize("astype", ["|u1", ">i2", "<u8"])
def test_labels_count_from_one_and_nothing_is_zero(astype: str) -> None:
    codec, spec = CategorizeCodec.from_configuration({"labels": LABELS, "astype": astype}), spec_of(TEXTS)
    encoded = codec.encode(TEXTS, spec)
    assert encoded.dtype == codec.encoded_spec(spec).dtype == np.dtype(astype)
    assert encoded.tolist() == [[3, 0], [1, 2]]
    assert codec.decode(encoded, spec).tolist() == TEXTS.tolist()
    assert codec.decode(encoded, spec).dtype == TEXTS.dtype


def test_the_numbers_are_those_of_numcodecs() -> None:
    theirs = numcodecs.Categorize(LABELS, dtype="<U3", astype="u1")
    texts = TEXTS.astype("<U3")
    codec = CategorizeCodec.from_configuration({"labels": LABELS})
    assert codec.encode(texts, spec_of(texts)).ravel().tolist() == theirs.encode(texts).ravel().tolist()


def test_without_labels_all_texts_are_empty() -> None:
    codec = CategorizeCodec.from_configuration({"labels": []})
    empty = np.array(["", ""])
    assert codec.decode(codec.encode(empty, spec_of(empty)), spec_of(empty)).tolist() == ["", ""]
    nothing = np.empty((0, 2), "<U3")
    assert codec.decode(codec.encode(nothing, spec_of(nothing)), spec_of(nothing)).shape == (0, 2)


@pytest.mark.parametrize(("numbers", "found"), [([0, 4], "0 to 4"), ([-1, 3], "-1 to 3")])
def test_numbers_without_a_label_are_refused(numbers: list[int], found: str) -> None:
    codec = CategorizeCodec.from_configuration({"labels": LABELS, "astype": "|i1"})
    texts = TEXTS[0]
    with pytest.raises(CodecError, match=f"expected the numbers of 3 labels, found {found}"):
        codec.decode(np.array(numbers, "i1"), spec_of(texts))


def test_a_text_that_is_not_a_label_is_refused() -> None:
    codec = CategorizeCodec.from_configuration({"labels": LABELS})
    with pytest.raises(CodecError, match="'strange' is not one of the labels"):
        codec.encode(np.array(["foo", "strange"]), spec_of(np.array(["foo", "strange"])))


@pytest.mark.parametrize(
    ("configuration", "member"),
    [
        ({}, "labels"),
        ({"labels": "foo"}, "labels"),
        ({"labels": ["foo", 1]}, "labels"),
        ({"labels": LABELS, "astype": "<f4"}, "astype"),
        ({"labels": ["x"] * 128, "astype": "|i1"}, "astype"),
        ({"labels": LABELS, "surprise": 1}, "surprise"),
    ],
)
def test_invalid_configurations_are_refused(configuration: dict[str, Any], member: str) -> None:
    with pytest.raises(MetadataError) as caught:
        CategorizeCodec.from_configuration(configuration)
    assert caught.value.member == member


def test_numbers_are_not_labelled() -> None:
    with pytest.raises(MetadataError, match="expected elements of text, found int32"):
        CategorizeCodec.from_configuration({"labels": LABELS}).encoded_spec(spec_of(np.zeros(2, "i4")))


def test_half_a_surrogate_pair_is_a_label_only_of_texts_of_fixed_length() -> None:
    codec = CategorizeCodec.from_configuration({"labels": ["a", "\ud800"]})
    texts = np.array(["\ud800", "a"])
    encoded = codec.encode(texts, spec_of(texts))
    assert codec.decode(encoded, spec_of(texts)).tolist() == ["\ud800", "a"]
    with pytest.raises(MetadataError, match="a label is not valid Unicode"):
        codec.encoded_spec(spec_of(TEXTS))
