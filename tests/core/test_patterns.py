"""Regular expressions of all packages mean the same in each Python."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
QUANTIFIED_GROUP = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+")
SAFE = {"LITERAL", "NOT_LITERAL", "ANY", "IN", "ATOMIC_GROUP"}


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The patterns of modules in which a possessive quantifier seems to follow a group."""
    for package in ("core/zarrcore", "core/zarrscope", "zfs/zarrfs", "browser/zarrbrowser"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if QUANTIFIED_GROUP.search(path.read_text("utf-8")):
                name = ".".join(path.relative_to(ROOT).with_suffix("").parts[1:])
                for variable, value in vars(importlib.import_module(name)).items():
                    if isinstance(value, re.Pattern):
                        yield f"{name}.{variable}", value


def repeated(parsed: Any) -> Iterator[str]:
    """What begins each thing that a possessive quantifier repeats."""
    if isinstance(parsed, re._parser.SubPattern | list | tuple):  # type: ignore[attr-defined]
        if len(parsed) == 2 and str(parsed[0]) == "POSSESSIVE_REPEAT":
            body = parsed[1][2]
            yield str(body[0][0]) if len(body) == 1 else "SEQUENCE"
        for part in parsed:
            yield from repeated(part)


def test_what_a_possessive_quantifier_repeats_is_one_character_or_atomic() -> None:
    """Before 3.11.5, Python keeps what the attempt that failed had consumed, unless the group is atomic."""
    found = {
        name: set(repeated(re._parser.parse(pattern.pattern, pattern.flags)))  # type: ignore[attr-defined]
        for name, pattern in patterns()
    }
    assert sum("ATOMIC_GROUP" in kinds for kinds in found.values()) >= 4
    assert {name: kinds - SAFE for name, kinds in found.items() if kinds - SAFE} == {}
