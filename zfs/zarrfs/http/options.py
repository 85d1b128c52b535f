"""The options of ``zarrscope serve``. Each is one field, with its default, its name on the command line and its help."""

from __future__ import annotations

import argparse
import re
import secrets
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from zarrfs.http.viewers import ANY_ORIGIN, VIEWERS
from zarrfs.tree_arguments import TreeArguments, flag, number, option

_AUTO: Final = "auto"
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/=-]+", re.ASCII)
_NAMES: Final = ", ".join(viewer.name for viewer in VIEWERS)


@dataclass(frozen=True, slots=True)
class Token:
    """What a request must have."""

    value: str = field(repr=False)
    """The text."""
    is_made: bool = False
    """Whether it was made for this server, so users do not know it before it is printed."""


def parse_token(text: str) -> Token:
    """A token: ``auto`` makes one, ``@FILE`` reads it from a file.

    >>> parse_token("s3cret"), parse_token("s3cret").value, len(parse_token("auto").value)
    (Token(is_made=False), 's3cret', 32)
    """
    if text == _AUTO:
        return Token(secrets.token_urlsafe(24), is_made=True)
    if text.startswith("@"):
        try:
            with open(text[1:], encoding="utf-8") as file:
                text = file.read().strip()
        except OSError as error:
            reason = (error.strerror or "it cannot be read").lower()
            raise argparse.ArgumentTypeError(f"cannot read {text[1:]}: {reason}") from error
        except ValueError as error:  # the error's own message would quote the file
            raise argparse.ArgumentTypeError(f"{text[1:]} is not a text file") from error
    if not _TOKEN.fullmatch(text):
        raise argparse.ArgumentTypeError("a token has letters, digits and the characters . _ ~ + / = - only")
    return Token(text)


def allowed_origin(text: str) -> str:
    """An origin: as a browser writes it, by the name of a viewer, or ``*`` for all.

    >>> allowed_origin("vizarr"), allowed_origin("HTTPS://viewer.example/"), allowed_origin("*")
    ('https://hms-dbmi.github.io', 'https://viewer.example', '*')
    """
    known = {viewer.name: viewer.origin for viewer in VIEWERS}
    if text in known or text == ANY_ORIGIN:
        return known.get(text, text)
    try:
        parts = urlsplit(text)
        is_origin = parts.scheme in {"http", "https"} and parts.hostname and parts.path in {"", "/"}
        has_more = (
            "@" in parts.netloc
            or parts.query
            or parts.fragment
            or (parts.port is None and parts.netloc.endswith(":"))
        )
    except ValueError:
        is_origin, has_more = False, False
    if not is_origin or has_more:
        raise argparse.ArgumentTypeError(
            f"expected an origin such as https://viewer.example, or one of {_NAMES}, or '*', found {text!r}"
        )
    return f"{parts.scheme}://{parts.netloc.lower()}"


def port_number(text: str) -> int:
    """A port.

    >>> port_number("8000")
    8000
    """
    return number(text, 0, 65535)


def request_count(text: str) -> int:
    """A number of requests.

    >>> request_count("256")
    256
    """
    return number(text, 1, 10_000)


@dataclass(frozen=True, slots=True)
class ServeOptions(TreeArguments):
    """How to serve a store."""

    host: str = option("host", "address to listen on", "127.0.0.1", metavar="HOST")
    """The address or name to listen on."""
    port: int = option("port", "port to listen on; 0 chooses a free one", "8000", port_number, "PORT")
    """The port to listen on; 0 for a free one."""
    token: Token | None = option(  # noqa: RUF009 - it makes a field
        "token",
        "answer only requests with this token; 'auto' makes one, @FILE reads it from a file",
        parse=parse_token,
        metavar="TOKEN",
    )
    """What a request must have; None if it needs nothing."""
    allow_everyone: bool = flag(
        "allow-everyone", "without a token, also answer other machines that can reach HOST"
    )
    """Whether other machines may read without a token."""
    origins: tuple[str, ...] = field(
        default=(),
        metadata={
            "name": "allow-origin",
            "keywords": {
                "action": "append",
                "type": allowed_origin,
                "default": [],
                "metavar": "ORIGIN",
                "help": f"let pages of this origin read: a URL such as https://viewer.example, a viewer ({_NAMES}),"
                " or '*' for all; may be repeated",
            },
        },
    )
    """The origins whose pages may read."""
    requests_max: int = option(
        "requests",
        "requests to answer at once; further ones get status 503, and so do those of one address beyond 7/8 of them",
        "256",
        request_count,
        "N",
    )
    """Requests to answer at once."""
