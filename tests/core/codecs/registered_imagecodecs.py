"""The codecs of imagecodecs for zarr-python, as far as the installed version has them."""

from __future__ import annotations

import importlib.util

import imagecodecs.numcodecs

HAS_VERSION_3 = importlib.util.find_spec("imagecodecs.zarr") is not None
"""Whether zarr-python can decode them in Zarr v3: releases of imagecodecs for Python 3.11 do not have that."""


def register() -> None:
    """Let zarr-python decode them."""
    imagecodecs.numcodecs.register_codecs(verbose=False)
    if HAS_VERSION_3:
        from imagecodecs.zarr import register_codecs

        register_codecs()
