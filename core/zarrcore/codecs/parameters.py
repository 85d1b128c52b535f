"""Checks of codec parameters."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from zarrcore.errors import MetadataError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.data_type import numpy_dtype
from zarrcore.metadata.json_document import describe
from zarrcore.metadata.named_configuration import parse_named_configuration


def integer(
    configuration: Mapping[str, Any],
    name: str,
    default: int | None = None,
    *,
    minimum: int | None = None,
    maximum: int | None = None,
) -> int:
    """An integer parameter.

    Raises:
        MetadataError: it is missing without a default, not an integer, or beyond a limit.
    """
    value = configuration.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise MetadataError(f"expected an integer, found {describe(value)}", member=name)
    if minimum is not None and value < minimum:
        raise MetadataError(f"expected at least {minimum:,}, found {value:,}", member=name)
    if maximum is not None and value > maximum:
        raise MetadataError(f"expected at most {maximum:,}, found {value:,}", member=name)
    return value


def number(configuration: Mapping[str, Any], name: str) -> float:
    """A finite number.

    Raises:
        MetadataError: anything else.
    """
    value = configuration.get(name)
    # A JSON integer may be larger than any float.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        raise MetadataError(f"expected a finite number, found {describe(value)}", member=name)
    return value


def boolean(configuration: Mapping[str, Any], name: str, default: bool) -> bool:
    """A parameter that is true or false.

    Raises:
        MetadataError: anything else.
    """
    value = configuration.get(name, default)
    if not isinstance(value, bool):
        raise MetadataError(f"expected true or false, found {describe(value)}", member=name)
    return value


def known(configuration: Mapping[str, Any], *names: str) -> None:
    """Check that a configuration has only known parameters: an unknown one may change the meaning of the bytes.

    Raises:
        MetadataError: another parameter.
    """
    for name in configuration.keys() - set(names):
        raise MetadataError("the codec does not have this parameter", member=name)


def choice(configuration: Mapping[str, Any], name: str, allowed: tuple[str, ...], default: str | None) -> str:
    """A string parameter out of ``allowed``.

    Raises:
        MetadataError: anything else.
    """
    value = configuration.get(name, default)
    if value not in allowed or not isinstance(value, str):
        raise MetadataError(f"expected one of {', '.join(allowed)}, found {describe(value)}", member=name)
    return value


def codecs(configuration: Mapping[str, Any], name: str) -> tuple[NamedConfiguration, ...]:
    """Other codecs.

    Raises:
        MetadataError: anything else.
    """
    value = configuration.get(name)
    if not isinstance(value, list):
        raise MetadataError(f"expected an array of codecs, found {describe(value)}", member=name)
    return tuple(parse_named_configuration(item, f"{name}[{place}]") for place, item in enumerate(value))


def dtype(configuration: Mapping[str, Any], name: str) -> np.dtype[Any]:
    """A NumPy dtype of fixed size.

    Raises:
        MetadataError: anything else.
    """
    value = configuration.get(name)
    found = numpy_dtype(value, name)
    if found.hasobject or found.subdtype is not None or not found.itemsize:
        raise MetadataError(f"expected a NumPy dtype of fixed size, found {describe(value)}", member=name)
    return found
