"""Broken NIfTI files as sources: an error of zarrscope with one line, or nodes and values."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable

import nibabel
import numpy as np

from tests.proofs.fuzz.sources import check_source
from zarrcore.stores import MemoryStore
from zarrcore.stores.nifti.store import NiftiFile, is_nifti

WORDS = (
    "n+1\x00",
    "ni1\x00",
    "n+2\x00\r\n\x1a\n",
    "ni2\x00\r\n\x1a\n",
    "\x5c\x01\x00\x00",
    "\x00\x00\x02\x1c",
)


def check(data: bytes) -> None:
    """All nodes open and small arrays are read, or an error says why not."""
    is_nifti(data)
    store = NiftiFile(MemoryStore("", {"a.hdr": data, "a.img": data}), "a.hdr", "memory://a.hdr")
    check_source(store)


def examples() -> Iterable[bytes]:
    """Files of both versions, some of them compressed or with an extension, and a header of a pair."""
    colours = np.zeros((2, 3), [(name, "u1") for name in "RGB"])
    for kind in (nibabel.Nifti1Image, nibabel.Nifti2Image):
        for values in (np.arange(24, dtype="i2").reshape(2, 3, 4), np.ones((2, 2, 1, 2, 2), "f4"), colours):
            image = kind(values, np.eye(4))
            image.header.extensions.append(nibabel.nifti1.Nifti1Extension("comment", b"text"))
            yield image.to_bytes()
    yield gzip.compress(image.to_bytes(), mtime=0)
    header, elements = io.BytesIO(), io.BytesIO()
    pair = nibabel.Nifti1Pair(np.ones((2, 3), "u1"), np.eye(4))
    holders = {"header": nibabel.FileHolder(fileobj=header), "image": nibabel.FileHolder(fileobj=elements)}
    pair.to_file_map(holders)
    yield header.getvalue()
