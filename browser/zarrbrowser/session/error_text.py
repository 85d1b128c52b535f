"""Errors as text for the user: one sentence, capitalised, with a full stop."""

from __future__ import annotations

from zarrcore.errors import MetadataError, UnsupportedError


def sentence(error: BaseException) -> str:
    """The error as one sentence.

    >>> sentence(ValueError("chunk c/0/0 is short"))
    'Chunk c/0/0 is short.'
    >>> sentence(MemoryError())
    'There is not enough memory for this.'
    """
    if isinstance(error, MemoryError):
        return "There is not enough memory for this."
    # An error without text is unexpected: only its name is known.
    text = str(error).strip() or f"unexpected {type(error).__name__}"
    first = text[0] if _is_name(text) else text[0].upper()
    return first + text[1:] + ("" if text[-1] in ".!?" else ".")


def consequence(error: BaseException) -> str:
    """What a node's error means for the user, in addition to its message; may be empty.

    >>> from zarrcore.errors import UnsupportedError
    >>> consequence(UnsupportedError("codec", "turbo"))
    'Without the codec turbo its chunks cannot be decoded. Install a package that adds it to zarrcore.'
    """
    if not isinstance(error, UnsupportedError):
        return (
            "Its document must be repaired before it can be opened."
            if isinstance(error, MetadataError)
            else ""
        )
    lack = f"Without the {error.kind} {error.name} its chunks cannot be decoded."
    if error.kind in ("codec", "data type"):
        lack += " Install a package that adds it to zarrcore."
    return lack


def _is_name(text: str) -> bool:
    """Whether the text starts with a key, path or URL, which must not be capitalised."""
    word = text.split(maxsplit=1)[0]
    return any(mark in word for mark in "/:._")
