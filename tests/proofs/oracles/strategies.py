"""A trial of zarr-python's own strategies: arrays that it draws and writes, read by zarrscope."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from zarr.storage import LocalStore
from zarr.testing.strategies import arrays

from tests.proofs.oracles import zarrscope
from tests.proofs.oracles.exchange import EXAMPLES, check_read, examples_of
from tests.zarr_python import RECTILINEAR, configured, has_rectilinear_grids


def trial(trial_seed: int, examples: int = EXAMPLES) -> int:
    """Read arrays that zarr-python draws; returns their number.

    Raises:
        AssertionError: zarrscope finds other elements, attributes or names of dimensions.
    """
    options = {RECTILINEAR: True} if has_rectilinear_grids() else {}
    with tempfile.TemporaryDirectory() as folder, configured(**options):
        numbers = itertools.count()
        stores = st.builds(lambda: LocalStore(f"{folder}/{next(numbers)}"))

        @examples_of(trial_seed, examples)
        @given(array=arrays(stores=stores), data=st.data())
        def read_arrays(array: Any, data: st.DataObject) -> None:
            _check(array, data)

        read_arrays()
    return examples


def _check(array: Any, data: st.DataObject) -> None:
    folder = Path(array.store.root)
    ours = zarrscope.opened(folder, array.path)
    assert ours.attributes == dict(array.attrs)
    assert ours.dimension_names == getattr(array.metadata, "dimension_names", None)
    check_read(folder, array.path, np.asarray(array[...], array.dtype), data)
