"""The ``categorize`` codec of Zarr v2: strings as the numbers of labels.

Specification: numcodecs' Categorize. Labels count from 1; 0 is the empty string.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, ArrayToArrayCodec
from zarrcore.codecs.parameters import dtype, known
from zarrcore.errors import CodecError, MetadataError
from zarrcore.metadata.json_document import describe
from zarrcore.typing import AnyArray


class CategorizeCodec(ArrayToArrayCodec):
    """Each element is one of ``labels``, or empty."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.categorize",)

    def __init__(self, labels: list[str], encoded_dtype: np.dtype[Any], told: Mapping[str, Any]) -> None:
        self._labels = labels
        self._encoded_dtype = encoded_dtype
        self._told = dict(told)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "labels", "dtype", "astype")
        labels = configuration.get("labels")
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            raise MetadataError(f"expected an array of strings, found {describe(labels)}", member="labels")
        encoded_dtype = dtype(configuration, "astype") if "astype" in configuration else np.dtype("u1")
        if encoded_dtype.kind not in "iu" or len(labels) > np.iinfo(encoded_dtype).max:
            raise MetadataError(
                f"expected a type of integers up to {len(labels)}, found {encoded_dtype}", member="astype"
            )
        return cls(labels, encoded_dtype, configuration)

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return dict(self._told)

    def encoded_spec(self, spec: ArraySpec) -> ArraySpec:
        if spec.dtype.kind not in "TU":
            raise MetadataError(f"expected elements of text, found {spec.dtype}", member=self.name)
        if spec.dtype.kind == "T":
            try:
                np.array(self._labels, spec.dtype)
            except UnicodeEncodeError as error:  # half a surrogate pair, which JSON and "<U3" can hold
                raise MetadataError(
                    f"a label is not valid Unicode: {error}", member=f"{self.name}.labels"
                ) from error
        return spec.with_dtype(self._encoded_dtype)

    def decode(self, encoded: AnyArray, spec: ArraySpec) -> AnyArray:
        if encoded.size and not 0 <= encoded.min() <= encoded.max() <= len(self._labels):
            raise CodecError(
                f"expected the numbers of {len(self._labels):,} labels, found {encoded.min()} to {encoded.max()}",
                codec=self.name,
            )
        labels: AnyArray = np.array(["", *self._labels], spec.dtype)
        taken = np.take(labels, encoded.astype(np.intp, copy=False))
        return np.asarray(taken, spec.dtype)  # of one number, NumPy takes a text

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> AnyArray:
        numbers = {"": 0, **{label: number for number, label in enumerate(self._labels, 1)}}
        try:
            found = [numbers[text] for text in decoded.ravel().tolist()]
        except KeyError as error:
            raise CodecError(f"{error.args[0]!r} is not one of the labels", codec=self.name) from error
        return np.array(found, self._encoded_dtype).reshape(spec.shape)
