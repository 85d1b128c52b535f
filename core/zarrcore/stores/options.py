"""How a store is opened: one set of options for the library, the command line and the mount."""

from __future__ import annotations

import argparse
import hashlib
import os
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace

from zarrcore.errors import StoreError
from zarrcore.sizes import SIZE_WORDS, parse_size
from zarrcore.stores.validation import check_address, check_header, check_retries, check_timeout


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """Options of `open_store`; a store ignores those that mean nothing to it.

    Raises:
        StoreError: one of them makes no sense.
    """

    anonymous: bool = False
    """Send no credentials, and look for none."""
    endpoint_url: str | None = None
    """Where an S3, GCS or Azure service answers, if not at its provider's own address."""
    region: str | None = None
    """The region of the bucket."""
    profile: str | None = None
    """The section of the AWS configuration files to take credentials from."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """HTTP headers to send with every request; they may hold secrets, so they are never shown."""
    ca_bundle: str | None = None
    """A file of PEM certificates to trust beside the system's."""
    requester_pays: bool = False
    """Agree to pay for requests to buckets that demand it."""
    timeout_s: float = 30.0
    """Deadline of one request, in seconds."""
    retries: int = 3
    """How often a request is sent again after a server error or a broken connection."""
    follow_links: bool = False
    """Follow symbolic links that lead out of a local store."""
    treat_403_as_missing: bool = False
    """Take "forbidden" for "absent", as some public buckets mean it."""
    create: bool = False
    """Make a local directory, or a local zip file, that is missing."""
    durable: bool = False
    """Have each value on the disk before a local store goes on; several times as slow."""
    cache_dir: str | os.PathLike[str] | None = None
    """A directory that keeps what remote stores send; it may be shared by processes of one user."""
    cache_dir_bytes: int = 10 << 30
    """What it may take, in bytes."""
    cache_max_age_s: float = 60.0
    """How old an answer from it may be, in seconds, before the store is asked whether it is still right."""

    def __post_init__(self) -> None:
        check_timeout(self.timeout_s)
        check_retries(self.retries)
        for name, value in self.headers.items():
            check_header(name, value)
        if self.endpoint_url:
            check_address(self.endpoint_url, "the endpoint")

    @property
    def identity(self) -> Hashable:
        """What tells apart options with which a place may answer differently; it keeps no secret."""
        lasting = replace(
            self,
            timeout_s=DEFAULTS.timeout_s,
            retries=DEFAULTS.retries,
            create=False,
            durable=False,
            cache_dir=None,
            cache_dir_bytes=DEFAULTS.cache_dir_bytes,
            cache_max_age_s=DEFAULTS.cache_max_age_s,
        )
        return hashlib.sha256(repr((lasting, sorted(self.headers.items()))).encode()).digest()


DEFAULTS = StoreOptions()


def add_store_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command-line form of `StoreOptions` to ``parser``."""
    group = parser.add_argument_group("store options")
    group.add_argument("--anonymous", action="store_true", help="send no credentials, for public buckets")
    group.add_argument(
        "--endpoint-url",
        metavar="URL",
        type=_endpoint,
        help="address of an S3, GCS or Azure compatible service",
    )
    group.add_argument("--region", help="region of the bucket")
    group.add_argument("--profile", help="profile of the AWS configuration files to take credentials from")
    group.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="NAME: VALUE",
        type=_header,
        help="HTTP header to send with every request; NAME: @FILE reads the value from a file",
    )
    group.add_argument(
        "--ca-bundle", metavar="FILE", help="PEM file of certificates to trust beside the system's"
    )
    group.add_argument("--requester-pays", action="store_true", help="agree to pay for requests")
    group.add_argument(
        "--timeout",
        type=_seconds,
        default=DEFAULTS.timeout_s,
        metavar="S",
        help="deadline of a request in seconds (%(default)s)",
    )
    group.add_argument(
        "--retries",
        type=_count,
        default=DEFAULTS.retries,
        metavar="N",
        help="repeats after server errors (%(default)s)",
    )
    group.add_argument(
        "--follow-links", action="store_true", help="follow symbolic links out of a local store"
    )
    group.add_argument(
        "--treat-403-as-missing",
        action="store_true",
        help="take 'forbidden' for 'absent', as some buckets mean it",
    )
    group.add_argument(
        "--cache-dir",
        metavar="DIR",
        help="keep what remote stores send in this directory, for later runs too",
    )
    group.add_argument(
        "--cache-dir-size",
        type=size,
        default=DEFAULTS.cache_dir_bytes,
        metavar="SIZE",
        help=f"what the directory may take (10G); such as {SIZE_WORDS}",
    )


def size(text: str) -> int:
    """A number of bytes, for `argparse`."""
    try:
        return parse_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def store_options(namespace: argparse.Namespace) -> StoreOptions:
    """The options that a command line gave."""
    return StoreOptions(
        anonymous=namespace.anonymous,
        endpoint_url=namespace.endpoint_url,
        region=namespace.region,
        profile=namespace.profile,
        headers=dict(namespace.header),
        ca_bundle=namespace.ca_bundle,
        requester_pays=namespace.requester_pays,
        timeout_s=namespace.timeout,
        retries=namespace.retries,
        follow_links=namespace.follow_links,
        treat_403_as_missing=namespace.treat_403_as_missing,
        cache_dir=namespace.cache_dir,
        cache_dir_bytes=namespace.cache_dir_size,
    )


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not colon:
        raise argparse.ArgumentTypeError("a header is written 'NAME: VALUE'")
    if value.startswith("@"):  # a secret on a command line is seen by everybody who can list processes
        try:
            with open(value[1:], encoding="utf-8") as file:
                value = file.read().strip()
        except OSError as error:
            raise argparse.ArgumentTypeError(f"cannot read {value[1:]}: {error.strerror}") from error
        except ValueError as error:  # its text would quote the file
            raise argparse.ArgumentTypeError(f"{value[1:]} holds no text") from error
    _refuse(check_header, name, value)
    return name, value


def _endpoint(text: str) -> str:
    _refuse(check_address, text, "the endpoint")
    return text


def _seconds(text: str) -> float:
    value = _number(float, text)
    _refuse(check_timeout, value)
    return value


def _count(text: str) -> int:
    value = int(_number(int, text))
    _refuse(check_retries, value)
    return value


def _refuse(check: Callable[..., object], *values: object) -> None:
    """Say what a check says as `argparse` wants it said, which else quotes the argument."""
    try:
        check(*values)
    except StoreError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _number(kind: type[int] | type[float], text: str) -> float:
    try:
        return kind(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from error
