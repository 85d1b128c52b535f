"""Creating and erasing the members of hierarchies and groups, with the words of zarr-python and h5py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Never

import numpy as np

from zarrcore.arguments import check_types
from zarrcore.array.assigned_values import as_elements, refuse_mapping
from zarrcore.errors import ElementError, MetadataError, NodeExistsError, NodeKindError, SelectionError
from zarrcore.hierarchy.members import Members
from zarrcore.hierarchy.new_array import CodecsLike, Lengths, as_data_type, as_lengths, new_array_metadata
from zarrcore.hierarchy.paths import normalize_path
from zarrcore.metadata import ChunkKeyEncoding, GroupMetadata
from zarrcore.printable import did_you_mean
from zarrcore.typing import AnyArray

if TYPE_CHECKING:
    from zarrcore.hierarchy.nodes import ArrayNode, Group


class ChangingMembers(Members):
    """Nodes that can be created, and erased by ``del``."""

    def create_group(
        self, path: str, *, attributes: Mapping[str, Any] | None = None, overwrite: bool = False
    ) -> Group:
        """Make a group, and missing groups above it.

        Args:
            path: path of the group.
            attributes: the user's own metadata.
            overwrite: erase an existing node, with everything below it.

        Raises:
            NodeExistsError: a node exists at the path, or an array above it.
            ReadOnlyError: the hierarchy was opened for reading only, or its store is read-only.
            MetadataError: an attribute is not JSON.

        >>> import zarrcore
        >>> group = zarrcore.create("memory://create-group").create_group("a/b", attributes={"title": "b"})
        >>> group.path, dict(group.attributes)
        ('/a/b', {'title': 'b'})
        """
        check_types("Mapping[str, Any] | None", attributes=attributes)
        check_types("bool", overwrite=overwrite)
        metadata = GroupMetadata(dict(attributes or {}))
        return self._owner.create_node(self._path(path), metadata, overwrite=overwrite)

    def require_group(self, path: str) -> Group:
        """The group at a path, which is made if it does not exist.

        Raises:
            NodeKindError: it is an array.
            Else as `create_group`.
        """
        return self.group(path) if path in self else self.create_group(path)

    def create_array(
        self,
        path: str,
        *,
        shape: Lengths | None = None,
        dtype: Any = None,
        data: Any = None,
        chunks: Lengths | Literal["auto"] | None = None,
        shards: Lengths | None = None,
        codecs: CodecsLike | None = None,
        compressors: CodecsLike | None = None,
        filters: CodecsLike | None = None,
        fill_value: Any = None,
        chunk_key_encoding: ChunkKeyEncoding | None = None,
        dimension_names: Sequence[str | None] | None = None,
        attributes: Mapping[str, Any] | None = None,
        overwrite: bool = False,
        **unknown: Never,
    ) -> ArrayNode:
        """Make an array, and missing groups above it. It has the elements of ``data``, or is full of the fill value.

        Args:
            path: path of the array.
            shape: length of each dimension, or of the only one; by default, that of ``data``.
            dtype: a Zarr v3 name such as "float32", or anything that NumPy accepts as a dtype; by default, that of ``data``,
                which is otherwise converted.
            data: an array or array-like.
            chunks: shape of chunks, or their length in all dimensions; by default, and if "auto", chunks of 2 to 4 MiB (up to
                1 MiB within shards).
            shards: store chunks together in shards of this shape, a multiple of ``chunks``.
            codecs: all codecs, for instance ``[{"name": "blosc", "configuration": {"cname": "lz4"}}]``, or the objects of
                zarr-python and numcodecs; by default, zstd with a checksum. Missing parameters, and a missing
                array → bytes codec, are added.
            compressors: instead of ``codecs``, the bytes → bytes codec or codecs; ``()`` is none.
            filters: instead of ``codecs``, the array → array codec or codecs; none by default.
            fill_value: the value of elements until they are written; zero by default.
            chunk_key_encoding: the chunk key encoding; by default, that of the format.
            dimension_names: a name or None per dimension.
            attributes: the user's own metadata.
            overwrite: erase an existing node, with everything below it.

        Raises:
            NodeExistsError: a node exists at the path, or an array above it.
            ReadOnlyError: the hierarchy was opened for reading only, or its store is read-only.
            TypeError: there is neither ``data`` nor a shape and a dtype; or an unknown argument.
            MetadataError: parameters that contradict one another.
            ElementError: data that cannot be converted.
            UnsupportedError: a type or codec that is unknown, or that the format cannot hold.

        >>> import zarrcore
        >>> made = zarrcore.create("memory://create-array")
        >>> array = made.create_array("a", shape=(8, 8), dtype="int16", chunks=2, shards=4, dimension_names=["y", "x"])
        >>> array.chunks, array.shards, array.dimension_names
        ((2, 2), (4, 4), ('y', 'x'))
        """
        for name in unknown:
            known = ChangingMembers.create_array.__kwdefaults__ or ()
            raise TypeError(f"create_array() has no argument {name!r}{did_you_mean(name, known)}")
        check_types("bool", overwrite=overwrite)
        owner, whole = self._owner, self._path(path)
        owner.writer()  # a hierarchy that cannot be written is refused first
        shape, dtype = _shape_and_dtype(shape, dtype, data)
        metadata = new_array_metadata(
            owner.format,
            shape=shape,
            dtype=dtype,
            chunks=chunks,
            shards=shards,
            codecs=codecs,
            compressors=compressors,
            filters=filters,
            fill_value=fill_value,
            chunk_key_encoding=chunk_key_encoding,
            dimension_names=dimension_names,
            attributes=attributes,
        )
        # They may be those of the array that is overwritten.
        elements = None if data is None else as_elements(data, metadata.data_type.dtype, metadata.shape)
        array = owner.create_node(whole, metadata, overwrite=overwrite)
        if elements is not None:
            array[...] = elements
        return array

    def require_array(
        self, path: str, *, shape: Lengths | None = None, dtype: Any = None, data: Any = None, **options: Any
    ) -> ArrayNode:
        """The array at a path, which is made if it does not exist.

        Args:
            path: path of the array.
            shape, dtype, data: as `create_array`; an array that exists keeps its elements.
            options: other arguments of `create_array`, for a new array.

        Raises:
            NodeExistsError: a group, or an array of another shape or data type, exists at the path.
            Else as `create_array`.
        """
        if path not in self:
            return self.create_array(path, shape=shape, dtype=dtype, data=data, **options)
        shape, dtype = _shape_and_dtype(shape, dtype, data)
        kind = as_data_type(dtype)
        try:
            node = self.array(path)
        except NodeKindError as error:
            raise NodeExistsError(error.path, error.url, f"already exists, as a {error.kind}") from error
        if (node.shape, node.data_type.document()) != (shape, kind.document()):
            there, wanted = node.data_type, kind
            types = (there.name, wanted.name) if there.name != wanted.name else (there.dtype, wanted.dtype)
            what = f"already exists, with the shape {node.shape} and the data type {types[0]}"
            raise NodeExistsError(node.path, self._owner.url, f"{what}, not {shape} and {types[1]}")
        return node

    def __setitem__(self, path: str, value: Any) -> None:
        """Store an array: a new one, or the elements of one that has the same shape and data type.

        Raises:
            NodeExistsError: another node exists at the path; it is not replaced.
            Else as `create_array`.
        """
        shape, dtype = _shape_and_dtype(None, None, value)
        self.require_array(path, shape=shape, dtype=dtype)[...] = value

    def __delitem__(self, path: str) -> None:
        """Erase a node and everything below it, including chunks.

        Raises:
            NodeNotFoundError: no node has this path.
            SelectionError: the path is empty.
            ReadOnlyError: the hierarchy was opened for reading only, or its store is read-only.
        """
        whole = normalize_path(self._path(path))
        if whole == normalize_path(self._base):
            raise SelectionError(
                f"{self!r} is not one of its own members: {path!r} cannot be deleted from it"
            )
        self._owner.erase(whole)


def _shape_and_dtype(shape: Lengths | None, dtype: Any, data: Any) -> tuple[tuple[int, ...], Any]:
    """The shape and dtype of a new array."""
    found = None if shape is None else as_lengths(shape, "shape", minimum=0)
    if data is not None:
        refuse_mapping(data)
        try:
            # Elements of an array in a store are read later, once.
            values = data if isinstance(getattr(data, "dtype", None), np.dtype) else np.asarray(data)
        except (TypeError, ValueError) as error:
            raise ElementError(f"expected an array: {error}") from error
        if found is None:
            found = values.shape
        elif found != values.shape:
            raise MetadataError(f"expected that of the data, {values.shape}, found {found}", member="shape")
        if dtype is None:
            dtype = values.dtype if values.dtype.kind != "O" else _type_of(np.asarray(values))
    if found is None or dtype is None:
        raise TypeError("create_array() needs data, or a shape and a dtype")
    return found, dtype


def _type_of(objects: AnyArray) -> Any:
    """The type of Python objects, such as the texts of a column of pandas, if all are of one that arrays have."""
    for kind in (str, bytes):
        if objects.size and all(isinstance(element, kind) for element in objects.flat):
            return kind
    return objects.dtype
