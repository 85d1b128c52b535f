"""The arrays and the counting store of the tests of arrays."""

from tests.core.array.conftest import store, written

__all__ = ["store", "written"]
