"""The attributes of an array's dataset."""

from __future__ import annotations

import numpy as np

import zarrcore
from tests.core.filetypes.hdf5.one_array import array_of, same
from tests.core.filetypes.hdf5.reading import opened
from zarrcore.filetypes.hdf5.array_attributes import array_attributes
from zarrcore.filetypes.hdf5.elements import stored
from zarrcore.hierarchy import ArrayNode
from zarrcore.stores import MemoryStore


def test_missing_values_have_the_type_of_the_elements() -> None:
    data = np.zeros((2,), "f4")
    attributes = {"_FillValue": "AAAAAAAA+H8=", "missing_value": -999}
    with opened(array_of(data, attributes=attributes)) as file:
        assert same(np.asarray(file["a"].attrs["_FillValue"]), np.array(np.nan, "<f4"))
        assert same(np.asarray(file["a"].attrs["missing_value"]), np.array(-999, "<f4"))
    with opened(array_of(np.zeros(2, "u1"), attributes={"_FillValue": 300, "missing_value": 255.0})) as file:
        assert file["a"].attrs["_FillValue"] == 300, "no such element: left as it is"
        assert file["a"].attrs["missing_value"].dtype == np.uint8


def test_names_of_dimensions_are_not_an_attribute() -> None:
    store = MemoryStore()
    hierarchy = zarrcore.create(store, "v2")
    hierarchy.create_array("/a", shape=(2,), dtype="int8", dimension_names=["x"], attributes={"units": "m"})
    with opened(zarrcore.open_hierarchy(store)["/a"]) as file:
        assert file["a"].attrs["units"] == "m"
        assert "_ARRAY_DIMENSIONS" not in file["a"].attrs


def test_the_fill_value_of_zarr_v2_is_a_missing_value_of_the_type_in_the_file() -> None:
    hierarchy = zarrcore.create(MemoryStore(), "v2")
    array = hierarchy.create_array("/a", shape=(2,), dtype="int8", dimension_names=["x"], fill_value=-1)
    assert isinstance(array, ArrayNode)
    how = stored(array.data_type, netcdf=False)
    told = array_attributes(array, how)
    assert (told["_FillValue"].item(), told["_FillValue"].dtype) == (-1, np.dtype("i1"))


def test_attributes_of_the_type_win_over_those_of_the_array() -> None:
    array = array_of(np.zeros(2, "M8[s]"), attributes={"units": "mine", "title": "kept"})
    assert isinstance(array, ArrayNode)
    how = stored(array.data_type, netcdf=False)
    assert array_attributes(array, how) == {"units": "mine", "title": "kept", **how.attributes}
    assert how.attributes
