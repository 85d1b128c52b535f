"""Pipelines of the codecs of zarrs."""

from __future__ import annotations

from typing import Any

import numpy as np

from zarrcore.codecs import ArraySpec, Pipeline
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.fill_value import zero

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}


URL = "https://codec.zarrs.dev"


def pipeline(codecs: list[Any], dtype: np.dtype[Any], shape: tuple[int, ...]) -> Pipeline:
    named = [
        NamedConfiguration(codec) if isinstance(codec, str) else NamedConfiguration(*codec)
        for codec in codecs
    ]
    return Pipeline(named, ArraySpec(shape, dtype, zero(dtype)))
