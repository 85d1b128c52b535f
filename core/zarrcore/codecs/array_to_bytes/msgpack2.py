"""The ``msgpack2`` codec of Zarr v2: a chunk's objects in MessagePack.

Specification: numcodecs' MsgPack. It has the content of ``json2``, and its objects appear in the same way.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from zarrcore.codecs.array_to_bytes.json2 import Json2Codec
from zarrcore.codecs.interface import Buffer
from zarrcore.errors import UnsupportedError
from zarrcore.installation import how_to_add


class Msgpack2Codec(Json2Codec):
    """Objects of any kind as MessagePack."""

    names: ClassVar[tuple[str, ...]] = ("numcodecs.msgpack2",)

    @classmethod
    def from_configuration(cls, configuration: Mapping[str, Any]) -> Self:
        if importlib.util.find_spec("msgpack") is None:
            raise UnsupportedError(
                "codec", cls.names[0], f"needs an optional dependency: {how_to_add('msgpack')}"
            )
        return cls("utf-8")

    def _items(self, encoded: Buffer) -> list[Any]:
        import msgpack

        try:
            return list(
                msgpack.unpackb(bytes(encoded), strict_map_key=False, unicode_errors="surrogateescape")
            )
        except msgpack.UnpackException as error:
            raise ValueError(str(error) or type(error).__name__) from error
