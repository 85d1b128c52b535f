"""``blosc``: broken headers, and defaults."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from tests.core.codecs.cases import LITTLE
from tests.core.codecs.pipelines import pipeline
from zarrcore.codecs import ArraySpec, completed
from zarrcore.errors import CodecError
from zarrcore.metadata import NamedConfiguration


@pytest.mark.parametrize(
    "header",
    [
        struct.pack("<BBBBIII", 2, 1, 1, 4, 4000, 4000, 15),  # shorter than its header
        struct.pack("<BBBBIII", 2, 1, 1, 4, 2**31 - 1, 4000, 40),  # announces 2 GiB
        struct.pack("<BBBBIII", 2, 1, 1, 0, 4000, 4000, 40),  # elements of no bytes
        struct.pack("<BBBBIII", 2, 1, 1, 4, 4000, 0, 40),  # blocks of no bytes
        struct.pack("<BBBBIII", 2, 1, 1, 4, 4000, 1, 40),  # a table of blocks past the end
        struct.pack("<BBBBIII", 2, 1, 2, 4, 4000, 4000, 40),  # stored, and not as long as announced
        struct.pack("<BBBBIIII", 2, 1, 1, 4, 4000, 4000, 40, 4_000_000),  # a block far outside
        struct.pack("<BBBBIIII", 2, 1, 1, 4, 4000, 4000, 40, 3),  # a block within the header
    ],
)
def test_blosc_headers_are_checked_before_the_library_sees_them(header: bytes) -> None:
    with pytest.raises(CodecError, match="blosc"):
        pipeline(LITTLE, "blosc").decode(header.ljust(40, b"\0"))


def test_blosc_defaults_follow_the_elements() -> None:
    def parameters(dtype: str) -> tuple[Any, ...]:
        spec = ArraySpec((4,), np.dtype(dtype), np.zeros((), dtype))
        done = completed([NamedConfiguration("bytes"), NamedConfiguration("blosc")], spec)[1].configuration
        return done["typesize"], done["shuffle"]

    assert parameters("<f8") == (8, "shuffle")
    assert parameters("u1") == (1, "bitshuffle")
    assert parameters("S300") == (1, "bitshuffle")
