"""What every obstore client is made from: timeouts, headers, certificates, proxies.

obstore runs its requests on threads of its own, which do not survive a fork: a process forked after the first
request would wait for ever on its own first one. Clients are therefore made when first used, and one made in
such a process is refused with a sentence instead.
"""

from __future__ import annotations

import ipaddress
import os
import ssl
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from zarrcore.errors import StoreError
from zarrcore.stores.options import StoreOptions

if TYPE_CHECKING:
    from obstore.store import ClientConfig

REQUESTS_IN_FLIGHT: Final = 64
"""Requests at once to a remote store: enough to fill the line where each takes tens of milliseconds."""

WHOLE_TRANSFER: Final = 10
"""A transfer that goes on may take this many times the deadline of a silent one: large values on slow lines."""


class ForkGuard:
    """Whether obstore's threads run in this process, or ran in the one that it was forked from."""

    started = False
    lost = False

    @classmethod
    def forked(cls) -> None:
        """Called in every child process."""
        cls.lost = cls.lost or cls.started

    @classmethod
    def check(cls, url: str) -> None:
        """Say that obstore is about to be used.

        Raises:
            StoreError: it was used before this process was forked, and would hang now.
        """
        if cls.lost:
            raise StoreError(
                f"{url} cannot be read in a process that was forked after a remote store was read", url=url
            )
        cls.started = True


os.register_at_fork(after_in_child=ForkGuard.forked)


def is_loopback(address: str) -> bool:
    """Whether a URL leads to this machine itself.

    >>> is_loopback("http://127.0.0.1:80/x"), is_loopback("https://LOCALHOST"), is_loopback("http://host")
    (True, True, False)
    """
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def client_options(
    options: StoreOptions, address: str, headers: Mapping[str, str] | None = None
) -> ClientConfig:
    """obstore's ``client_options`` for the service at ``address``, or at its provider's own where that is empty."""
    silent = timedelta(seconds=options.timeout_s)
    made: ClientConfig = {
        "connect_timeout": silent,
        "read_timeout": silent,
        "timeout": silent * WHOLE_TRANSFER,
        "allow_http": address.lower().startswith("http://"),
        "user_agent": "zarrscope",
    }
    if is_loopback(address):
        # obstore heeds the environment's proxy, which finds nothing of this machine at its own loopback address,
        # unless it is given another one; and of that one this machine can be exempt.
        made["proxy_url"], made["proxy_excludes"] = address, "127.0.0.0/8,::1,localhost"
    sent = {**options.headers, **(headers or {})}
    if sent:
        made["default_headers"] = sent
    if options.ca_bundle is not None:
        made["root_certificate"] = _certificates(options.ca_bundle)
    return made


def trust(context: ssl.SSLContext, bundle: str) -> None:
    """Have ``context`` trust the certificates in a PEM file.

    Raises:
        StoreError: it cannot be read, or is none.
    """
    try:
        context.load_verify_locations(os.path.expanduser(bundle))
    except ssl.SSLError as error:
        raise StoreError(
            f"cannot read the certificates in {bundle}: it is no PEM file that holds any"
        ) from error
    except OSError as error:
        raise StoreError(f"cannot read the certificates in {bundle}: {error.strerror}") from error


def _certificates(bundle: str) -> bytes:
    trust(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), bundle)
    with open(os.path.expanduser(bundle), "rb") as file:
        return file.read()
