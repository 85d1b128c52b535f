"""DEST, or a SOURCE that is made."""

from __future__ import annotations

from typing import Final

_ELEMENTS_ONLY: Final = frozenset({"npy", "png"})
"""Files that are written, but hold no hierarchy to be read."""


def check_destination(text: str, *, is_repository: bool = False, is_copy: bool = False) -> None:
    """Refuse what `zarrcore.stores.destination` refuses, and names of files that only ``cat`` writes.

    Args:
        text: the place.
        is_repository: whether an Icechunk repository is written.
        is_copy: whether a source is copied, which may be written as a file instead.

    Raises:
        SelectionError: it is refused.
    """
    from zarrcore.filetypes import file_type_of
    from zarrcore.stores import destination

    written = file_type_of(text)
    title = written.title if written is not None and written.suffix in _ELEMENTS_ONLY else ""
    advice = ""
    if is_copy and not is_repository and written is not None:
        advice = f"zarrscope cat … -o {text} writes such a file, and "
    destination.check_destination(text, is_repository=is_repository, title=title, advice=advice)
