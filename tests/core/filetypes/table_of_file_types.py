"""Make the table of file types in ``core/docs/filetypes.md`` from their registry: ``python -m`` this module."""

from __future__ import annotations

from pathlib import Path

from zarrcore.filetypes import FILE_TYPES, FileType

DOCUMENT = Path(__file__).parents[3] / "core" / "docs" / "filetypes.md"
START, END = "<!-- table -->\n", "<!-- end -->"
_HEADS = ("Suffix", "`--as`", "File type", "Holds", "A part of an array", "In a mount", "Media type")


def table() -> str:
    """The table."""
    rows = [_HEADS, ("---",) * len(_HEADS), *map(_row, FILE_TYPES)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(kind: FileType) -> tuple[str, ...]:
    return (
        ", ".join(f"`{suffix}`" for suffix in (kind.suffix, *kind.other_names)),
        f"`{kind.name}`",
        kind.title,
        kind.holds,
        "yes" if kind.takes_selection else "no",
        "strings only" if kind.suffix == "json" else "no" if kind.is_text else _shown(kind),
        f"`{kind.media_type}`",
    )


def _shown(kind: FileType) -> str:
    return "listed" if kind.is_listed else "by name"


def with_table(text: str) -> str:
    """A document with the table between its marks."""
    before, _, rest = text.partition(START)
    return before + START + table() + END + rest.partition(END)[2]


if __name__ == "__main__":
    DOCUMENT.write_text(with_table(DOCUMENT.read_text("utf-8")), "utf-8")
