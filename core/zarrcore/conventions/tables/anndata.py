"""AnnData: annotated matrices, their data frames, categorical and nullable columns, and sparse matrices.

Specification: anndata, "On-disk format". Each element has its ``encoding-type`` and ``encoding-version``. anndata before 0.8
told them only for data frames and sparse matrices, so only these are recognised there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from zarrcore.conventions.interface import Convention, Find, Meaning
from zarrcore.conventions.tables.vocabulary import AnnotatedMatrix, Column, SparseMatrix, Table
from zarrcore.conventions.values import is_count, items, text
from zarrcore.errors import MetadataError, NodeNotFoundError

TITLE: Final = "AnnData"
_MEMBERS: Final = ("obs", "var", "layers", "obsm", "varm", "obsp", "varp", "uns")
_SPARSE: Final = {"csr_matrix": "csr", "csc_matrix": "csc"}
_COLUMNS: Final = {
    "categorical": "categorical",
    "nullable-integer": "nullable integer",
    "nullable-boolean": "nullable boolean",
    "nullable-string-array": "nullable text",
}


def encoding(node: Any) -> str:
    """The type of element that a node says it is; empty if it says none."""
    return text(node.attributes.get("encoding-type"))


def _recognise(node: Any) -> str | None:
    if node.kind != "group":
        return None
    told = encoding(node)
    if told in _COLUMNS:
        return Column.kind
    return _KINDS.get(told)


def _read(group: Any, find: Find) -> Meaning:
    return _READERS.get(encoding(group), _column)(group, find)


def _child(group: Any, name: str, find: Find) -> Any:
    """A child of a group; None if there is none."""
    try:
        return find(f"{group.path.rstrip('/')}/{name}")
    except NodeNotFoundError:
        return None


def _array(group: Any, name: str, find: Find) -> Any:
    """An array of a group.

    Raises:
        MetadataError: it is missing, broken, or a group.
    """
    node = _child(group, name, find)
    if node is None or node.kind != "array":
        why = f" ({node.error})" if node is not None and node.kind == "broken" else ""
        raise MetadataError(f"{group.path}: it is {encoding(group)}, but its array {name} is missing{why}")
    return node


def _sparse(group: Any, find: Find) -> SparseMatrix:
    shape = items(group.attributes.get("shape"))
    if len(shape) != 2 or not all(map(is_count, shape)):
        raise MetadataError(f"{group.path}: the shape of its matrix is not two lengths", member="shape")
    data = _array(group, "data", find)
    return SparseMatrix(TITLE, _SPARSE[encoding(group)], (shape[0], shape[1]), data.dtype.name, data.shape[0])


def _column(group: Any, find: Find) -> Column:
    values = _COLUMNS[encoding(group)]
    if values != "categorical":
        return Column(TITLE, values, _array(group, "values", find).shape[0])
    return Column(
        TITLE,
        values,
        _array(group, "codes", find).shape[0],
        _categories(group, find).shape[0],
        group.attributes.get("ordered") is True,
    )


def _categories(group: Any, find: Find) -> Any:
    """The array of the categories of a column; anndata stores those that are nullable as a group."""
    child = _child(group, "categories", find)
    if child is not None and child.kind == "group" and encoding(child) in _COLUMNS:
        return _array(child, "values", find)
    return _array(group, "categories", find)


def categories_elsewhere(array: Any) -> dict[str, Any]:
    """The arrays of categories that anndata before 0.8 keeps apart from an array of codes, by the field that has the codes.

    Before 0.8, those of ``obs/type`` are ``obs/__categories/type``, and the field is empty. Before 0.7, those of the field
    ``type`` of the records ``obs`` are ``uns/type_categories``.

    Raises:
        StoreError: the store failed.
    """
    above, _, name = array.path.rpartition("/")
    if array.dtype.names and name in ("obs", "var"):
        codes = [field for field in array.dtype.names if array.dtype[field].kind in "iu"]
        places = {field: f"{above}/uns/{field}_categories" for field in codes}
    elif array.dtype.kind in "iu" and "categories" in array.attributes:
        places = {"": f"{above}/__categories/{name}"}
    else:
        return {}
    found = {}
    for field, path in places.items():
        with suppress(NodeNotFoundError):
            node = array.hierarchy.node(path)
            if node.kind == "array":
                found[field] = node
    return found


def _table(group: Any, find: Find) -> Table:
    index = text(group.attributes.get("_index")) or "_index"
    columns = tuple(name for name in items(group.attributes.get("column-order")) if isinstance(name, str))
    return Table(TITLE, columns, index, table_length(group, find))


def table_length(group: Any, find: Find) -> int | None:
    """The number of rows of a data frame: the length of its index, or else of a column.

    Raises:
        StoreError: the store failed.
    """
    index = text(group.attributes.get("_index")) or "_index"
    for name in (index, *items(group.attributes.get("column-order"))):
        node = _child(group, str(name), find)
        if node is not None and node.kind == "group":
            part = "codes" if encoding(node) == "categorical" else "values"
            node = _child(node, part, find)
        if node is not None and node.kind == "array" and node.ndim == 1:
            length: int = node.shape[0]
            return length
    return None


def _annotated_matrix(group: Any, find: Find) -> AnnotatedMatrix:
    members = []
    lengths: dict[str, int | None] = {}
    for name in _MEMBERS:
        child = _child(group, name, find)
        if child is None or child.kind != "group":
            continue
        if name in ("obs", "var"):
            lengths[name] = table_length(child, find)
            members.append((name, tuple(str(one) for one in items(child.attributes.get("column-order")))))
        else:
            members.append((name, tuple(child.child_names())))
    return AnnotatedMatrix(
        TITLE, lengths.get("obs"), lengths.get("var"), _matrix(_child(group, "X", find), find), tuple(members)
    )


def _matrix(node: Any, find: Find) -> str:
    if node is None:
        return ""
    if node.kind == "array":
        return f"dense {node.data_type.name}"
    if node.kind == "group" and encoding(node) in _SPARSE:
        data = _child(node, "data", find)
        dtype = f" {data.data_type.name}" if data is not None and data.kind == "array" else ""
        return f"sparse {_SPARSE[encoding(node)].upper()}{dtype}"
    return ""


_READERS: Final[Mapping[str, Callable[[Any, Find], Meaning]]] = {
    "anndata": _annotated_matrix,
    "raw": _annotated_matrix,
    "dataframe": _table,
    **dict.fromkeys(_SPARSE, _sparse),
}
_KINDS: Final = {
    "anndata": AnnotatedMatrix.kind,
    "raw": AnnotatedMatrix.kind,
    "dataframe": Table.kind,
    **dict.fromkeys(_SPARSE, SparseMatrix.kind),
}

ANNDATA: Final = Convention(
    "anndata",
    TITLE,
    "https://anndata.readthedocs.io/en/stable/fileformat-prose.html",
    (*dict.fromkeys(_KINDS.values()), Column.kind),
    _recognise,
    _read,
)
