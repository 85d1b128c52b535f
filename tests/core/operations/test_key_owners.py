"""Which node a key belongs to."""

from __future__ import annotations

import pytest

import zarrcore as zc
from zarrcore.operations.key_owners import KeyOwners, Owner
from zarrcore.stores.memory import MemoryStore


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("zarr.json", Owner("the root", None, False)),
        (".zmetadata", Owner("the root", None, False)),
        ("g/zarr.json", Owner("the group", None, False)),
        ("g/.zattrs", Owner("the group", None, False)),
        ("g/x/c/0/1", Owner("the array", (0, 1), True)),
        ("g/x/c/0/9", Owner("the array", (0, 9), False)),
        ("g/broken/any/key", Owner("the broken node", None, False)),
        ("g/x/notes", None),
        ("g/other", None),
        ("notes", None),
    ],
)
def test_the_owner_of_a_key(key: str, expected: Owner | None) -> None:
    made = zc.create(MemoryStore())
    array = made.create_array("/g/x", shape=(4, 4), dtype="i1", chunks=(2, 2))
    owners = KeyOwners(made, "the root")
    owners.take("the root", "/", None)
    owners.take("the group", "/g", None)
    owners.take("the array", "/g/x", array.metadata)
    owners.take_broken("the broken node", "/g/broken")
    assert owners.find(key) == expected
