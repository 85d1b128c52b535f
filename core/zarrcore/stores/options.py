"""How a store is opened: one table of options, and the values chosen for one store.

`StoreOptions` is the table: each field is one entry, made by `option`. The arguments of the command line, the words of
``-o`` of a mount, forms, the identity of cached data and the documentation are made from `STORE_OPTIONS`. A new option is
one new field.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from zarrcore.arguments import check_type
from zarrcore.errors import StoreError
from zarrcore.sizes import SIZE_UNITS, parse_size
from zarrcore.stores.validation import (
    check_endpoint,
    check_headers,
    check_level,
    check_prefixes,
    check_retries,
    check_timeout,
    parse_header,
    parse_number,
    parse_prefix,
)

_OBJECT: Final = ("s3", "gs", "az")
_DATABASE: Final = ("sqlite", "lmdb")
_CACHED: Final = (*_OBJECT, "http", "redis", "fsspec")


@dataclass(frozen=True, slots=True)
class StoreOption:
    """One option: everything that the command line, forms and caches need."""

    name: str
    """The field of `StoreOptions`."""
    default: Any
    argument: str | None
    """Its spelling on the command line; None if only programs can set it."""
    help: str
    """One line of help."""
    stores: tuple[str, ...]
    """The kinds of store that use it; the others ignore it."""
    metavar: str | None = None
    label: str = ""
    """Its label in a form; an option without a label is not in forms."""
    example: str = ""
    """An example value, which a form shows while the field is empty."""
    parse: Callable[[str], Any] = str
    """Converts text to a value, or raises ValueError."""
    check: Callable[[Any], object] | None = None
    """Raises StoreError for an invalid value."""
    is_secret: bool = False
    """Never shown, never stored, and passed to other processes only through files."""
    is_identity: bool = True
    """Whether the same URL may give other data with another value, so that cached data must not be shared."""
    annotation: str = ""
    """The types of its values, as the field names them."""

    @property
    def is_flag(self) -> bool:
        """Whether it is a yes or no."""
        return isinstance(self.default, bool)

    @property
    def is_repeated(self) -> bool:
        """Whether it is a mapping or a tuple, given item by item."""
        return isinstance(self.default, Mapping | tuple)

    def gathered(self, items: Iterable[Any]) -> Any:
        """The value that was given item by item."""
        return dict(items) if isinstance(self.default, Mapping) else tuple(items)


def option(default: Any, argument: str | None, help: str, stores: tuple[str, ...], **more: Any) -> Any:  # noqa: A002 - as argparse names it
    """A field of `StoreOptions`; ``more`` are fields of `StoreOption`."""
    entry = StoreOption("", default, argument, help, stores, **more)
    metadata = {"option": entry}
    if isinstance(default, Mapping):
        return field(default_factory=dict, repr=not entry.is_secret, metadata=metadata)
    return field(default=default, repr=not entry.is_secret, metadata=metadata)


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """Options of `open_store`; a store ignores those that do not apply to it.

    Raises:
        StoreError: one of them is invalid.
        TypeError: one of them is of another type.
    """

    anonymous: bool = option(
        False,
        "--anonymous",
        "send no credentials, for public buckets",
        (*_OBJECT, "http", "redis", "fsspec"),
        label="Anonymous: send no credentials",
    )
    """Send no credentials, and do not look for any."""
    endpoint_url: str | None = option(
        None,
        "--endpoint-url",
        "address of an S3, GCS or Azure compatible service",
        _OBJECT,
        metavar="URL",
        label="Endpoint URL",
        example="http://localhost:9000",
        check=check_endpoint,
    )
    """The address of an S3, GCS or Azure service that is not at its provider's own address."""
    region: str | None = option(
        None,
        "--region",
        "region of the bucket",
        ("s3",),
        metavar="REGION",
        label="Region",
        example="us-east-1",
    )
    """The region of the bucket."""
    profile: str | None = option(
        None,
        "--profile",
        "profile of the AWS configuration files to take credentials from",
        ("s3",),
        metavar="PROFILE",
        label="Profile",
        example="default",
    )
    """The section of the AWS configuration files to take credentials from; SSO and roles need the extra ``aws``."""
    access_key_id: str | None = option(
        None, None, "key of S3, instead of those of the environment and of profiles", ("s3",), is_secret=True
    )
    """The identifier of a key of S3, instead of those of the environment and of profiles."""
    secret_access_key: str | None = option(
        None, None, "secret that belongs to the key", ("s3",), is_secret=True
    )
    """The secret that belongs to ``access_key_id``."""
    session_token: str | None = option(None, None, "token of a key that expires", ("s3",), is_secret=True)
    """The token that belongs to ``access_key_id`` if the key expires."""
    headers: Mapping[str, str] = option(
        {},
        "--header",
        "HTTP header to send with every request; NAME: @FILE reads the value from a file",
        (*_OBJECT, "http"),
        metavar="NAME: VALUE",
        parse=parse_header,
        check=check_headers,
        is_secret=True,
    )
    """HTTP headers to send with every request; they may be secrets, so they are never shown."""
    ca_bundle: str | None = option(
        None,
        "--ca-bundle",
        "PEM file of certificates to trust in addition to the system's",
        (*_OBJECT, "http", "redis"),
        metavar="FILE",
    )
    """A file of PEM certificates to trust in addition to the system's."""
    requester_pays: bool = option(
        False, "--requester-pays", "agree to pay for requests", ("s3",), label="Agree to pay for requests"
    )
    """Agree to pay for requests to buckets that require it."""
    timeout_s: float = option(
        30.0,
        "--timeout",
        "seconds that a server may be silent (default: 30); failed requests are repeated for twice as long",
        (*_CACHED, *_DATABASE),
        metavar="S",
        parse=parse_number(float),
        check=check_timeout,
        is_identity=False,
    )
    """How long a server may be silent, in seconds. `zarrcore.stores.connection.retries` says what follows."""
    retries: int = option(
        30,
        "--retries",
        "repeats of a request that failed for a reason that may pass (default: 30)",
        _CACHED,
        metavar="N",
        parse=parse_number(int),
        check=check_retries,
        is_identity=False,
    )
    """How often a request is sent again, at most, after a server error or a broken connection."""
    allow_targets: tuple[str, ...] = option(
        (),
        "--allow-targets",
        "let data name files below this folder or URL, such as s3://bucket/; may be repeated",
        ("references", "icechunk", "local", "http", *_OBJECT),
        metavar="PREFIX",
        parse=parse_prefix,
        check=check_prefixes,
    )
    """Folders and URLs below which data may name files, in addition to those of `zarrcore.stores.targets`."""
    targets: str = option(
        "own",
        None,
        "what data may name: own, a source of its user alone; shared, one that others see through this process",
        ("references", "icechunk", "local", "http", *_OBJECT),
        check=check_level,
    )
    """The level of the rule for what data may name: ``own`` or ``shared``."""
    is_target: bool = option(
        False, None, "whether it was named by data, so that redirections obey the same rule", ("http",)
    )
    """Whether data named it, and not the user."""
    follow_links: bool = option(
        False, "--follow-links", "follow symbolic links out of a local store", ("local",)
    )
    """Follow symbolic links that lead out of a local store."""
    treat_403_as_missing: bool = option(
        False,
        "--treat-403-as-missing",
        "treat 'forbidden' as 'absent', as some public buckets need",
        (*_OBJECT, "http"),
    )
    """Treat "forbidden" as "absent", as some public buckets need."""
    branch: str | None = option(
        None, "--branch", "branch of an Icechunk repository (default: main)", ("icechunk",), metavar="NAME"
    )
    """The branch of an Icechunk repository; without a choice, that is ``main``."""
    tag: str | None = option(None, "--tag", "tag of an Icechunk repository", ("icechunk",), metavar="NAME")
    """The tag of an Icechunk repository, instead of a branch."""
    snapshot: str | None = option(
        None, "--snapshot", "snapshot of an Icechunk repository", ("icechunk",), metavar="ID"
    )
    """The snapshot of an Icechunk repository, instead of a branch."""
    all_versions: bool = option(
        False,
        "--all-versions",
        "show the branches, tags and snapshots of an Icechunk repository as folders, if none is chosen",
        ("icechunk",),
    )
    """Show all versions of an Icechunk repository as one hierarchy, if none is chosen."""
    branch_max_age_s: float | None = option(
        None,
        None,
        "age after which a branch of a repository is looked up again; None keeps its snapshot until a refresh",
        ("icechunk",),
        is_identity=False,
    )
    """The age, in seconds, after which a branch is looked up again; None reads one snapshot until `Store.refresh`."""
    create: bool = option(
        False,
        None,
        "create a missing directory or file",
        ("local", "zip", *_DATABASE),
        is_identity=False,
    )
    """Create a missing local directory or local zip file."""
    durable: bool = option(
        False, None, "wait until values are on the disk", ("local", "zip", *_DATABASE), is_identity=False
    )
    """Write each value through to the disk before a local store continues; several times slower."""
    cache_dir: str | os.PathLike[str] | None = option(  # noqa: RUF009 - it returns a field
        None,
        "--cache-dir",
        "cache the data of remote stores in this directory, also for later runs",
        _CACHED,
        metavar="DIR",
        is_identity=False,
    )
    """A directory that caches the data of remote stores; processes of one user may share it."""
    cache_dir_bytes: int = option(
        10 << 30,
        "--cache-dir-size",
        f"maximum size of the cache directory (default: 10G); {SIZE_UNITS}",
        _CACHED,
        metavar="SIZE",
        parse=parse_size,
        is_identity=False,
    )
    """The maximum size of the cache directory, in bytes."""
    cache_url: str | None = option(
        None,
        "--cache-url",
        "cache the data of remote stores in this store, redis://HOST/0 or s3://BUCKET/PATH, which several machines may share",
        _CACHED,
        metavar="URL",
        is_identity=False,
    )
    """A remote store that caches the data of others; the service limits its size."""
    cache_max_age_s: float = option(
        60.0, None, "age of a cached answer after which the store is asked again", _CACHED, is_identity=False
    )
    """The age of a cached answer, in seconds, after which the store is asked if it is still valid."""
    immutable: bool = option(
        False,
        "--immutable",
        "the data never change: a cached answer stays valid, and a mount or server asks for nothing twice",
        _CACHED,
        is_identity=False,
    )
    """The data never change, so that cached answers, also that a key is absent, stay valid whatever ``cache_max_age_s`` says."""

    def __post_init__(self) -> None:
        if isinstance(self.allow_targets, list | tuple):  # a list comes from JSON
            object.__setattr__(self, "allow_targets", tuple(map(_path_text, self.allow_targets)))
        object.__setattr__(self, "ca_bundle", _path_text(self.ca_bundle))
        for entry in STORE_OPTIONS:
            value = getattr(self, entry.name)
            if value is not entry.default:
                check_type(entry.name, value, entry.annotation, is_secret=entry.is_secret)
            if entry.check is not None:
                entry.check(value)
        if self.cache_dir is not None and self.cache_url is not None:
            raise StoreError("there is one cache: use --cache-dir or --cache-url")
        if sum(version is not None for version in (self.branch, self.tag, self.snapshot)) > 1:
            raise StoreError("there is one version: use --branch, --tag or --snapshot")

    @property
    def identity(self) -> Hashable:
        """A hash of the options that may change the data at a URL. Contains no secret."""
        chosen = []
        for entry in STORE_OPTIONS:
            value = getattr(self, entry.name)
            if entry.is_identity and value != entry.default:
                chosen.append((entry.name, sorted(value.items()) if isinstance(value, Mapping) else value))
        return hashlib.sha256(repr(chosen).encode()).digest()


def _path_text(value: Any) -> Any:
    """The text of a path; another value as it is."""
    return os.fspath(value) if isinstance(value, os.PathLike) else value


STORE_OPTIONS: Final[tuple[StoreOption, ...]] = tuple(
    replace(each.metadata["option"], name=each.name, annotation=str(each.type))
    for each in fields(StoreOptions)
)
"""The table: all options, in the order of the command line."""

DEFAULTS: Final = StoreOptions()
