"""Makes the table of formats in ``core/docs/formats.md`` from the formats themselves: ``python -m`` this module."""

from __future__ import annotations

from pathlib import Path

from zarrcore.formats import FORMATS, Format

DOCUMENT = Path(__file__).parents[3] / "core" / "docs" / "formats.md"
START, END = "<!-- table -->\n", "<!-- end -->"
_HEADS = (
    "Name",
    "Format",
    "Read",
    "Written",
    "Found by",
    "Documents of `/foo`",
    "A chunk of it",
    "Groups without document",
)


def table() -> str:
    """The table."""
    rows = [_HEADS, ("---",) * len(_HEADS), *map(_row, sorted(FORMATS, key=lambda known: not known.writable))]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(known: Format) -> tuple[str, ...]:
    chunk = known.chunk_prefix("/foo") + known.default_chunk_key_encoding().encode((0, 1))
    return (
        f"`{known.name}`",
        f"[{known.title}]({known.specification})",
        "yes",
        "yes" if known.writable else "no",
        ", ".join(f"`{key}`" for key in known.deciding_keys),
        ", ".join(f"`{key}`" for key in known.document_keys("/foo")),
        f"`{chunk}`",
        "no" if not known.implicit_groups else "yes" if known.implicit_root else "below the root",
    )


def with_table(text: str) -> str:
    """A document with the table between its marks."""
    before, _, rest = text.partition(START)
    return before + START + table() + END + rest.partition(END)[2]


if __name__ == "__main__":
    DOCUMENT.write_text(with_table(DOCUMENT.read_text("utf-8")), "utf-8")
