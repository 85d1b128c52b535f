"""Errors as text for the user: one sentence, capitalised, with a full stop."""

from __future__ import annotations

import errno
import re
import shlex
from typing import Final

from zarrcore.errors import (
    AccessDeniedError,
    BrokenReferenceError,
    MetadataError,
    UnreadableNodeError,
    UnsupportedError,
)
from zarrcore.stores import STORE_OPTIONS

_PHRASES = (
    (
        "give credentials with --header or in a netrc file, or treat it as absent with --treat-403-as-missing",
        "give credentials in a netrc file, or in the URL",
    ),
    ("give credentials with --header, in a netrc file, or in", "give credentials in a netrc file, or in"),
    ("give credentials with --profile or", "give credentials with Profile or"),
    ("name the region of the bucket with --region", "enter the region of the bucket as Region"),
    ("name it with --region", "enter it as Region"),
    ("give credentials instead of --anonymous", "give credentials, and switch Anonymous off"),
    ("choose another with --branch, --tag or --snapshot", "choose another in the list of versions"),
    ("(or --profile with s3://)", "(or Profile with s3://)"),
)
"""What zarrcore advises with options of the command line, and the same with the controls of the window."""
_IN_BRACKETS = re.compile(r"\s*\([^()]*(?<![\w-])--[a-z][^()]*\)")
"""Advice in brackets for which the window has no control."""
_ALLOWS = re.compile(r"; --allow-targets ('[^']*'|\S+) allows it")
"""A button of the window allows it."""
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
_LABELS = {str(one.argument): one.label.partition(":")[0] for one in STORE_OPTIONS if one.label}
CONNECTION: Final = "Connection…"
"""The button that asks for other credentials."""
_SYSTEM = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
}


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
    text = in_the_window(str(error).strip()) or f"unexpected {type(error).__name__}"
    if isinstance(error, OSError) and error.errno and error.strerror:  # without its number
        told = _SYSTEM.get(error.errno, error.strerror)
        text = told + (f": {error.filename}" if isinstance(error.filename, str) else "")
    first = text[0] if _is_name(text) else text[0].upper()
    return first + text[1:] + ("" if text[-1] in ".!?" else ".")


def in_the_window(text: str) -> str:
    """An error's text that names the controls of the window instead of options of the command line.

    >>> in_the_window("no answer within the time allowed (--timeout)")
    'no answer within the time allowed'
    >>> in_the_window("use --anonymous for a public bucket")
    'use Anonymous for a public bucket'
    """
    if "--" not in text:
        return text
    for theirs, ours in _PHRASES:
        text = text.replace(theirs, ours)
    text = _ALLOWS.sub("", _IN_BRACKETS.sub("", text))
    return _FLAG.sub(lambda match: _LABELS.get(match[0], match[0]), text)


def prefix_to_allow(error: BaseException) -> str:
    """The folder or URL that data name and the user may allow, so that the error goes away; empty for other errors.

    >>> prefix_to_allow(UnreadableNodeError("b.h5 is in '/x y/b.h5', which is outside; --allow-targets '/x y' allows it"))
    '/x y'
    """
    if isinstance(error, BrokenReferenceError):
        return error.allow or ""
    found = _ALLOWS.search(str(error)) if isinstance(error, UnreadableNodeError) else None
    return "" if found is None else shlex.split(found[1])[0]


def remedy(error: BaseException) -> str:
    """What a button beside an error does about it: `CONNECTION`, or allow a folder or URL; empty if nothing helps.

    >>> from zarrcore.errors import AccessDeniedError
    >>> remedy(AccessDeniedError("the token has expired", url="s3://bucket/a.zarr"))
    'Connection…'
    >>> remedy(AccessDeniedError("a.zarr may not be read", url="/data/a.zarr"))
    ''
    """
    # The error may be the reason of another one, or be within that of a node.
    refused: BaseException | None = error
    while refused is not None and not isinstance(refused, AccessDeniedError):
        refused = refused.__cause__
    if refused is not None and "://" in (getattr(refused, "url", None) or "").removeprefix("file://"):
        return CONNECTION
    return prefix_to_allow(error)


def consequence(error: BaseException) -> str:
    """What a node's error means for the user, in addition to its message; may be empty.

    >>> from zarrcore.errors import UnsupportedError
    >>> consequence(UnsupportedError("codec", "turbo"))
    'Without the codec turbo its chunks cannot be decoded. Install a package that adds it to zarrcore.'
    """
    if isinstance(error, UnreadableNodeError) or not isinstance(error, UnsupportedError):
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
