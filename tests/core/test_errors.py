"""What messages of errors look like, whatever is stored."""

from __future__ import annotations

import pickle

from zarrcore.errors import MetadataError, UnsupportedError


def test_a_message_with_an_endless_name_is_cut_in_the_middle_and_keeps_its_fields() -> None:
    name = "x" * 100_000
    error = pickle.loads(pickle.dumps(UnsupportedError("codec", name)))
    assert error.name == name
    assert len(str(error)) < 2000
    assert str(error).startswith("codec 'xxx")
    assert str(error).endswith("xxx' is not supported")
    assert str(MetadataError("first\nsecond", key="zarr.json")) == "zarr.json: first second"
