"""The ``numcodecs.pcodec`` codec: lossless compression of numbers by pco.

Specification: numcodecs' PCodec, which stores times as 64-bit integers. zarrs stores a complex number as its two parts; its
``pcodec`` is otherwise the same. The library is written in Rust, checks what it reads, and decodes into an array of the
expected size, never more.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from zarrcore.codecs.interface import ArraySpec, ArrayToBytesCodec, Buffer
from zarrcore.codecs.parameters import choice, integer, known
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.installation import how_to_add
from zarrcore.metadata.data_type.small_numbers import is_complex, part_of_complex
from zarrcore.typing import AnyArray

_MODES = ("auto", "classic")
_DELTAS = ("auto", "none", "no_op", "try_consecutive", "try_lookback")
_DTYPES = frozenset(np.dtype(code) for code in ("u2", "u4", "u8", "i2", "i4", "i8", "f2", "f4", "f8"))
_PAGE_SIZE = 1 << 18


class PCodec(ArrayToBytesCodec):
    """All elements in C order, as one standalone pco file."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.pcodec",)

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self._parameters = dict(parameters)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        known(
            configuration,
            "level",
            "mode_spec",
            "delta_spec",
            "paging_spec",
            "delta_encoding_order",
            "equal_pages_up_to",
        )
        if importlib.util.find_spec("pcodec") is None:
            raise UnsupportedError(
                "codec", cls.names[0], f"needs an optional dependency: {how_to_add('pcodec')}"
            )
        order = configuration.get("delta_encoding_order")
        delta = choice(configuration, "delta_spec", _DELTAS, "auto")
        if order is not None:
            integer(configuration, "delta_encoding_order", minimum=0, maximum=7)
            if delta not in ("auto", "try_consecutive"):
                raise MetadataError(
                    f"has no meaning with delta_spec {delta!r}", member="delta_encoding_order"
                )
        elif delta == "try_consecutive":
            raise MetadataError("the member is missing", member="delta_encoding_order")
        return cls(
            {
                "level": integer(configuration, "level", 8, minimum=0, maximum=12),
                "mode_spec": choice(configuration, "mode_spec", _MODES, "auto"),
                "delta_spec": delta,
                "paging_spec": choice(
                    configuration, "paging_spec", ("equal_pages_up_to",), "equal_pages_up_to"
                ),
                "delta_encoding_order": order,
                "equal_pages_up_to": integer(configuration, "equal_pages_up_to", _PAGE_SIZE, minimum=1),
            }
        )

    def configuration(self, spec: ArraySpec) -> dict[str, Any]:
        return dict(self._parameters)

    def max_encoded_nbytes(self, spec: ArraySpec) -> int:
        if _number_dtype(spec.dtype) not in _DTYPES:
            raise MetadataError(f"expected numbers of 2 to 8 bytes, found {spec.dtype}", member=self.name)
        size = spec.nbytes // _number_dtype(spec.dtype).itemsize
        pages: int = -(-size // self._parameters["equal_pages_up_to"])
        return 2 * spec.nbytes + 64 * pages + 4096

    def decode(self, encoded: Buffer, spec: ArraySpec) -> AnyArray:
        from pcodec import standalone

        numbers = np.empty(spec.nbytes // _number_dtype(spec.dtype).itemsize, _number_dtype(spec.dtype))
        try:
            progress = standalone.simple_decompress_into(bytes(encoded), numbers)
        except (RuntimeError, TypeError, ValueError) as error:
            raise CodecError(str(error), codec=self.name) from error
        if progress.n_processed != numbers.size or not progress.finished:
            raise CodecError(
                f"expected {numbers.size:,} numbers, found {'more' if not progress.finished else progress.n_processed}",
                codec=self.name,
            )
        return numbers.view(spec.dtype).reshape(spec.shape)

    def encode(self, decoded: AnyArray, spec: ArraySpec) -> Buffer:
        from pcodec import standalone

        numbers = np.ascontiguousarray(decoded, spec.dtype).reshape(-1).view(_number_dtype(spec.dtype))
        try:
            encoded: bytes = standalone.simple_compress(numbers, self._chunk_config())
        except (RuntimeError, TypeError, ValueError) as error:
            raise CodecError(str(error), codec=self.name) from error
        return encoded

    def _chunk_config(self) -> Any:
        from pcodec import ChunkConfig, DeltaSpec, ModeSpec, PagingSpec

        parameters = self._parameters
        order, delta = parameters["delta_encoding_order"], parameters["delta_spec"]
        if order is not None:
            delta_spec = DeltaSpec.try_consecutive(order)
        elif delta == "none":  # the library's name for it before version 1
            delta_spec = DeltaSpec.no_op()
        else:
            delta_spec = getattr(DeltaSpec, delta)()
        return ChunkConfig(
            compression_level=parameters["level"],
            mode_spec=getattr(ModeSpec, parameters["mode_spec"])(),
            delta_spec=delta_spec,
            paging_spec=PagingSpec.equal_pages_up_to(parameters["equal_pages_up_to"]),
        )


def _number_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of the numbers that make up an element."""
    if dtype.kind in "Mm":
        return np.dtype("i8").newbyteorder(dtype.byteorder)
    return part_of_complex(dtype) if is_complex(dtype) else dtype
