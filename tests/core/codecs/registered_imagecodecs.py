"""The codecs of imagecodecs for zarr-python, as far as the installed version has them."""

from __future__ import annotations

import importlib.util

import imagecodecs.numcodecs
import pytest

HAS_VERSION_3 = importlib.util.find_spec("imagecodecs.zarr") is not None
"""Whether zarr-python can decode them in Zarr v3: releases of imagecodecs for Python 3.11 do not have that."""

HAS_B2ND = hasattr(imagecodecs.numcodecs, "B2nd")
"""Whether it has the codec of Blosc2 arrays, which its releases for Python 3.11 do not have."""

needs_b2nd = pytest.mark.skipif(not HAS_B2ND, reason="this release of imagecodecs has no codec B2nd")


def register() -> None:
    """Let zarr-python decode them."""
    imagecodecs.numcodecs.register_codecs(verbose=False)
    if HAS_VERSION_3:
        from imagecodecs.zarr import register_codecs

        register_codecs()
