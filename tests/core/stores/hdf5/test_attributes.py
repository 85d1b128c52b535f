"""Attributes in object headers, and in heaps when there are many."""

from __future__ import annotations

import h5py
import pytest

from tests.core.stores.hdf5.written import node, written


@pytest.mark.parametrize("options", [{}, {"libver": "latest"}])
@pytest.mark.parametrize("count", [0, 3, 60])
def test_attributes_have_their_names_and_order(count: int, options: dict) -> None:
    names = [f"{(7 * number) % 61:02}" for number in range(count)]

    def write(file: h5py.File) -> None:
        group = file.create_group("g", track_order=True)
        for number, name in enumerate(names):
            group.attrs[name] = number

    file = written(write, **options)
    found = node(file, "g").attributes
    assert {name: attribute.json(file.heaps) for name, attribute in found.items()} == {
        name: number for number, name in enumerate(names)
    }
    assert [*found] == names


def test_an_attribute_of_a_committed_type() -> None:
    def write(file: h5py.File) -> None:
        file["type"] = h5py.h5t.NATIVE_INT16.dtype
        file.attrs.create("a", 5, dtype=file["type"])

    file = written(write)
    assert node(file, "").attributes["a"].json(file.heaps) == 5
