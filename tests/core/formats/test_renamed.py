"""Formats of other packages that know methods by the names that they once had."""

from __future__ import annotations

from typing import Any

import pytest

import zarrcore
from zarrcore.formats import Format
from zarrcore.formats.renamed import RENAMED
from zarrcore.stores import MemoryStore


def test_a_method_of_an_old_name_is_called_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="Old.found is called detect now"):

        class Old(type(Format.V3)):
            def found(self, get: Any, is_there: Any) -> Format | None:
                return self

    old = Old()
    assert old.detect(lambda key: None, lambda key: False) is old


@pytest.mark.parametrize("old", RENAMED)
def test_the_old_names_can_be_called_with_a_warning(old: str) -> None:
    assert hasattr(Format, RENAMED[old])
    array = zarrcore.create(MemoryStore()).create_array("/", shape=(), data_type="int8").metadata
    document = {"zarr_format": 3, "node_type": "group"}
    arguments: dict[str, tuple[Any, ...]] = {
        "bound": (lambda key: None, lambda key: False),
        "found": (lambda key: None, lambda key: False),
        "settled": ("/", array, lambda key: False),
        "comparable": ((b"{}",),),
        "parse_told": (document,),
        "told_documents": (document,),
    }
    with pytest.warns(DeprecationWarning, match=RENAMED[old]):
        found = getattr(Format.V3, old)(*arguments[old])
    assert found == getattr(Format.V3, RENAMED[old])(*arguments[old])
