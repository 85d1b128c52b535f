"""The targets, by name."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from typing import Protocol, cast

from tests.proofs.fuzz import targets


class Target(Protocol):
    """A module of ``targets``."""

    def check(self, data: bytes) -> None:
        """Raise what contradicts zarrscope's promises for this input."""

    def examples(self) -> Iterable[bytes]:
        """Valid inputs to begin with."""


def words_of(target: Target) -> list[bytes]:
    """Words of the input's language, which the fuzzer inserts."""
    return [word.encode() for word in getattr(target, "WORDS", ())]


def max_length_of(target: Target) -> int | None:
    """The longest useful input, if inputs only choose changes to examples."""
    longest: int | None = getattr(target, "MAX_LENGTH", None)
    return longest


def target_names() -> list[str]:
    """The modules of ``targets``, with hyphens."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(targets.__path__))


def load_target(name: str) -> Target:
    """Import the target of a name."""
    return cast("Target", importlib.import_module(f"{targets.__name__}.{name.replace('-', '_')}"))
