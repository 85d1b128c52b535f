"""The attributes of an array's dataset."""

from __future__ import annotations

import numpy as np

from tests.core.filetypes.hdf5.one_array import array_of, same
from tests.core.filetypes.hdf5.reading import opened


def test_missing_values_have_the_type_of_the_elements() -> None:
    data = np.zeros((2,), "f4")
    attributes = {"_FillValue": "AAAAAAAA+H8=", "missing_value": -999}
    with opened(array_of(data, attributes=attributes)) as file:
        assert same(np.asarray(file["a"].attrs["_FillValue"]), np.array(np.nan, "<f4"))
        assert same(np.asarray(file["a"].attrs["missing_value"]), np.array(-999, "<f4"))
    with opened(array_of(np.zeros(2, "u1"), attributes={"_FillValue": 300, "missing_value": 255.0})) as file:
        assert file["a"].attrs["_FillValue"] == 300, "no such element: left as it is"
        assert file["a"].attrs["missing_value"].dtype == np.uint8
