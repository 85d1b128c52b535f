"""Data types: a name in the document, a NumPy dtype in memory.

Accepted specification, "Data types", and the zarr-extensions registry. In memory every type is little-endian or has no
byte order; the ``bytes`` codec decides on the order in a chunk. The dtypes of Zarr v2 map to the
same names, so that later layers know only one system.
"""

from zarrcore.metadata.data_type.interface import (
    DataType,
    DataTypeFamily,
    Element,
    has_byte_order,
    is_small_number,
    is_variable_length,
    item_bytes,
    with_byte_order,
    with_parts,
)
from zarrcore.metadata.data_type.numpy_spelling import numpy_dtype
from zarrcore.metadata.data_type.registry import data_type_of, family_of, parse_data_type, usual_document

__all__ = [
    "DataType",
    "DataTypeFamily",
    "Element",
    "data_type_of",
    "family_of",
    "has_byte_order",
    "is_small_number",
    "is_variable_length",
    "item_bytes",
    "numpy_dtype",
    "parse_data_type",
    "usual_document",
    "with_byte_order",
    "with_parts",
]
