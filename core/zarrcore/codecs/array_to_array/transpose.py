"""The ``transpose`` codec: dimensions in another order.

Specification: zarr-specs, "Transpose codec" (version 1.0). ``order`` is a permutation; drafts before October 2023 also
allowed "C" and "F".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, ArrayToArrayCodec
from zarrcore.codecs.parameters import known
from zarrcore.errors import MetadataError
from zarrcore.metadata.json_document import describe
from zarrcore.metadata.named_configuration import integers
from zarrcore.typing import AnyArray


class TransposeCodec(ArrayToArrayCodec):
    """Dimension ``i`` of the encoded array is dimension ``order[i]`` of the decoded one."""

    names: ClassVar[tuple[str, ...]] = ("transpose",)

    def __init__(self, order: tuple[int, ...] | str) -> None:
        self._order = order

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "order")
        order = configuration.get("order")
        if order in ("C", "F"):
            return cls(str(order))
        permutation = integers(list(order) if isinstance(order, list) else order, "order", minimum=0)
        if sorted(permutation) != list(range(len(permutation))):
            raise MetadataError(f"expected a permutation, found {describe(order)}", member="order")
        return cls(permutation)

    def permutation(self, ndim: int) -> tuple[int, ...]:
        """The order for ``ndim`` dimensions.

        Raises:
            MetadataError: the permutation is for another number of dimensions.
        """
        if isinstance(self._order, str):
            return tuple(range(ndim)) if self._order == "C" else tuple(range(ndim))[::-1]
        if len(self._order) != ndim:
            raise MetadataError(
                f"expected a permutation of {ndim} dimensions, found {len(self._order)}", member="order"
            )
        return self._order

    def encoded_spec(self, spec: ArraySpec) -> ArraySpec:
        order = self.permutation(len(spec.shape))
        return ArraySpec(tuple(spec.shape[axis] for axis in order), spec.dtype, spec.fill_value)

    def decode(self, encoded: AnyArray, spec: ArraySpec) -> AnyArray:
        return encoded.transpose(np.argsort(self.permutation(len(spec.shape))))

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> AnyArray:
        return decoded.transpose(self.permutation(len(spec.shape)))

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return {"order": list(self.permutation(len(spec.shape)))}
