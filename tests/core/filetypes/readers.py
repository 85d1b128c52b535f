"""Readers of TIFF and NRRD files."""

from __future__ import annotations

import io
from typing import Any

import nrrd
import numpy as np
import tifffile


def read_nrrd(content: bytes) -> tuple[np.ndarray, dict[str, Any]]:
    stream = io.BytesIO(content)
    header = nrrd.read_header(stream)
    return nrrd.read_data(header, stream, index_order="C"), header


def read_tiff(content: bytes) -> np.ndarray:
    return tifffile.imread(io.BytesIO(content))
