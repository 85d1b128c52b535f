"""Errors as a person reads them: one sentence, first letter large, a full stop at the end."""

from __future__ import annotations


def sentence(error: BaseException) -> str:
    """What went wrong, in one sentence.

    >>> sentence(ValueError("chunk c/0/0 is short"))
    'Chunk c/0/0 is short.'
    >>> sentence(MemoryError())
    'There is not enough memory for this.'
    """
    if isinstance(error, MemoryError):
        return "There is not enough memory for this."
    # An error without a text is one that nobody foresaw; its name is all there is to tell.
    text = str(error).strip() or f"unexpected {type(error).__name__}"
    first = text[0] if _is_name(text) else text[0].upper()
    return first + text[1:] + ("" if text[-1] in ".!?" else ".")


def _is_name(text: str) -> bool:
    """Whether the text opens with a key, path or URL, whose first letter must stay as it is."""
    word = text.split(maxsplit=1)[0]
    return any(mark in word for mark in "/:._")
