"""Metadata and documents of arrays, for tests of writing."""

from __future__ import annotations

from typing import Any

import numpy as np

from zarrcore.metadata import (
    ArrayMetadata,
    ChunkKeyEncoding,
    NamedConfiguration,
    RegularChunkGrid,
)
from zarrcore.metadata.data_type import data_type_of, parse_data_type
from zarrcore.metadata.fill_value import parse_fill_value

BYTES = NamedConfiguration("bytes", {"endian": "little"})


V2_KEYS = ChunkKeyEncoding("v2", ".")


def metadata(data_type: Any = "float32", *codecs: Any, fill_value: Any = 0, **members: Any) -> ArrayMetadata:
    kind = data_type_of(np.dtype(data_type)) if isinstance(data_type, list) else parse_data_type(data_type)
    shape = members.pop("shape", (5, 7))
    return ArrayMetadata(
        shape=shape,
        data_type=kind,
        chunk_grid=RegularChunkGrid(members.pop("chunk_shape", (2, 3)[: len(shape)])),
        chunk_key_encoding=members.pop("chunk_key_encoding", V2_KEYS),
        fill_value=parse_fill_value(fill_value, kind),
        codecs=tuple(NamedConfiguration(c) if isinstance(c, str) else c for c in codecs or (BYTES,)),
        **members,
    )
