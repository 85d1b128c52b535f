"""What no store can be opened with, refused in one sentence before anything is tried.

None of the sentences quotes what it refuses, which may be a secret.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import SplitResult, urlsplit

from zarrcore.errors import StoreError

_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE: Final = re.compile(r"[\t -~]*")
_HOST: Final = re.compile(r"[^\s\0-\x20\x7f\"<>\\^`{|}]+")
_BUCKET: Final = re.compile(r"(?=.*[A-Za-z0-9])[A-Za-z0-9$._-]{1,255}")
_LONGEST_S: Final = 1e6
_MOST_RETRIES: Final = 1000


def is_encodable(text: str) -> bool:
    """Whether the operating system can hold a name like this: without NUL and without half a surrogate pair."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def check_place(text: str) -> None:
    """Refuse what is neither a path nor a URL.

    Raises:
        StoreError: it is empty, or holds what no name can.
    """
    if not text:
        raise StoreError("an empty path names no store; the current directory is written '.'")
    if not is_encodable(text):
        raise StoreError("a path or URL can hold neither NUL nor half a surrogate pair")


def check_address(
    url: str, what: str = "the URL of a web server", example: str = "http://host:port/path"
) -> SplitResult:
    """The parts of the URL of a server.

    Raises:
        StoreError: it has no server, or one that cannot be.
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
    """Refuse what no service takes for the name of a bucket, a container or an account; obstore may break on it.

    Raises:
        StoreError: a character that may not be there.
    """
    if _BUCKET.fullmatch(name) is None:
        raise StoreError(f"{name!r} names no bucket: letters, digits, dots, hyphens and underscores do")


def check_header(name: str, value: str) -> None:
    """Refuse what cannot be sent as an HTTP header.

    Raises:
        StoreError: a character that may not be there.
    """
    if _HEADER_NAME.fullmatch(name) is None:
        raise StoreError("the name of a header is made of ASCII letters, digits and hyphens")
    if _HEADER_VALUE.fullmatch(value) is None:
        raise StoreError(f"the header {name} can hold nothing but printable ASCII characters")


def check_headers(headers: Mapping[str, str]) -> None:
    """Refuse headers that cannot be sent.

    Raises:
        StoreError: a character that may not be there.
    """
    for name, value in headers.items():
        check_header(name, value)


def parse_header(text: str) -> tuple[str, str]:
    """Name and value of a header that a person wrote; a value ``@FILE`` is read from that file.

    Raises:
        ValueError: there is no colon, or the file cannot be read.

    >>> parse_header("Authorization: Bearer abc")
    ('Authorization', 'Bearer abc')
    """
    name, colon, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not colon:
        raise ValueError("a header is written 'NAME: VALUE'")
    if value.startswith("@"):  # every user who can list processes sees a secret on a command line
        try:
            with open(value[1:], encoding="utf-8") as file:
                value = file.read().strip()
        except OSError as error:
            raise ValueError(f"cannot read {value[1:]}: {error.strerror}") from error
        except ValueError as error:  # its message would quote the file
            raise ValueError(f"{value[1:]} is not a text file") from error
    return name, value


def check_endpoint(url: str | None) -> None:
    """Refuse an endpoint that is not the address of a server.

    Raises:
        StoreError: there is no server in it, or one that cannot be.
    """
    if url:
        check_address(url, "the endpoint")


def check_sendable(text: str | None, what: str) -> None:
    """Refuse what cannot be part of a header, and on which obstore would give up the thread that sends it.

    Raises:
        StoreError: a character that may not be there.
    """
    if text and _HEADER_VALUE.fullmatch(text) is None:
        raise StoreError(
            f"{what} holds characters that no request can carry; is there a line break at its end?"
        )


def parse_number(kind: type[int] | type[float]) -> Callable[[str], float]:
    """A function that makes a number of text, or raises ValueError.

    >>> parse_number(int)("3")
    3
    """

    def parse(text: str) -> float:
        try:
            return kind(text)
        except ValueError as error:
            raise ValueError(f"{text!r} is not a number") from error

    return parse


def check_timeout(seconds: float) -> None:
    """Refuse what is no deadline.

    Raises:
        StoreError: it is none, or too long to be meant.
    """
    if not 0 < seconds < _LONGEST_S:
        raise StoreError(f"a timeout is a number of seconds above 0 and below {_LONGEST_S:.0f}")


def check_retries(count: int) -> None:
    """Refuse what is no number of repeats.

    Raises:
        StoreError: it is negative, or too many to be meant.
    """
    if not 0 <= count <= _MOST_RETRIES:
        raise StoreError(f"the retries are a whole number from 0 to {_MOST_RETRIES}")
