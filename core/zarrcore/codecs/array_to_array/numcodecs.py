"""The array → array codecs of numcodecs: filters of Zarr v2, and ``numcodecs.*`` of Zarr v3.

Specification: numcodecs' documentation of each codec; zarr-extensions, "numcodecs.*".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, ArrayToArrayCodec
from zarrcore.codecs.parameters import dtype, integer, known, number
from zarrcore.errors import CodecError, MetadataError
from zarrcore.late_imports import imported
from zarrcore.metadata.fill_value import zero
from zarrcore.typing import AnyArray

numcodecs = imported("numcodecs")

# SystemError: NumPy's casts meet a number that is not a character.
_ERRORS = (RuntimeError, ValueError, TypeError, IndexError, KeyError, OverflowError, SystemError)


class _NumcodecsFilter(ArrayToArrayCodec):
    parameters: ClassVar[tuple[str, ...]] = ("dtype", "astype")
    decoded_type_parameter: ClassVar[str] = "dtype"
    encoded_type_parameter: ClassVar[str] = "astype"
    required_types: ClassVar[tuple[str, ...]] = ("dtype",)
    is_lossy: ClassVar[bool] = False

    def __init__(self, configuration: Mapping[str, Any]) -> None:
        parameters = {name: value for name, value in configuration.items() if name != "id"}
        known(parameters, *self.parameters)
        # numcodecs itself reports one that is missing, but takes null for float64.
        for parameter in self.required_types:
            if parameter in configuration:
                dtype(configuration, parameter)
        # Checked before numcodecs, and thus NumPy, sees them.
        self._decoded_dtype, self._encoded_dtype = (
            dtype(configuration, parameter) if configuration.get(parameter) is not None else None
            for parameter in (self.decoded_type_parameter, self.encoded_type_parameter)
        )
        try:
            self._codec = numcodecs.get_codec({"id": self.name.removeprefix("numcodecs."), **parameters})
        except (TypeError, ValueError, OverflowError, SyntaxError) as error:
            raise MetadataError(str(error), member=self.name) from error

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        return cls(configuration)

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return {name: value for name, value in self._codec.get_config().items() if name != "id"}

    def encoded_spec(self, spec: ArraySpec) -> ArraySpec:
        if self._decoded_dtype is not None and self._decoded_dtype.itemsize != spec.dtype.itemsize:
            raise MetadataError(
                f"expected elements of {self._decoded_dtype}, found {spec.dtype}", member=self.name
            )
        return spec.with_dtype(self._encoded_dtype or self._decoded_dtype or spec.dtype)

    def decode(self, encoded: AnyArray, spec: ArraySpec) -> AnyArray:
        # numcodecs reinterprets the raw bytes, so they need the byte order that it is configured for.
        encoded = self._cast(encoded, self.encoded_spec(spec).dtype)
        decoded = self._called(self._codec.decode, encoded)
        if decoded.size != spec.size:
            raise CodecError(f"expected {spec.size:,} elements, found {decoded.size:,}", codec=self.name)
        if decoded.dtype.itemsize == spec.dtype.itemsize and decoded.dtype.kind != spec.dtype.kind:
            decoded = decoded.view(spec.dtype)  # bits, not values: Zarr v2 passes bits from filter to filter
        return decoded.reshape(spec.shape)

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> AnyArray:
        wanted = self.encoded_spec(spec)
        if not decoded.size:
            return np.empty(wanted.shape, wanted.dtype)
        given = self._decoded_dtype or spec.dtype
        same_kind = given.kind == decoded.dtype.kind
        decoded = self._cast(decoded, given) if same_kind else np.ascontiguousarray(decoded).view(given)
        encoded = self._called(self._codec.encode, decoded)
        decoded = decoded.reshape(-1)
        if not {decoded.dtype.kind, encoded.dtype.kind} <= {*"iufc"}:
            self._check_read(decoded, encoded)
        self._check(decoded, encoded)
        return encoded.view(wanted.dtype).reshape(wanted.shape)

    def _check_read(self, decoded: AnyArray, encoded: AnyArray) -> None:
        """Find values that do not come back: NumPy converts numbers to times, texts or bytes from which it makes none.

        Raises:
            CodecError: the values cannot be decoded, or a codec that is not a lossy one changes them.
        """
        read = self._called(self._codec.decode, encoded)
        can_be_nan = decoded.dtype.kind in "fcmM"
        if not self.is_lossy and not np.array_equal(read, decoded, equal_nan=can_be_nan):
            raise CodecError(f"a value does not fit into {encoded.dtype}", codec=self.name)

    def _check(self, decoded: AnyArray, encoded: AnyArray) -> None:
        """Find values that the encoded type cannot hold.

        Raises:
            CodecError: a value does not survive encoding, and the codec is not a lossy one.
        """

    def _cast(self, values: AnyArray, target: np.dtype[Any]) -> AnyArray:
        try:
            return values.astype(target, copy=False)
        except _ERRORS as error:  # not all types of ml_dtypes become others
            raise CodecError(
                f"{values.dtype} is not converted to {target}: {error}", codec=self.name
            ) from error

    def _called(self, function: Callable[[AnyArray], Any], array: AnyArray) -> AnyArray:
        try:
            with np.errstate(all="ignore"):
                return np.asarray(function(np.ascontiguousarray(array).reshape(-1)))
        except _ERRORS as error:
            raise CodecError(str(error), codec=self.name) from error

    def _refuse_beyond(self, values: AnyArray, target: np.dtype[Any]) -> None:
        if target.kind not in "iu" or values.dtype.kind == "b":
            return
        limits = np.iinfo(target)
        # NaN is outside every range.
        if not (limits.min <= values.min() and values.max() <= limits.max):
            raise CodecError(
                f"values from {values.min()} to {values.max()} do not fit into {target}", codec=self.name
            )


class DeltaCodec(_NumcodecsFilter):
    """Differences of consecutive elements."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.delta",)

    def _check(self, decoded: AnyArray, encoded: AnyArray) -> None:
        # Overflow cancels out on decoding, so only a smaller encoded type can lose a difference.
        smaller = decoded.dtype.kind in "iu" and encoded.dtype.itemsize < decoded.dtype.itemsize
        if smaller and not np.array_equal(self._called(self._codec.decode, encoded), decoded):
            raise CodecError(f"a difference does not fit into {encoded.dtype}", codec=self.name)


class FixedScaleOffsetCodec(_NumcodecsFilter):
    """``round((x - offset) * scale)``."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.fixedscaleoffset",)
    parameters = ("dtype", "astype", "offset", "scale")
    is_lossy = True

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        number(configuration, "offset")
        if not number(configuration, "scale"):
            raise MetadataError("expected a number other than 0", member="scale")
        return cls(configuration)

    def _check(self, decoded: AnyArray, encoded: AnyArray) -> None:
        if {decoded.dtype.kind, encoded.dtype.kind}.isdisjoint("iub"):
            return
        read, half_step = self._called(self._codec.decode, encoded), 0.5 / abs(self._codec.scale)
        with np.errstate(all="ignore"):
            values, rounding = decoded.astype(float), 1e-15 if decoded.dtype.itemsize == 8 else 1e-6
            if encoded.dtype.kind in "fc":
                rounding = max(rounding, float(np.finfo(encoded.dtype).eps))
            allowed = half_step * 1.001 + rounding * (np.abs(values) + abs(self._codec.offset))
            if decoded.dtype.kind in "iu":
                allowed += 1  # it decodes to a fraction, which conversion to an integer truncates
            kept = (np.abs(read.astype(float) - values) <= allowed) & np.isfinite(values)
        if not kept.all():
            lost = decoded[~kept][0]
            raise CodecError(f"{lost} does not fit into {encoded.dtype}", codec=self.name)


class QuantizeCodec(_NumcodecsFilter):
    """Floating-point numbers rounded to a number of decimal digits."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.quantize",)
    parameters = ("dtype", "astype", "digits")
    is_lossy = True

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        integer(configuration, "digits", minimum=-300, maximum=300)
        return cls(configuration)


class AsTypeCodec(_NumcodecsFilter):
    """Elements of another type."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.astype",)
    parameters = ("encode_dtype", "decode_dtype")
    decoded_type_parameter = "decode_dtype"
    encoded_type_parameter = "encode_dtype"
    required_types = parameters

    def _check(self, decoded: AnyArray, encoded: AnyArray) -> None:
        if decoded.dtype.kind in "iuf":
            self._refuse_beyond(decoded, encoded.dtype)


class BitRoundCodec(_NumcodecsFilter):
    """Floating-point numbers with fewer bits of mantissa."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.bitround",)
    parameters = ("keepbits",)
    is_lossy = True

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        integer(configuration, "keepbits", minimum=0, maximum=52)
        return cls(configuration)


class PackBitsCodec(_NumcodecsFilter):
    """Eight booleans per byte, after a byte that counts the padding bits of the last one."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.packbits",)
    parameters = ()

    def encoded_spec(self, spec: ArraySpec) -> ArraySpec:
        if spec.dtype != np.dtype(bool):
            raise MetadataError(f"expected elements of bool, found {spec.dtype}", member=self.name)
        packed = np.dtype(np.uint8)
        return ArraySpec((1 + -(-spec.size // 8),), packed, zero(packed))

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> AnyArray:
        padding = np.array([-spec.size % 8], np.uint8)
        return np.concatenate([padding, np.packbits(np.ascontiguousarray(decoded))])
