"""Makes the table of options in ``core/docs/store_options.md`` from the options themselves: ``python -m`` this module."""

from __future__ import annotations

from pathlib import Path

from zarrcore.stores import STORE_OPTIONS, StoreOption

DOCUMENT = Path(__file__).parents[3] / "core" / "docs" / "store_options.md"
START, END = "<!-- table -->\n", "<!-- end -->"
_HEADS = ("Python", "Command line", "What it does", "Stores")


def table() -> str:
    """The table."""
    rows = [_HEADS, ("---",) * len(_HEADS), *map(_row, STORE_OPTIONS)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(option: StoreOption) -> tuple[str, ...]:
    argument = " ".join(filter(None, (option.argument, option.metavar)))
    return (f"`{option.name}`", f"`{argument}`" if argument else "", option.help, ", ".join(option.stores))


def with_table(text: str) -> str:
    """The document with the new table between its marks."""
    before, _, rest = text.partition(START)
    return before + START + table() + END + rest.partition(END)[2]


if __name__ == "__main__":
    DOCUMENT.write_text(with_table(DOCUMENT.read_text("utf-8")), "utf-8")
