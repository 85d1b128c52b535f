"""Writes the tree of folders in ``core/docs/architecture.md`` from the packages' docstrings: ``python -m`` this module."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "core" / "docs" / "architecture.md"
START, END = "<!-- folders -->\n", "<!-- end -->"
PACKAGES = ("core/zarrcore", "zfs/zarrfs", "browser/zarrbrowser")


def packages() -> list[Path]:
    """All folders that are Python packages, parents first."""
    return sorted(path.parent for top in PACKAGES for path in (ROOT / top).rglob("__init__.py"))


def summary(package: Path) -> str:
    """The first line of a package's docstring."""
    docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8")))
    assert docstring is not None, package
    return docstring.partition("\n")[0]


def tree() -> str:
    """One table for each package, one line for each folder."""
    tables = []
    for top in PACKAGES:
        rows = ["| Folder | What is in it |", "|---|---|"]
        for package in packages():
            if package.is_relative_to(ROOT / top):
                name = package.relative_to((ROOT / top).parent).as_posix()
                rows.append(f"| `{name}/` | {summary(package)} |")
        tables.append("\n".join(rows) + "\n")
    return "\n".join(tables)


def with_tree(text: str) -> str:
    """A document with the tree between its marks."""
    before, _, rest = text.partition(START)
    return before + START + tree() + END + rest.partition(END)[2]


if __name__ == "__main__":
    DOCUMENT.write_text(with_tree(DOCUMENT.read_text("utf-8")), "utf-8")
