"""The optional package imagecodecs, for the codecs that have its names.

imagecodecs registers them with numcodecs, for Zarr v2, and with zarr-python, for Zarr v3. tifffile names them in references to
TIFF files. Their documents name the parameters of imagecodecs' functions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from zarrcore.codecs.interface import ArraySpec
from zarrcore.codecs.optional_package import failure, optional_package
from zarrcore.codecs.parameters import dtype, integer, known
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata.named_configuration import integers
from zarrcore.typing import AnyArray

IMAGECODECS: Final = "imagecodecs_"
"""How the names of these codecs begin."""

OF_BYTES_IN_V2: Final = frozenset({"imagecodecs_b2nd", "imagecodecs_bitshuffle"})
"""Those that are array → bytes codecs in Zarr v3, but codecs of bytes in Zarr v2."""
V2_OF_BYTES: Final = "numcodecs.imagecodecs_"
"""How their names for Zarr v2 begin here."""


def imagecodecs_package(name: str) -> Any:
    """The package.

    Args:
        name: the codec that needs it.

    Raises:
        UnsupportedError: it is not installed.
    """
    return optional_package("imagecodecs", name, "tiff")


class PredictedArray:
    """The parameters of a predictor: along which axis of which array neighbours are compared.

    Documents of Zarr v2 state shape and type of a chunk, because filters of numcodecs do not get them. Those of Zarr v3 do not.

    Args:
        name: the codec.
        configuration: its parameters.

    Raises:
        MetadataError: a parameter is broken.
        UnsupportedError: a parameter is unknown.
    """

    def __init__(self, name: str, configuration: Mapping[str, Any]) -> None:
        known(configuration, "axis", "dist", "shape", "dtype")
        self._name = name
        self.axis = integer(configuration, "axis", -1)
        self.distance = integer(configuration, "dist", 1, minimum=1, maximum=4)
        told = configuration.get("shape")
        self._shape = None if told is None else integers(told, "shape", minimum=0)
        self._dtype = None if configuration.get("dtype") is None else dtype(configuration, "dtype")

    def shape(self, spec: ArraySpec) -> tuple[int, ...]:
        """The shape of the array: that of a chunk, or another one of the same elements.

        Raises:
            MetadataError: the parameters do not fit the chunk.
        """
        found = spec.shape if self._shape is None else self._shape
        if math.prod(found) != spec.size or not -len(found) <= self.axis < len(found):
            raise MetadataError(
                f"axis {self.axis} of shape {found} does not fit chunks of {spec.shape}", member=self._name
            )
        if self._dtype is not None and self._dtype.newbyteorder("<") != spec.dtype.newbyteorder("<"):
            raise MetadataError(f"expected elements of {self._dtype}, found {spec.dtype}", member=self._name)
        return found

    def applied(self, function: Any, array: AnyArray, spec: ArraySpec, **keywords: Any) -> AnyArray:
        """What a function of the package makes of a chunk, whose elements may have any byte order.

        Raises:
            CodecError: the function failed.
        """
        if not spec.size:
            return array
        elements = np.ascontiguousarray(array, spec.dtype.newbyteorder("=")).reshape(self.shape(spec))
        try:
            result = np.asarray(function(elements, axis=self.axis, **keywords))
        except Exception as error:
            raise failure(error, self._name) from error
        return result.reshape(spec.shape)

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        """The parameters without those that follow from the chunk.

        Raises:
            UnsupportedError: its shape is another one.
        """
        if self.shape(spec) != spec.shape:
            raise UnsupportedError("codec", self._name, f"is not written for another shape than {spec.shape}")
        return {"axis": self.axis, "dist": self.distance}
