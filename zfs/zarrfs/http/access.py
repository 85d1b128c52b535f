"""Who may ask: the Host header of a server on loopback, and the token."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import secrets
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from zarrfs.http.exchange import Exchange

TOKEN: Final = "token"  # noqa: S105 - the name of the parameter
CHALLENGE: Final = {"www-authenticate": 'Bearer realm="zarrscope", Basic realm="zarrscope", charset="UTF-8"'}
"""The header of an answer that asks for the token."""


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, as only programs on it can reach.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() in {"localhost", "localhost."} or host.lower().endswith(".localhost")


@lru_cache(64)
def names_loopback(header: str | None) -> bool:
    """Whether a ``Host`` header names this machine.

    A page of another server can make its name lead to 127.0.0.1 (DNS rebinding), and its browser then takes this server
    for that one. Its requests still have the name of the other server.

    >>> names_loopback("localhost:8000"), names_loopback("[::1]:8000"), names_loopback("attacker.example:8000")
    (True, True, False)
    """
    try:
        host = urlsplit(f"//{header or ''}").hostname
    except ValueError:
        return False
    return host is not None and is_loopback(host)


def has_token(exchange: Exchange, token: str) -> bool:
    """Whether a request has the token: as bearer, as password of any user, or as parameter of the query."""
    given = [*_in_header(exchange.headers.get("authorization", "")), exchange.parameter(TOKEN)]
    # All are compared, and each in constant time, so that the time of an answer says nothing about the token.
    matches = [
        secrets.compare_digest(each.encode("utf-8", "surrogatepass"), token.encode())
        for each in given
        if each
    ]
    return any(matches)


def _in_header(header: str) -> list[str]:
    scheme, _, value = header.partition(" ")
    if scheme.lower() == "bearer":
        return [value.strip()]
    if scheme.lower() == "basic":
        try:
            return [base64.b64decode(value, validate=True).decode().partition(":")[2]]
        except (binascii.Error, ValueError):
            return []
    return []
