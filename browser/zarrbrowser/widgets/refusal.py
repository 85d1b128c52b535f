"""The mark of a field whose text cannot be used: the text stays, so that it can be mended."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from zarrbrowser.widgets.tooltip import tooltip


def refuse(line: QWidget, why: str) -> None:
    """Mark a field, and say why in its tooltip; an empty reason removes the mark."""
    was_refused = bool(line.property("refused"))
    if not why and not was_refused:
        return
    if not was_refused:
        line.setProperty("hint", line.toolTip())
    line.setProperty("refused", bool(why))
    line.setToolTip(tooltip(why) if why else line.property("hint"))
    line.setAccessibleDescription(why)
    line.style().polish(line)
