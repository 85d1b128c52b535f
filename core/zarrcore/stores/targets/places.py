"""Places that data, or a user, name: in a normal form, so that all spellings of one place compare as equal.

Places are compared by whole segments of their paths: ``/data`` is not above ``/database``.
"""

from __future__ import annotations

import ipaddress
import os
import posixpath
import socket
import unicodedata
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

from zarrcore.stores.schemes import canonical_scheme

BUCKETS: Final = ("s3", "gs", "az", "abfs")
WEB: Final = ("http", "https")
_WITHOUT_HOST: Final = ("file", "memory", "sqlite", "lmdb")
_PORTS: Final = {"http": 80, "https": 443}
_METADATA_NAMES: Final = frozenset(
    {"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"}
)
_METADATA_ADDRESSES: Final = frozenset({"fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"})
"""Metadata services of AWS, Alibaba, Azure and Oracle that are not at a link-local address."""
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_THIS_HOST: Final = ipaddress.ip_network("0.0.0.0/8")

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def scheme_of(url: str) -> str:
    """The scheme of a target; "" for a path.

    >>> scheme_of("gcs://bucket/x"), scheme_of("../x.nc"), scheme_of("/data/a:b://c")
    ('gs', '', '')
    """
    scheme, colon, _ = url.partition("://")
    if not colon or not scheme.replace("+", "").replace("-", "").replace(".", "").isalnum():
        return ""
    return canonical_scheme(scheme)


def path_of(url: str) -> str:
    """The path of a ``file://`` URL, as a writer meant it.

    Raises:
        ValueError: it is not on this machine.
    """
    host, slash, path = url.partition("://")[2].partition("/")
    if host not in ("", "localhost"):
        raise ValueError("file:// addresses are on this machine: file:///path")
    return slash + unquote(path, errors="surrogateescape") if "%" in path else slash + path


@dataclass(frozen=True, slots=True)
class Place:
    """A place in normal form."""

    scheme: str
    """``file`` for a local path."""
    host: str
    """Server and port, bucket, or "" for a place on this machine."""
    path: str
    """Without slashes at its ends. Links in a local path are resolved."""

    @classmethod
    def of(cls, url: str) -> Place:
        """The place that a URL or an absolute path names.

        Raises:
            ValueError: it is malformed, or leads out of what it names.

        >>> Place.of("HTTP://u:p@Example.ORG.:80/a%20b/./c?x=1")
        Place(scheme='http', host='example.org', path='a b/c')
        """
        scheme = scheme_of(url)
        if scheme in ("", "file"):
            path = path_of(url) if scheme else url
            return cls("file", "", os.path.realpath(path).strip("/"))
        rest = url.partition("://")[2]
        if scheme in WEB:
            parts = urlsplit(url)
            if not parts.hostname or "\\" in parts.netloc:  # clients do not agree where these lead
                raise ValueError("it names no server")
            default = _PORTS[scheme]
            host = _host(parts.hostname or "")
            port = default if parts.port is None else parts.port
            return cls(scheme, host if port == default else f"{host}:{port}", _normal(unquote(parts.path)))
        if scheme in _WITHOUT_HOST:
            return cls(scheme, "", _normal(rest))
        host, _, path = rest.partition("/")
        if ".." in unquote(path).split("/"):
            raise ValueError("it may lead out of what it names")
        return cls(scheme, host if scheme in BUCKETS else host.lower(), _normal(path))

    def is_beneath(self, other: Place) -> bool:
        """Whether this is ``other``, or below it."""
        if (self.scheme, self.host) != (other.scheme, other.host):
            return False
        return not other.path or f"{self.path}/".startswith(f"{other.path}/")

    @property
    def prefix(self) -> str:
        """What allows this place: its folder, or all of its bucket."""
        if self.scheme == "file":
            return posixpath.dirname(f"/{self.path}")
        folder = "" if self.scheme in BUCKETS else posixpath.dirname(self.path)
        return f"{self.scheme}://{self.host}/{folder}{'/' if folder else ''}"

    @property
    def server(self) -> str | None:
        """The name or address of its server, without the port; None for a bucket, and for what is on this machine."""
        if not self.host or self.scheme in BUCKETS:
            return None
        return urlsplit(f"//{self.host}").hostname


def _host(host: str) -> str:
    """A host in lower case; brackets around an address of version 6."""
    host = unicodedata.normalize("NFKC", unquote(host)).replace("。", ".").lower().rstrip(".")
    return f"[{host}]" if ":" in host else host


def _normal(path: str) -> str:
    normal = posixpath.normpath(path.strip("/") or ".")
    if normal == ".." or normal.startswith("../"):
        raise ValueError("it leads out of what it names")
    return "" if normal == "." else normal


def is_local_server(server: str) -> bool:
    """Whether a host is this machine, or is reached without a router, as an instance's metadata service is.

    A name is looked up. One that cannot be found is neither.

    >>> [is_local_server(host) for host in ("127.1", "0x7f000001", "::ffff:169.254.169.254", "LOCALHOST.", "10.0.0.1")]
    [True, True, True, True, False]
    """
    host = _host(server).strip("[]")
    if host in _METADATA_NAMES or host == "localhost" or host.endswith(".localhost"):
        return True
    found = _address(host)
    return any(map(_is_local, _looked_up(host) if found is None else [found]))


def _address(host: str) -> _Address | None:
    """The address that a host is, in any of its spellings: decimal, octal, hexadecimal, with fewer dots."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except (OSError, UnicodeEncodeError):
        return None


def _looked_up(host: str) -> list[_Address]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [address for *_, place in found if (address := _address(str(place[0]))) is not None]


def _is_local(address: _Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64 or int(address) >> 32 == 0:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None and int(address) > 1:
            return _is_local(inner)
    elif address in _THIS_HOST:
        return True
    return (
        address.is_loopback
        or address.is_link_local
        or address.is_unspecified
        or str(address) in _METADATA_ADDRESSES
    )
