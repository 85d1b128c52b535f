"""Errors as a person reads them: one sentence, first letter large, a full stop at the end."""

from __future__ import annotations

from zarrcore.errors import MetadataError, UnsupportedError


def sentence(error: BaseException) -> str:
    """What went wrong, in one sentence.

    >>> sentence(ValueError("chunk c/0/0 is short"))
    'Chunk c/0/0 is short.'
    >>> sentence(MemoryError())
    'There is not enough memory for this.'
    """
    if isinstance(error, MemoryError):
        return "There is not enough memory for this."
    # An error without a text was not foreseen: its name is all that can be said.
    text = str(error).strip() or f"unexpected {type(error).__name__}"
    first = text[0] if _is_name(text) else text[0].upper()
    return first + text[1:] + ("" if text[-1] in ".!?" else ".")


def consequence(error: BaseException) -> str:
    """What a node's error means for the person, beside the error itself; empty where that says all.

    >>> from zarrcore.errors import UnsupportedError
    >>> consequence(UnsupportedError("codec", "turbo"))
    'Without the codec turbo its chunks cannot be decoded. A package that adds it to zarrcore makes it readable.'
    """
    if not isinstance(error, UnsupportedError):
        return (
            "Its document has to be mended before it can be opened."
            if isinstance(error, MetadataError)
            else ""
        )
    lack = f"Without the {error.kind} {error.name} its chunks cannot be decoded."
    if error.kind in ("codec", "data type"):
        lack += " A package that adds it to zarrcore makes it readable."
    return lack


def _is_name(text: str) -> bool:
    """Whether the text opens with a key, path or URL, whose first letter must stay as it is."""
    word = text.split(maxsplit=1)[0]
    return any(mark in word for mark in "/:._")
