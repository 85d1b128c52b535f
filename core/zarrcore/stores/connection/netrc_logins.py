"""Logins of web servers from the user's netrc file, as curl reads it: the file that NETRC names, or ``~/.netrc``.

A login is sent to the host that its entry names, over TLS or to this machine, and to no other. The entry ``default``, which names
no host, is ignored: a redirection could lead to any host. Servers of NASA Earthdata redirect to one that asks for the login, and
that one back; cookies show the outcome.
"""

from __future__ import annotations

import base64
import netrc
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from zarrcore.errors import StoreError
from zarrcore.stores.connection.clients import is_loopback
from zarrcore.stores.options import StoreOptions

_Logins = Mapping[str, tuple[str, str]]


def has_logins(options: StoreOptions) -> bool:
    """Whether there is a login of any host that may be used.

    Raises:
        StoreError: the file is broken.
    """
    return bool(_logins(options))


def login_headers(url: str, options: StoreOptions) -> dict[str, str]:
    """The header with the login of a URL's host; empty if there is none, or the connection is not safe.

    Raises:
        StoreError: the file is broken.
    """
    parts = urlsplit(url)
    login = _logins(options).get((parts.hostname or "").lower())
    if login is None or not (parts.scheme == "https" or is_loopback(url)):
        return {}
    return {"Authorization": "Basic " + base64.b64encode(":".join(login).encode()).decode()}


def _logins(options: StoreOptions) -> _Logins:
    # What others see through this process must not lead to what only its user may read.
    if options.anonymous or (options.is_target and options.targets == "shared"):
        return {}
    named = os.environ.get("NETRC")
    path = Path(named) if named else Path.home() / ".netrc"
    try:
        facts = path.stat()
    except (OSError, RuntimeError):  # the latter of a user without a home
        return {}
    return _parsed(path, facts.st_mtime_ns, facts.st_size)


@lru_cache(maxsize=4)
def _parsed(path: Path, _mtime_ns: int, _size: int) -> _Logins:
    try:
        hosts = netrc.netrc(str(path)).hosts
    except OSError as error:
        raise StoreError(f"cannot read the logins in {path}: {error.strerror}") from error
    except netrc.NetrcParseError as error:  # its message may quote a part of a password
        raise StoreError(
            f"cannot read the logins in {path}: the entry that ends at line {error.lineno} is broken"
        ) from None
    except UnicodeError:
        raise StoreError(f"cannot read the logins in {path}: it is not a text file") from None
    return {
        host.lower(): (login, password)
        for host, (login, _, password) in hosts.items()
        if host != "default" and (login or password)
    }
