"""Optional packages that decode."""

from __future__ import annotations

import importlib
from typing import Any

from zarrcore.errors import UnsupportedError


def optional_package(package: str, codec: str, extra: str) -> Any:
    """A package.

    Args:
        package: its name.
        codec: the name of the codec that needs it.
        extra: the extra of zarrscope that installs it.

    Raises:
        UnsupportedError: it is not installed.
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        why = f"needs an optional package: pip install 'zarrscope[{extra}]'"
        raise UnsupportedError("codec", codec, why) from error
