"""From a path or URL to a store. A new scheme is an entry in `_OPENERS`.

Stores that need a large library are imported when they are opened, for a quick start.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlunsplit

from zarrcore.arguments import place_text
from zarrcore.errors import StoreError, ZarrError
from zarrcore.extensions import extension_names, load_extension
from zarrcore.printable import did_you_mean
from zarrcore.stores.fsspec.source import is_chain, knows
from zarrcore.stores.icechunk.versions import split_version, with_version
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.keys import join_url
from zarrcore.stores.kinds import FILE_KINDS, FileKind, kind_by_suffix
from zarrcore.stores.local_path import open_file_path, open_path
from zarrcore.stores.memory import MemoryStore
from zarrcore.stores.options import DEFAULTS, STORE_OPTIONS, StoreOptions
from zarrcore.stores.pipelined_urls import adapted, is_pipeline, parse_pipeline
from zarrcore.stores.schemes import canonical_scheme
from zarrcore.stores.validation import check_address, check_place

if TYPE_CHECKING:
    from zarrcore.stores.cache.entries import CacheEntries

_CACHE_TIMEOUT_S: Final = 5.0
_EXTENSIONS: Final = "zarrscope.stores"
_ZIP: Final = next(kind for kind in FILE_KINDS if kind.name == "zip")
_VERSIONED: Final = ("file", "s3", "gs", "az", "abfs")
"""Schemes whose URLs may name a version of a repository in the query, which has no other meaning there."""
_NAMED_FORMAT: Final = re.compile(r"(?P<format>zarr[23]?|n5)://(?P<place>.+)", re.IGNORECASE | re.DOTALL)
"""The form in which Neuroglancer names a format."""
_DOCUMENTS: Final = ("zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata")
_OPTIONS: Final = {entry.name for entry in STORE_OPTIONS}
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def open_store(
    url: str | os.PathLike[str],
    *,
    options: StoreOptions | None = None,
    storage_options: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> ReadableStore:
    """The store at a path or URL. Does not contact remote services yet.

    Args:
        url: a path, or a URL with ``file``, ``memory``, ``s3``, ``gs``, ``az``, ``abfs``, ``http``, ``https``, ``zip``,
            ``precomputed``, ``sqlite``, ``lmdb``, ``redis`` or ``rediss``, another name of these, such as ``gcs`` and ``s3a``,
            or a scheme of fsspec, or a chain of URLs;
            a local path of a file, which is recognized by its content; or a URL that ends in a suffix of
            a known kind of file, such as ``.zip``, in any store; a version of a repository, such as
            ``s3://bucket/repo?tag=v1``; or a URL pipeline, such as ``s3://bucket/a.zip|zip:x|zarr3:``.
        options: how to open it.
        storage_options: options by their names in fsspec, such as ``{"anon": True}``.
        keywords: fields of `StoreOptions`, instead of ``options`` or to change some of them.

    Raises:
        StoreNotFoundError: there is no such directory or file.
        AccessDeniedError: access is denied.
        StoreError: the URL is incomplete or of an unknown kind.
        TypeError: an unknown option, or a value of another type.

    Other packages add kinds of URLs through entry points in the group ``zarrscope.stores``: the name is the scheme, in
    lower case, and the object is called with the URL and the `StoreOptions` and returns a `ReadableStore`. A store that
    also derives from `ListableStore` can be listed, one that derives from `WritableStore` can be written.

    >>> open_store("memory://demonstration")
    MemoryStore('memory://demonstration')
    """
    text = place_text("url", url, "an open store where one is taken")
    if storage_options:
        from zarrcore.stores.storage_options import from_storage_options

        keywords |= from_storage_options(storage_options, text)
    for name in keywords.keys() - _OPTIONS:
        raise TypeError(f"a store has no option {name!r}{did_you_mean(name, _OPTIONS)}")
    chosen = replace(options or DEFAULTS, **keywords)
    check_place(text)
    named = _NAMED_FORMAT.fullmatch(text)
    if named is not None:
        text = f"{named['place']}|{named['format'].lower()}:"
    text = _folder_of_document(text)
    if "|" in text and is_pipeline(text):
        return _open_pipeline(text, chosen)
    if "::" in text and is_chain(text):
        return _open_fsspec(text, chosen)
    match = _SCHEME.match(text)
    if "?" in text and (match is None or canonical_scheme(match[1]) in _VERSIONED):
        text, chosen = _without_version(text, chosen)
    if match is None:
        return open_path(os.path.expanduser(text), chosen)
    scheme = canonical_scheme(match[1])
    address = scheme + text[match.end(1) :]
    opener = _OPENERS.get(scheme)
    if opener is None:
        return _open_by_extension(scheme, address, chosen)
    store = opener(address, chosen)
    store.options = chosen
    return store


def _folder_of_document(text: str) -> str:
    """The folder of a document of a node, which people copy from a listing; other text as it is.

    >>> _folder_of_document("https://a.org/b.zarr/zarr.json"), _folder_of_document("s3://a/zarr.json.d")
    ('https://a.org/b.zarr/', 's3://a/zarr.json.d')
    """
    folder, slash, name = text.rpartition("/")
    if name not in _DOCUMENTS or (
        _SCHEME.match(text) is None and not os.path.isfile(os.path.expanduser(text))
    ):
        return text
    return folder + slash or "."


def _without_version(text: str, options: StoreOptions) -> tuple[str, StoreOptions]:
    """A path or URL without the query that names a version of a repository, and the options with that version."""
    place, version = split_version(text)
    if version is None or (_SCHEME.match(text) is None and os.path.lexists(os.path.expanduser(text))):
        return text, options
    return place, with_version(options, version)


def _open_pipeline(text: str, options: StoreOptions) -> ReadableStore:
    root, adapters = parse_pipeline(text)
    kind, path = adapters[0].kind, ""
    if isinstance(kind, FileKind):
        store = _open_as(root, options, kind)
        path = adapters.pop(0).path
    else:
        store = open_store(root, options=options)
    return adapted(store, adapters, path)


def _open_as(root: str, options: StoreOptions, kind: FileKind) -> ReadableStore:
    """A file as one of this kind, whatever its name."""
    check_place(root)
    match = _SCHEME.match(root)
    if match is None or canonical_scheme(match[1]) == "file":
        return open_file_path(os.path.expanduser(root) if match is None else _path_of(root), options, kind)
    scheme = canonical_scheme(match[1])
    if scheme not in _REMOTE:
        raise StoreError(f"{scheme}:// has no files that {kind.name}: could open")
    return _REMOTE[scheme](scheme + root[match.end(1) :], options, kind)


def _open_by_extension(scheme: str, address: str, options: StoreOptions) -> ReadableStore:
    """The store that another package opens."""
    try:
        opener = load_extension(_EXTENSIONS, scheme)
        store = None if opener is None else opener(address, options)
    except ZarrError:
        raise
    except Exception as error:
        raise StoreError(
            f"{scheme}:// cannot be opened: the package that provides it fails ({type(error).__name__})"
        ) from error
    if opener is None and knows(scheme):
        return _open_fsspec(address, options)
    if opener is None:
        known = ", ".join(f"{name}://" for name in (*_OPENERS, *extension_names(_EXTENSIONS)))
        raise StoreError(
            f"unknown store type {scheme}://: use a path, or one of {known}, or a scheme of fsspec"
        )
    if not isinstance(store, ReadableStore):
        raise StoreError(
            f"{scheme}:// cannot be opened: the package that provides it did not return a ReadableStore"
        )
    return _cached(store, options)


def _cached(store: ReadableStore, options: StoreOptions) -> ReadableStore:
    """The store, with a cache if one is wanted and useful."""
    store.options = options
    if not store.is_remote or (options.cache_dir is None and options.cache_url is None):
        return store
    from zarrcore.stores.cache.directory import CacheDirectory
    from zarrcore.stores.cache.shared import SharedCache
    from zarrcore.stores.cache.store import CacheStore

    entries: CacheEntries
    if options.cache_dir is not None:
        entries = CacheDirectory(options.cache_dir, options.cache_dir_bytes)
    else:
        entries = SharedCache(_cache_store(options))
    return CacheStore(store, entries, math.inf if options.immutable else options.cache_max_age_s)


def _cache_store(options: StoreOptions) -> ReadableStore:
    """The store of ``cache_url``. It must never delay a read for long, and gets none of the source's secrets."""
    store = open_store(
        options.cache_url or "",
        options=replace(
            options,
            anonymous=False,
            headers={},
            requester_pays=False,
            treat_403_as_missing=False,
            timeout_s=min(options.timeout_s, _CACHE_TIMEOUT_S),
            retries=0,
            cache_url=None,
        ),
    )
    if not store.is_remote:
        raise StoreError(f"{store.url} is on this machine: a directory for the cache is named by --cache-dir")
    return store


def _open_fsspec(address: str, options: StoreOptions) -> ReadableStore:
    from zarrcore.stores.fsspec.store import FsspecStore

    return _cached(FsspecStore(address, options=options), options)


def _open_file(url: str, options: StoreOptions) -> ReadableStore:
    return open_path(_path_of(url), options)


def _path_of(url: str) -> str:
    """The path of a ``file://`` URL."""
    host, slash, path = re.split("[?#]", url.partition("://")[2], maxsplit=1)[0].partition("/")
    if host not in {"", "localhost"}:
        raise StoreError(
            f"file:// URLs are on this machine: write file:///{host.rpartition('@')[2]}{slash}{path}"
        )
    # A percent code that is not UTF-8 means the byte, as in file names.
    return slash + unquote(path, errors="surrogateescape")


def _open_memory(url: str, options: StoreOptions) -> ReadableStore:  # noqa: ARG001 - one signature for all
    return MemoryStore(url.partition("://")[2].strip("/"))


def _open_sqlite(url: str, options: StoreOptions) -> ReadableStore:
    from zarrcore.stores.database.sqlite import SQLiteStore

    return SQLiteStore(
        _path_in(url), create=options.create, durable=options.durable, timeout_s=options.timeout_s
    )


def _open_lmdb(url: str, options: StoreOptions) -> ReadableStore:
    from zarrcore.stores.database.lmdb import LMDBStore

    return LMDBStore(
        _path_in(url), create=options.create, durable=options.durable, timeout_s=options.timeout_s
    )


def _open_redis(url: str, options: StoreOptions) -> ReadableStore:
    from zarrcore.stores.database.redis import RedisStore

    return _cached(RedisStore(url, options), options)


def _path_in(url: str) -> str:
    """The path after the scheme of a URL, literally: relative or absolute, without percent codes."""
    return os.path.expanduser(url.partition("://")[2])


def _open_precomputed(url: str, options: StoreOptions) -> ReadableStore:
    from zarrcore.stores.precomputed.store import open_volume

    return open_volume(open_store(url.partition("://")[2], options=options))


def _open_zip(url: str, options: StoreOptions) -> ReadableStore:
    inner = url.partition("://")[2]
    match = _SCHEME.match(inner)
    if match is None:
        return open_file_path(os.path.expanduser(inner), options, _ZIP)
    scheme = canonical_scheme(match[1])
    opener = _REMOTE.get(scheme)
    if opener is None:
        return open_store(inner, options=options)
    return opener(scheme + inner[match.end(1) :], options, _ZIP)


def _open_s3(url: str, options: StoreOptions, kind: FileKind | None = None) -> ReadableStore:
    from zarrcore.stores.object.s3 import S3Store

    _, bucket, path = _split(url)
    return _in_bucket(lambda prefix: _cached(S3Store(bucket, prefix, options), options), path, kind)


def _open_gcs(url: str, options: StoreOptions, kind: FileKind | None = None) -> ReadableStore:
    from zarrcore.stores.object.gcs import GCSStore

    _, bucket, path = _split(url)
    return _in_bucket(lambda prefix: _cached(GCSStore(bucket, prefix, options), options), path, kind)


def _open_azure(url: str, options: StoreOptions, kind: FileKind | None = None) -> ReadableStore:
    from zarrcore.stores.object.azure import AzureStore

    # abfs://container@account.dfs.core.windows.net/path, or az://container/path
    user, host, path = _split(url)
    account = host.partition(".")[0] if user else None
    container = user or host
    return _in_bucket(
        lambda prefix: _cached(AzureStore(container, prefix, options, account), options), path, kind
    )


def _open_http(url: str, options: StoreOptions, kind: FileKind | None = None) -> ReadableStore:
    from zarrcore.stores.http.store import HTTPStore

    parts = check_address(url)
    kind = kind or kind_by_suffix(parts.path)
    if kind is not None:
        above, _, name = parts.path.rpartition("/")
        store = _cached(HTTPStore(urlunsplit(parts._replace(path=above + "/")), options), options)
        return kind.open(store, unquote(name), join_url(store.url, unquote(name)))
    return _cached(HTTPStore(url, options), options)


def _split(url: str) -> tuple[str, str, str]:
    """User-info, host and path of the URL of an object.

    A query is refused, and not shown, since it may be a signature. Without it, ``?versionId=…`` would open another version.
    """
    scheme, _, rest = url.partition("://")
    rest, mark, _ = rest.partition("?")
    place, _, path = rest.partition("/")
    user, _, host = place.rpartition("@")
    if not host:
        raise StoreError(f"{scheme}:// needs the name of a bucket")
    if ":" in place or (user and scheme in {"s3", "gs"}):
        raise StoreError(
            f"{scheme}://: a URL must not contain credentials; use the environment (or --profile with s3://)"
        )
    if mark:
        raise StoreError(
            f"{scheme}://{host}/{path.lstrip('/')} is followed by a query, which has no meaning in {scheme}://; "
            "a name with a question mark can only be given as a node, after #/"
        )
    return user, host, path.strip("/")


def _in_bucket(make: Callable[[str], ReadableStore], path: str, kind: FileKind | None) -> ReadableStore:
    """The files under a path of a bucket; or the file at the path, if its name, or ``kind``, says what it is."""
    kind = kind or kind_by_suffix(path)
    if kind is None:
        return make(path + "/" if path else "")
    above, _, name = path.rpartition("/")
    store = make(above + "/" if above else "")
    return kind.open(store, name, join_url(store.url, name))


_REMOTE: Final[dict[str, Callable[[str, StoreOptions, FileKind | None], ReadableStore]]] = {
    "s3": _open_s3,
    "gs": _open_gcs,
    "az": _open_azure,
    "abfs": _open_azure,
    "http": _open_http,
    "https": _open_http,
}

_OPENERS: Final[dict[str, Callable[..., ReadableStore]]] = {
    "file": _open_file,
    "memory": _open_memory,
    "lmdb": _open_lmdb,
    "redis": _open_redis,
    "rediss": _open_redis,
    "sqlite": _open_sqlite,
    "precomputed": _open_precomputed,
    "zip": _open_zip,
    **_REMOTE,
}
