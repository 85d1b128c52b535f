"""The table of keys in the guide, generated from the browser's table of commands.

python -m tests.browser.keys_of_guide    writes it into browser/docs/guide.md
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QKeySequence

from zarrbrowser.window.commands import key_table

GUIDE = Path(__file__).parents[2] / "browser" / "docs" / "guide.md"
_HEADING = "## Keys\n"


def section() -> str:
    """The last section of the guide."""
    lines = [_HEADING, "| where | what | keys |", "|---|---|---|"]
    for title, rows in key_table(QKeySequence.SequenceFormat.PortableText):
        lines += [
            f"| {title if not number else ''} | {what} | {keys} |" for number, (what, keys) in enumerate(rows)
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = GUIDE.read_text().partition(_HEADING)[0].rstrip()
    GUIDE.write_text(f"{text}\n\n{section()}")
