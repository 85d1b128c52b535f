"""Each module with logic has a test module at the mirrored path."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

ROOT = Path(__file__).parents[2]
PLACES: Final = {
    "core/zarrcore": "tests/core",
    "zfs/zarrfs": "tests/zfs",
    "browser/zarrbrowser": "tests/browser",
}
BRANCHES: Final = (ast.If, ast.For, ast.While, ast.Try, ast.comprehension, ast.IfExp)
FEW: Final = 4
"""A module with fewer branches and loops than this needs no test module."""


def branches(module: Path) -> int:
    return sum(isinstance(node, BRANCHES) for node in ast.walk(ast.parse(module.read_text("utf-8"))))


def test_each_module_with_logic_has_a_test_module_at_the_mirrored_path() -> None:
    missing = []
    for package, tests in PLACES.items():
        for module in sorted((ROOT / package).rglob("*.py")):
            mirrored = ROOT / tests / module.relative_to(ROOT / package).with_name(f"test_{module.name}")
            if module.name != "__init__.py" and not mirrored.exists() and branches(module) >= FEW:
                missing.append(f"{module.relative_to(ROOT)} → {mirrored.relative_to(ROOT)}")
    assert missing == []
