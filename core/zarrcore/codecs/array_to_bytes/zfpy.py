"""The ``numcodecs.zfpy`` codec: zfp after its own header.

Specification: numcodecs' ZFPY, which zarrs follows; in Zarr v2 it is the compressor ``zfpy``. The modes have zfp's numbers. On
reading, the header decides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.array_to_bytes.zfp import (
    compressed,
    decompressed,
    demoted,
    library,
    most_nbytes,
    native_dtype,
    padded,
)
from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.parameters import integer, known, number
from zarrcore.errors import CodecError, MetadataError
from zarrcore.typing import AnyArray

_PARAMETERS = {2: "rate", 3: "precision", 4: "tolerance"}
_REVERSIBLE = 5
_HEADER_NBYTES = 32
_MAX_RATE = 4096.0


class ZfpyCodec(ArrayToBytesCodec):
    """zfp's header and bits."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.zfpy",)

    def __init__(self, mode: int, value: float) -> None:
        self._mode = mode
        self._value = value

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(configuration, "mode", "compression_kwargs", *_PARAMETERS.values())
        mode = integer(configuration, "mode", 4, minimum=2, maximum=_REVERSIBLE)
        name = _PARAMETERS.get(mode)
        # numcodecs writes -1 for parameters that are irrelevant or were left out.
        value = -1 if name is None else number({name: -1, **configuration}, name)
        if name == "precision" and value != int(value):
            raise MetadataError(f"expected an integer, found {value}", member=name)
        if name == "rate" and value > _MAX_RATE:
            raise MetadataError(f"expected at most 4,096, found {value}", member=name)
        library(cls.names[0])
        return cls(mode, value)

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return {"mode": self._mode, **self._parameters()}

    def _parameters(self) -> dict[str, Any]:
        name = _PARAMETERS.get(self._mode)
        return {} if name is None else {name: int(self._value) if name == "precision" else self._value}

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        rate = self._parameters().get("rate")
        return most_nbytes(spec, native_dtype(spec, self.name), rate) + _HEADER_NBYTES

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        zfpy, native = library(self.name), native_dtype(spec, self.name)
        if not spec.size:
            return np.empty(spec.shape, spec.dtype)
        try:
            header = zfpy.header(padded(encoded, _HEADER_NBYTES))
        except ValueError as error:
            raise CodecError(str(error), codec=self.name) from error
        lengths = [header[name] for name in ("nw", "nz", "ny", "nx") if header[name]]
        if math.prod(lengths) != spec.size or not lengths or header["type"] != native:
            raise CodecError(
                f"expected {spec.size:,} elements of {native}, found {lengths} of {np.dtype(header['type'])}",
                codec=self.name,
            )
        rate = header["config"]["rate"]
        if header["config"]["mode"] not in (*_PARAMETERS, _REVERSIBLE) or not 0 <= rate <= _MAX_RATE:
            raise CodecError(f"the header names an unsupported mode: {header['mode']}", codec=self.name)
        # Its shape, and thus its blocks, may differ from the chunk's: numcodecs flattens the output of filters.
        found = ArraySpec(tuple(lengths), spec.dtype, spec.fill_value)
        nbytes = most_nbytes(found, native, rate) + _HEADER_NBYTES
        decoded = decompressed(encoded, nbytes, zfpy.decompress_numpy, self.name)
        return demoted(decoded, spec.dtype).reshape(spec.shape)

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> Buffer:
        parameters = {name: value for name, value in self._parameters().items() if value >= 0}
        return compressed(decoded, spec, self.name, parameters, write_header=True)
