"""A store whose root is an empty group."""

from __future__ import annotations

from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore
from zarrcore.stores.options import StoreOptions


class EmptyStore(ReadableStore):
    def __init__(self, url: str, options: StoreOptions) -> None:
        self.url = url

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        return b'{"zarr_format": 3, "node_type": "group"}' if key == "zarr.json" else None
