"""What the installed zarr-python can do, asked of zarr-python itself: tests skip what it lacks."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import zarr
import zarr.registry
from zarr.dtype import parse_dtype

RECTILINEAR = "array.rectilinear_chunks"
"""The switch for rectilinear chunk grids."""

PIPELINES = ("BatchedCodecPipeline", "FusedCodecPipeline")
"""Its own codec pipelines, by the names of their classes."""

PIPELINE_OF_ZARRS = "ZarrsCodecPipeline"
"""The pipeline that the package zarrs gives it, another implementation of the codecs."""


@contextmanager
def configured(**options: Any) -> Iterator[None]:
    """Its configuration within the block; ``__`` stands for the dot of a name. Its warnings are ignored, but not ours."""
    settings = {name.replace("__", "."): value for name, value in options.items()}
    with zarr.config.set(settings), warnings.catch_warnings(action="ignore"):
        warnings.filterwarnings("error", module=r"zarrcore\b")
        yield


def use_pipeline(name: str) -> Any:
    """Use one of these pipelines within the block; skip the test if the installed release does not have it."""
    module = importlib.import_module("zarrs" if name == PIPELINE_OF_ZARRS else "zarr.core.codec_pipeline")
    if not hasattr(module, name):
        pytest.skip(f"zarr-python without a {name}")
    return configured(codec_pipeline__path=f"{module.__name__}.{name}")


def has_rectilinear_grids() -> bool:
    """Whether it reads and writes rectilinear chunk grids."""
    return zarr.config.get(RECTILINEAR, None) is not None


def has_data_type(document: Any) -> bool:
    """Whether it reads arrays of Zarr v3 with this data type."""
    try:
        with warnings.catch_warnings(action="ignore"):
            parse_dtype(document, zarr_format=3)
    except ValueError:
        return False
    return True


def has_codec(name: str) -> bool:
    """Whether it registers a codec of this name for Zarr v3."""
    try:
        with warnings.catch_warnings(action="ignore"):
            zarr.registry.get_codec_class(name)
    except (KeyError, ValueError):
        return False
    return True
