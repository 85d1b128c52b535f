"""The common settings of obstore clients: timeouts, headers, certificates, proxies.

obstore runs its requests on threads of its own, which do not survive a fork: a process that is forked after the first
request would hang in its own first request. Therefore clients are made when first used, and making one in
a forked process is an error.
"""

from __future__ import annotations

import ipaddress
import os
import ssl
from collections.abc import Mapping
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from zarrcore.errors import StoreError
from zarrcore.stores.options import StoreOptions
from zarrcore.threads import after_fork

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    import httpx
    from obstore.store import ClientConfig

REQUESTS_IN_FLIGHT: Final = 64
"""Concurrent requests to a remote store: enough to fill the line if each takes tens of milliseconds."""

WHOLE_READ: Final = 2
"""An answer of a client that reads may take this many timeouts; `Download` then continues where it ended."""

WHOLE_TRANSFER: Final = 10
"""A request of a client that writes may take this many timeouts, and so may a listing that names nothing."""


class ForkGuard:
    """Whether obstore's threads run in this process, or ran in the process that forked it."""

    started = False
    lost = False

    @classmethod
    def forked(cls) -> None:
        """Called in every child process."""
        cls.lost = cls.lost or cls.started

    @classmethod
    def check(cls, url: str) -> None:
        """Note that obstore is about to be used.

        Raises:
            StoreError: obstore was used before this process was forked, and would hang now.
        """
        if cls.lost:
            raise StoreError(
                f"{url} cannot be read in a process that was forked after a remote store was read", url=url
            )
        cls.started = True


after_fork(ForkGuard.forked)


def is_loopback(address: str) -> bool:
    """Whether a URL leads to this machine.

    >>> is_loopback("http://127.0.0.1:80/x"), is_loopback("https://LOCALHOST"), is_loopback("http://host")
    (True, True, False)
    """
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def proxy_of(address: str) -> tuple[str, str] | None:
    """The proxy that requests go by, and the variable of the environment that names it.

    Args:
        address: a web address; that of another service is taken for one of HTTPS.
    """
    from urllib.request import proxy_bypass  # late: it takes longer to import than most requests

    parts = urlsplit(address)
    scheme = "http" if parts.scheme.lower() == "http" else "https"
    is_web = parts.scheme.lower() in ("http", "https")
    if is_web and (is_loopback(address) or proxy_bypass(parts.hostname or "")):
        return None
    names = (variable for name in (f"{scheme}_proxy", "all_proxy") for variable in (name, name.upper()))
    return next(((value, name) for name in names if (value := os.environ.get(name))), None)


def httpx_client(**options: Any) -> httpx.Client:
    """A client of httpx.

    Raises:
        StoreError: it cannot use a proxy that the environment names.
    """
    import httpx  # late: it takes longer to import than most requests

    try:
        return httpx.Client(**options)
    except ImportError:
        raise StoreError(
            "a SOCKS proxy of the environment can be used only with the package socksio"
        ) from None
    except UnicodeError:  # of a header
        raise
    except (httpx.InvalidURL, ValueError):  # its message may have a part of a password
        raise StoreError(
            "a proxy of the environment has an address that cannot be used (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY)"
        ) from None


def client_options(
    options: StoreOptions,
    address: str,
    headers: Mapping[str, str] | None = None,
    *,
    timeouts: int = WHOLE_TRANSFER,
) -> ClientConfig:
    """obstore's ``client_options`` for the service at ``address``, or at its provider's address if that is empty.

    A request may take so many ``timeouts``.
    """
    silent = timedelta(seconds=options.timeout_s)
    made: ClientConfig = {
        "connect_timeout": silent,
        "read_timeout": silent,
        "timeout": silent * timeouts,
        "allow_http": address.lower().startswith("http://"),
        "user_agent": "zarrscope",
    }
    if is_loopback(address):
        # obstore uses the environment's proxy, which cannot reach this machine's loopback address, unless it is
        # given another proxy; from that one, this machine can be excluded.
        made["proxy_url"], made["proxy_excludes"] = address, "127.0.0.0/8,::1,localhost"
    sent = {**options.headers, **(headers or {})}
    if sent:
        made["default_headers"] = sent
    if options.ca_bundle is not None:
        made["root_certificate"] = certificates(options.ca_bundle)
    return made


def trust(context: ssl.SSLContext, bundle: str) -> None:
    """Have ``context`` trust the certificates in a PEM file.

    Raises:
        StoreError: it cannot be read, or is not a PEM file.
    """
    try:
        context.load_verify_locations(os.path.expanduser(bundle))
        context.verify_flags |= (
            ssl.VERIFY_X509_PARTIAL_CHAIN
        )  # a server's own certificate will do, as for curl
    except ssl.SSLError as error:
        raise StoreError(
            f"cannot read the certificates in {bundle}: it is not a PEM file with certificates"
        ) from error
    except OSError as error:
        raise StoreError(f"cannot read the certificates in {bundle}: {error.strerror}") from error


def certificates(bundle: str) -> bytes:
    """The content of a PEM file.

    Raises:
        StoreError: as `trust`.
    """
    try:
        facts = os.stat(os.path.expanduser(bundle))
        version = facts.st_ino, facts.st_mtime_ns, facts.st_size
    except OSError:  # reported below
        version = 0, 0, 0
    return _checked(bundle, version)


@lru_cache(maxsize=8)
def _checked(bundle: str, _version: tuple[int, int, int]) -> bytes:
    """The content of a PEM file that was checked: with some hundred certificates, that takes as long as a request."""
    trust(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), bundle)
    with open(os.path.expanduser(bundle), "rb") as file:
        return file.read()
