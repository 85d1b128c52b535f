"""Broken NRRD files as sources: an error of zarrscope with one line, or nodes and values."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Iterable

from tests.proofs.fuzz.sources import check_source
from zarrcore.stores import MemoryStore
from zarrcore.stores.nrrd.store import NrrdSource

WORDS = (
    "NRRD0005",
    "sizes: ",
    "data file: ",
    "LIST",
    "s%03d 0 9 1",
    "(1,0,0)",
    "none",
    "../",
    "line skip: ",
    ":=",
)
_FIELDS = "NRRD0004\ntype: short\ndimension: 3\nsizes: 4 3 2\nendian: big\n"
_SPACE = (
    'kinds: RGB-color domain time\nlabels: "a" "" "t"\nunits: "mm" "" "s"\nspacings: nan 1 2\n'
    'space directions: none (1,0) (0,2)\nspace origin: (1,2)\nspace units: "mm" "um"\naxis mins: 1 2 3\n'
)


def check(data: bytes) -> None:
    """All nodes open and small arrays are read, or an error says why not."""
    store = NrrdSource(MemoryStore("", {"a.nrrd": data, "s": bytes(48)}), "a.nrrd", "memory://a.nrrd")
    check_source(store)


def examples() -> Iterable[bytes]:
    """Elements in the file and in others, compressed and not."""
    yield f"{_FIELDS}encoding: raw\nkey:=value\n\n".encode() + bytes(range(48))
    yield f"{_FIELDS}{_SPACE}encoding: gzip\n\n".encode() + gzip.compress(bytes(48), mtime=0)
    yield f"{_FIELDS}encoding: bzip2\n\n".encode() + bz2.compress(bytes(48))
    yield f"{_FIELDS}encoding: ascii\n\n".encode() + b"1 2, 3\n" * 8
    yield f"{_FIELDS}encoding: raw\nline skip: 1\nbyte skip: -1\ndata file: s\n".encode()
    yield f"{_FIELDS}encoding: raw\ndata file: s%d 1 2 1\n".encode()
    yield f"{_FIELDS}encoding: raw\ndata file: LIST 3\ns\ns\n".encode()
