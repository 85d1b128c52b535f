"""Checks of invalid values before a store is opened.

The messages do not quote the refused value, because it may be a secret.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final
from urllib.parse import SplitResult, urlsplit

from zarrcore import sizes
from zarrcore.errors import StoreError
from zarrcore.stores.schemes import canonical_scheme

_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE: Final = re.compile(r"[\t -~]*")
_HOST: Final = re.compile(r"[^\s\0-\x20\x7f\"<>\\^`{|}]+")
_BUCKET: Final = re.compile(r"(?=.*[A-Za-z0-9])[A-Za-z0-9$._-]{1,255}")
_NAMED: Final = frozenset({"s3", "gs", "az", "abfs", "http", "https"})
"""Schemes whose URLs name a bucket or server."""
_LONGEST_S: Final = 1e6
_MOST_RETRIES: Final = 1000


def is_encodable(text: str) -> bool:
    """Whether the operating system allows this name: without NUL and without half a surrogate pair."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def check_place(text: str) -> None:
    """Refuse text that is neither a path nor a URL.

    Raises:
        StoreError: it is empty, or has characters that no name can have.
    """
    if not text:
        raise StoreError("an empty path is not a store; write '.' for the current directory")
    if not is_encodable(text):
        raise StoreError("a path or URL must not contain NUL or half a surrogate pair")


def check_address(
    url: str, what: str = "the URL of a web server", example: str = "http://host:port/path"
) -> SplitResult:
    """The parts of the URL of a server.

    Raises:
        StoreError: the server is missing or invalid.
    """
    try:
        url.encode()
        parts = urlsplit(url)
        fitting = parts.port != 0 and _HOST.fullmatch(parts.hostname or "") is not None
    except ValueError:
        fitting = False
    if not fitting or parts.scheme not in {"http", "https"}:
        raise StoreError(f"{what} needs the name of a server, and a port of 1 to 65535 if any: {example}")
    return parts


def check_bucket(name: str) -> None:
    """Refuse invalid names of buckets, containers and accounts, which may crash obstore.

    Raises:
        StoreError: an invalid character.
    """
    if _BUCKET.fullmatch(name) is None:
        raise StoreError(
            f"{name!r} is not the name of a bucket: use letters, digits, dots, hyphens and underscores"
        )


def check_header(name: str, value: str) -> None:
    """Refuse a header that cannot be sent.

    Raises:
        StoreError: an invalid character.
    """
    if _HEADER_NAME.fullmatch(name) is None:
        raise StoreError("the name of a header is made of ASCII letters, digits and hyphens")
    if _HEADER_VALUE.fullmatch(value) is None:
        raise StoreError(f"the header {name} may contain only printable ASCII characters")


def check_headers(headers: Mapping[str, str]) -> None:
    """Refuse headers that cannot be sent.

    Raises:
        StoreError: an invalid character.
    """
    for name, value in headers.items():
        check_header(name, value)


def parse_header(text: str) -> tuple[str, str]:
    """Name and value of a header in text form; a value ``@FILE`` is read from that file.

    Raises:
        ValueError: there is no colon, or the file cannot be read.

    >>> parse_header("Authorization: Bearer abc")
    ('Authorization', 'Bearer abc')
    """
    name, colon, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not colon:
        raise ValueError("a header is written 'NAME: VALUE'")
    if value.startswith("@"):  # a secret on a command line is visible to every user who can list processes
        try:
            with open(value[1:], encoding="utf-8") as file:
                value = file.read().strip()
        except OSError as error:
            raise ValueError(f"cannot read {value[1:]}: {error.strerror}") from error
        except ValueError as error:  # the error's own message would quote the file
            raise ValueError(f"{value[1:]} is not a text file") from error
    return name, value


def check_endpoint(url: str | None) -> None:
    """Refuse an endpoint that is not the address of a server.

    Raises:
        StoreError: the server is missing or invalid.
    """
    if url:
        check_address(url, "the endpoint")


def parse_prefix(text: str) -> str:
    """A folder or URL of a command line; a folder as an absolute path, since a daemon changes its working directory.

    >>> parse_prefix("s3://bucket/"), parse_prefix("/data/../x")
    ('s3://bucket/', '/x')
    """
    return text if "://" in text or not text else os.path.abspath(os.path.expanduser(text))


def check_prefixes(prefixes: Sequence[str]) -> None:
    """Refuse prefixes of places that name none.

    Raises:
        StoreError: one of them is empty, or no bucket or server is named; or there is one text and no sequence.
    """
    if isinstance(prefixes, str):
        raise StoreError("allow_targets is a list of folders and URLs, not one text")
    for prefix in prefixes:
        scheme, mark, rest = prefix.partition("://")
        if not prefix or (mark and canonical_scheme(scheme) in _NAMED and not rest.partition("/")[0]):
            raise StoreError(
                f"{prefix!r} is no place to allow: write a folder, s3://bucket/ or https://server/folder/"
            )


def check_level(level: str) -> None:
    """Refuse an unknown level of the rule for what data may name.

    Raises:
        StoreError: it is neither ``own`` nor ``shared``.
    """
    if level not in {"own", "shared"}:
        raise StoreError("targets is own or shared")


def check_sendable(text: str | None, what: str) -> None:
    """Refuse characters that cannot be in a header, because they would crash obstore's sending thread.

    Raises:
        StoreError: an invalid character.
    """
    if text and _HEADER_VALUE.fullmatch(text) is None:
        raise StoreError(
            f"{what} has characters that cannot be sent in a request; is there a line break at its end?"
        )


def parse_number(kind: type[int] | type[float]) -> Callable[[str], float]:
    """A function that converts text to a number, or raises ValueError.

    >>> parse_number(int)("3")
    3
    """

    def parse(text: str) -> float:
        try:
            return sizes.parse_number(text, kind)
        except ValueError as error:
            raise ValueError(f"{text!r} is not a number") from error

    return parse


def check_timeout(seconds: float) -> None:
    """Refuse an invalid deadline.

    Raises:
        StoreError: not a positive number, or too long to be intended.
    """
    if not 0 < seconds < _LONGEST_S:
        raise StoreError(f"the timeout must be a number of seconds above 0 and below {_LONGEST_S:.0f}")


def check_retries(count: int) -> None:
    """Refuse an invalid number of repeats.

    Raises:
        StoreError: negative, or too many to be intended.
    """
    if not 0 <= count <= _MOST_RETRIES:
        raise StoreError(f"the number of retries must be a whole number from 0 to {_MOST_RETRIES}")
