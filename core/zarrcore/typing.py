"""Types for annotations."""

from typing import Any

from numpy.typing import NDArray

AnyArray = NDArray[Any]
"""A NumPy array of any shape and data type."""
