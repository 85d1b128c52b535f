"""Former names of methods of `Format`, which formats of other packages may still override or call."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Final

RENAMED: Final = {
    "bound": "configure",
    "found": "detect",
    "settled": "resolve",
    "comparable": "normalize",
    "parse_told": "parse_consolidated",
    "told_documents": "split_documents",
}


def adopt_renamed(cls: type) -> None:
    """Rename methods that a class defines under an old name, with a DeprecationWarning."""
    for old, new in RENAMED.items():
        if old in vars(cls) and new not in vars(cls):
            warnings.warn(f"{cls.__name__}.{old} is called {new} now", DeprecationWarning, stacklevel=3)
            setattr(cls, new, vars(cls)[old])


def old_name(old: str) -> Callable[..., Any]:
    """A method that warns and calls the renamed one."""
    new = RENAMED[old]

    def call(self: Any, *arguments: Any, **keywords: Any) -> Any:
        warnings.warn(f"Format.{old} is called {new} now", DeprecationWarning, stacklevel=2)
        return getattr(self, new)(*arguments, **keywords)

    return call
