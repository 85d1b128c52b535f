"""What messages of errors look like, whatever is stored."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import zarrcore as zc
from tests.command import run_inside
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata import JsonObject
from zarrcore.stores.memory import MemoryStore


def test_a_message_with_an_endless_name_is_cut_in_the_middle_and_keeps_its_fields() -> None:
    name = "x" * 100_000
    error = pickle.loads(pickle.dumps(UnsupportedError("codec", name)))
    assert error.name == name
    assert len(str(error)) < 2000
    assert str(error).startswith("codec 'xxx")
    assert str(error).endswith("xxx' is not supported")
    assert str(MetadataError("first\nsecond", key="zarr.json")) == "zarr.json: first second"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"codecs": [{"name": "turbo"}]}, "codec 'turbo' is not supported"),
        ({"data_type": "int77"}, "data type 'int77' is not supported"),
        ({"novelty": {"a": 1}}, "member 'novelty' is unknown and may not be ignored"),
        ({"shape": "3"}, "shape: expected an array of integers, found the string '3'"),
    ],
)
def test_the_error_of_a_document_names_the_node(tmp_path: Path, change: JsonObject, reason: str) -> None:
    zc.create(tmp_path).create_array("a/b", shape=(3,), dtype="int8")
    document = tmp_path / "a/b/zarr.json"
    document.write_text(json.dumps(json.loads(document.read_text()) | change))
    with pytest.raises(zc.PlacedError) as caught:
        zc.open(tmp_path)["a/b"]
    assert str(caught.value) == f"a/b/zarr.json: {reason}"
    assert caught.value.key == "a/b/zarr.json"
    # Seen from itself, it has no name: that of the store says which it is.
    told = run_inside("cat", tmp_path / "a/b").stderr
    assert told == f"zarrscope: zarr.json in {tmp_path}/a/b: {reason}\n"


@pytest.mark.parametrize("at", ["a", "/"])
def test_the_error_of_reading_or_writing_names_the_array(at: str) -> None:
    store = MemoryStore()
    zc.create(store).create_array(at, shape=(9,), dtype="int8")
    array = zc.open_hierarchy(store, mode="r+", max_chunk_bytes=8)[at]
    assert isinstance(array, zc.ArrayNode)
    where = "" if at == "/" else "a in "
    with pytest.raises(UnsupportedError, match=rf"^{where}memory://: chunk shape .* decodes to 9 bytes"):
        array[0]
    with pytest.raises(UnsupportedError, match=rf"^{where}memory://: chunk shape .* has 9 bytes"):
        array[0] = 1
