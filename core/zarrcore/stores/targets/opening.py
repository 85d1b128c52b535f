"""Opening what data name: files of a file, targets of references. This is the only way to do so; `policy` has the rule.

Credentials go only to places that the user has named.
"""

from __future__ import annotations

import os
import posixpath
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Final
from urllib.parse import unquote, urlsplit

from zarrcore.errors import BrokenReferenceError, InvalidKeyError
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.keys import check_path_like_key
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.targets.places import BUCKETS, WEB, path_of, scheme_of
from zarrcore.stores.targets.policy import TargetPolicy
from zarrcore.stores.virtual.combined_reads import combining

_OPEN_MAX: Final = 64
_REMOTE: Final = (*BUCKETS, *WEB)


def is_remote_target(url: str) -> bool:
    """Whether a target is not on this machine; False for a relative path."""
    return scheme_of(url) not in ("", "file", "memory")


class Targets:
    """The targets of one document, as stores that are opened when they are needed.

    Args:
        source: the store of the document; relative targets are there.
        folder: the key of the document's folder there, empty or ending in ``/``; None if it is above ``source``.
        url: of the document.
    """

    def __init__(self, source: ReadableStore, folder: str | None, url: str) -> None:
        self._source = source
        self._folder = folder
        self._url = url
        self._policy = TargetPolicy(source, url, is_folder=folder is None)
        self._options = self._policy.options
        self._stores: OrderedDict[str, ReadableStore] = OrderedDict()
        self._lock = threading.Lock()
        self._own: ReadableStore | None = None

    def close(self) -> None:
        """Close all stores that were opened."""
        with self._lock:
            stores = [*self._stores.values()]
            self._stores.clear()
        for store in stores:
            store.close()

    def refresh(self) -> None:
        """Drop what the stores know."""
        with self._lock:
            stores = [*self._stores.values()]
        for store in stores:
            store.refresh()

    def find(self, target: str, key: str) -> tuple[ReadableStore, str]:
        """The store of a target, and its key there.

        Args:
            target: as the document has it.
            key: the key that refers to it.

        Raises:
            BrokenReferenceError: it is not allowed, or of an unknown kind.
            StoreError: its store cannot be opened.
        """
        try:
            return self._found(target, key)
        except (InvalidKeyError, ValueError) as error:
            raise self._refused(key, target, f"which cannot be read: {error}") from error

    def _found(self, target: str, key: str) -> tuple[ReadableStore, str]:
        scheme = scheme_of(target)
        host = target.partition("://")[2].partition("/")[0]
        if not target or "\0" in target or "::" in target or "|" in host:
            raise self._refused(key, target, "which is not the address of a file")
        if not scheme and not target.startswith("/"):
            return self._relative(target, key)
        if scheme in ("", "file"):
            return self._local(path_of(target) if scheme else target, key)
        self._policy.check(target, self._start(key, target))
        if scheme in BUCKETS:
            return self._in_bucket(scheme, target, key)
        if scheme in WEB:
            return self._on_web(scheme, target)
        if scheme == "memory":
            place, _, inner = target.partition("://")[2].strip("/").partition("/")
            if not inner:
                raise self._refused(key, target, "which names no value of a store")
            return self._opened(f"memory://{place}", self._options), inner
        place, _, inner = target.partition("://")[2].partition("/")
        return self._opened(f"{scheme}://{place}", replace(self._options, headers={})), inner

    def _relative(self, target: str, key: str) -> tuple[ReadableStore, str]:
        if self._folder is not None:
            inner = posixpath.normpath(self._folder + target)
            if not inner.startswith("../"):
                check_path_like_key(inner, self._url)
                return self._own_store(), inner
        folder, _, _ = self._url.rstrip("/").rpartition("/")
        scheme = scheme_of(folder)
        if scheme == "" and folder.startswith("/"):
            return self._local(posixpath.normpath(f"{folder}/{target}"), key)
        if scheme not in _REMOTE:
            raise self._refused(key, target, "which leads out of the store of the document")
        beginning, _, rest = folder.partition("://")
        host, _, path = rest.partition("/")
        inner = posixpath.normpath(f"{path}/{target}".lstrip("/"))
        if inner.startswith("../"):
            raise self._refused(key, target, "which leads out of the store of the document")
        return self._found(f"{beginning}://{host}/{inner}", key)

    def _own_store(self) -> ReadableStore:
        if not self._source.is_remote:
            return self._source
        with self._lock:
            if self._own is None:
                self._own = combining(self._source)
            return self._own

    def _local(self, path: str, key: str) -> tuple[ReadableStore, str]:
        place = self._policy.check(path, self._start(key, path))
        # A link to a file means the file.
        above, name = os.path.split(f"/{place.path}")
        within = self._policy.within(place)
        if self._policy.is_strict and within is not None and within.path != place.path:
            # The store keeps links that are made meanwhile from leading out.
            above, name = f"/{within.path}", place.path[len(within.path) :].lstrip("/")
        return self._opened(above, self._options, lambda: _local_store(above, self._options)), name

    def _in_bucket(self, scheme: str, target: str, key: str) -> tuple[ReadableStore, str]:
        host, _, inner = target.partition("://")[2].partition("/")
        if "@" in host and scheme in ("s3", "gs"):
            raise self._refused(key, target, "which has credentials")
        check_path_like_key(inner, self._url)
        return self._opened(f"{scheme}://{host}", self._options_for(scheme, host)), inner

    def _on_web(self, scheme: str, target: str) -> tuple[ReadableStore, str]:
        parts = urlsplit(target)
        inner = unquote(parts.path).lstrip("/")
        check_path_like_key(inner, self._url)
        query = f"?{parts.query}" if parts.query else ""
        return self._opened(
            f"{scheme}://{parts.netloc}/{query}", self._options_for(scheme, parts.netloc)
        ), inner

    def _options_for(self, scheme: str, host: str) -> StoreOptions:
        """The options for a service: headers only for that of the document, an endpoint only for services of its kind."""
        options, own = self._options, scheme_of(self._url)
        own_host = self._url.partition("://")[2].partition("/")[0]
        if (own, own_host) != (scheme, host):
            options = replace(options, headers={})
        if own in BUCKETS and _family(own) != _family(scheme):
            options = replace(options, endpoint_url=None)
        return options

    def _opened(
        self, place: str, options: StoreOptions, make: Callable[[], ReadableStore] | None = None
    ) -> ReadableStore:
        """The store at a place; the one that was not used for the longest time is dropped if there are too many."""
        with self._lock:
            store = self._stores.get(place)
            if store is None:
                store = self._stores[place] = make() if make else _opened_remote(place, options)
            self._stores.move_to_end(place)
            if len(self._stores) > _OPEN_MAX:
                # Other threads may still read it, so it is left to them and to garbage collection.
                self._stores.popitem(last=False)
        return store

    def _refused(self, key: str, target: str, why: str) -> BrokenReferenceError:
        return BrokenReferenceError(f"{self._start(key, target)}, {why}", key=key, url=self._url)

    def _start(self, key: str, target: str) -> str:
        return f"{key} of {self._url} is in {target.partition('?')[0][:200]!r}"


def _family(scheme: str) -> str:
    return "az" if scheme.startswith("abfs") else scheme


def _local_store(place: str, options: StoreOptions) -> ReadableStore:
    from zarrcore.stores.local.store import LocalStore

    store = LocalStore(place, follow_links=options.follow_links and options.targets == "own")
    store.options = options
    return store


def _opened_remote(place: str, options: StoreOptions) -> ReadableStore:
    from zarrcore.stores.open import open_store

    store = open_store(place, options=options)
    return combining(store) if store.is_remote else store
