"""Importing other packages while other threads import, too.

Python locks each module by itself. A thread that imports ``package.part`` holds the lock of the part while it waits for the
package; a thread that imports the package needs the part. Python then gives one of them a half-initialized module. So the
package comes first, and one thread at a time imports packages that have parts.

The lock is only for packages of others: they never import zarrcore, so no thread waits for a module of zarrcore while it holds
the lock.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from typing import Any

from zarrcore.errors import InternalError, MissingExtraError, ZarrError

_importing = threading.RLock()


def imported(name: str) -> Any:
    """A module of another package.

    >>> imported("xml.dom").__name__
    'xml.dom'
    """
    package, *parts = name.split(".")
    with _importing:
        module = importlib.import_module(package)
        for part in parts:
            package = f"{package}.{part}"
            module = importlib.import_module(package)
        return module


def imported_if_installed(name: str, missing: Callable[[], ZarrError]) -> Any:
    """A module of an optional package.

    Raises:
        ZarrError: what ``missing`` returns; the package is not installed.
        InternalError: it is installed, and importing it fails.
    """
    try:
        return imported(name)
    except ImportError as error:
        package = name.partition(".")[0]
        if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] == package:
            raise missing() from error
        raise InternalError(f"the package {package} is installed, but cannot be imported: {error}") from error


def from_extra(name: str, what: str, extra: str) -> Any:
    """A module of an optional package that an extra of zarrscope installs.

    Args:
        name: the module.
        what: what needs it.
        extra: the extra.

    Raises:
        MissingExtraError: it is not installed.
        InternalError: it is installed, and importing it fails.
    """
    return imported_if_installed(name, lambda: MissingExtraError(what, extra))
