"""The values of columns and sparse matrices, as one array each."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from zarrcore.conventions.tables.anndata import categories_elsewhere, encoding
from zarrcore.errors import MetadataError, SelectionError
from zarrcore.typing import AnyArray

_MOST_STORED: Final = 1 << 26
"""The largest number of stored elements that a part of a sparse matrix may read."""


def column_values(node: Any) -> AnyArray:
    """The values of a column: an array, or a categorical or nullable column of AnnData.

    Returns:
        Categories in place of codes, also where anndata before 0.8 keeps them apart, and in the fields of a table of
        anndata before 0.7; a masked array where values are missing.

    Raises:
        MetadataError: the column contradicts itself.
        ZarrError: an array of it cannot be read.
    """
    if node.kind == "array":
        return _with_categories(node, np.asarray(node.read()))
    if encoding(node) == "categorical":
        # Categories are an array, or a nullable column, of which none is missing.
        return _categorical(
            node.path, np.asarray(node["codes"].read()), np.asarray(column_values(node["categories"]))
        )
    values, mask = np.asarray(node["values"].read()), np.asarray(node["mask"].read())
    if values.shape != mask.shape:
        raise MetadataError(f"{node.path}: expected a mask of shape {values.shape}, found {mask.shape}")
    return np.ma.MaskedArray(values, mask.astype(bool))


def _with_categories(array: Any, values: AnyArray) -> AnyArray:
    """The values of an array, with the categories that anndata before 0.8 keeps apart."""
    found = {name: np.atleast_1d(one.read()) for name, one in categories_elsewhere(array).items()}
    if not values.dtype.names:
        return _categorical(array.path, values, found[""]) if found else values
    # Tables of observations and of variables share names: only codes that fit are codes, as in anndata.
    found = {name: one for name, one in found.items() if values[name].max(initial=-1) < len(one)}
    if not found:
        return values
    fields = {
        name: _categorical(array.path, values[name], found[name]) if name in found else values[name]
        for name in values.dtype.names
    }
    # NumPy has no records with its variable-length texts.
    dtypes = {name: object if one.dtype.kind == "T" else one.dtype for name, one in fields.items()}
    result = np.ma.zeros(values.shape, [*dtypes.items()])
    for name, one in fields.items():
        result[name] = one
    return result if any(np.ma.is_masked(one) for one in fields.values()) else result.data


def _categorical(path: str, codes: AnyArray, categories: AnyArray) -> AnyArray:
    is_missing = codes < 0
    if codes.size and (codes.dtype.kind not in "iu" or codes.max(initial=-1) >= len(categories)):
        raise MetadataError(f"{path}: its codes name categories that it does not have")
    values = (
        categories[np.where(is_missing, 0, codes)]
        if len(categories)
        else np.zeros(codes.shape, categories.dtype)
    )
    return np.ma.MaskedArray(values, is_missing) if is_missing.any() else values


def sparse_block(matrix: Any, rows: slice = slice(None), columns: slice = slice(None)) -> AnyArray:
    """A part of a sparse matrix of AnnData as a dense array.

    Only the stored elements of the selected rows (CSR) or columns (CSC) are read.

    Args:
        matrix: the group.
        rows: consecutive rows.
        columns: consecutive columns.

    Raises:
        SelectionError: a step other than 1, or more than 2²⁶ stored elements would be read.
        MetadataError: the matrix contradicts itself.
        ZarrError: an array of it cannot be read.
    """
    shape = tuple(matrix.attributes["shape"])
    if encoding(matrix) == "csc_matrix":
        return _block(matrix, shape[::-1], columns, rows).T
    return _block(matrix, shape, rows, columns)


def _block(matrix: Any, shape: tuple[int, ...], major: slice, minor: slice) -> AnyArray:
    """A part of a matrix whose elements are stored together for each index of the first axis."""
    (first, last, step), (low, high, other) = (
        part.indices(length) for part, length in zip((major, minor), shape, strict=True)
    )
    if step != 1 or other != 1:
        raise SelectionError("a part of a sparse matrix has consecutive rows and columns: no steps")
    data = matrix["data"]
    result = np.zeros((max(last - first, 0), max(high - low, 0)), data.dtype)
    if not result.size:
        return result
    pointers = np.asarray(matrix["indptr"][first : last + 1]).astype(np.int64)
    start, stop = int(pointers[0]), int(pointers[-1])
    if (
        pointers.size != last - first + 1
        or (np.diff(pointers) < 0).any()
        or start < 0
        or stop > data.shape[0]
    ):
        raise MetadataError(f"{matrix.path}: its pointers do not lead to its stored elements")
    if stop - start > _MOST_STORED:
        raise SelectionError(
            f"{stop - start:,} stored elements are too many to read at once: select fewer rows or columns"
        )
    indices = np.asarray(matrix["indices"][start:stop])
    if indices.size and not 0 <= indices.min() <= indices.max() < shape[1]:
        raise MetadataError(f"{matrix.path}: its indices are outside its shape")
    lines = np.repeat(np.arange(last - first), np.diff(pointers))
    is_inside = (indices >= low) & (indices < high)
    np.add.at(result, (lines[is_inside], indices[is_inside] - low), np.asarray(data[start:stop])[is_inside])
    return result
