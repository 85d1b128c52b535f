"""File systems of fsspec: made from a URL when first needed, and remade after a fork or a broken connection."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import re
import threading
import weakref
from collections.abc import Hashable
from contextlib import AbstractContextManager
from typing import Any, Final

from zarrcore.errors import MissingExtraError, StoreError
from zarrcore.late_imports import from_extra, imported
from zarrcore.stores.connection.failures import without_secrets
from zarrcore.stores.options import StoreOptions

_PROTOCOL: Final = re.compile(r"([A-Za-z][A-Za-z0-9+._-]*)(?:://|$)")
_PASSWORD: Final = re.compile(r"://[^/@]*:[^@]*@")
_CHAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*(://[^:\[]*)?::")


def is_chain(text: str) -> bool:
    """Whether a text is a chain of URLs in fsspec's sense, and not the name of a file.

    >>> is_chain("simplecache::ftp://host/x"), is_chain("http://[::1]/x"), is_chain("tar://in::/x.tar")
    (True, False, True)
    """
    return _CHAIN.match(text) is not None and not os.path.lexists(text)


def knows(protocol: str) -> bool:
    """Whether fsspec supports URLs of this kind.

    Raises:
        MissingExtraError: fsspec is not installed.
    """
    return protocol in _fsspec(protocol).available_protocols()


class UrlFilesystem:
    """The file system and path of a URL: ``ftp://host/path``, ``simplecache::sftp://host/path``.

    Args:
        url: the URL, or a chain of them; a password in it is refused.
        options: how to reach it.

    Raises:
        MissingExtraError: fsspec is not installed.
        StoreError: fsspec does not support these URLs, or lacks a package for them.
    """

    def __init__(self, url: str, options: StoreOptions) -> None:
        protocols = [match[1].lower() for link in url.split("::") if (match := _PROTOCOL.match(link))]
        last = protocols[-1]
        variable = f"FSSPEC_{last.upper()}_PASSWORD"
        if _PASSWORD.search(url):
            raise StoreError(f"{last}://: a URL must not contain a password; put it into {variable}")
        for protocol in protocols:
            _check_known(protocol)
        self.hint = f"the password comes from {variable}, or from fsspec's own configuration"
        self.url = without_secrets(url)
        self._named = url
        self._options = options
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._made: tuple[int, Any, str] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_lock", "_made")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    @property
    def identity(self) -> Hashable:
        """The identity of this location."""
        return hashlib.sha256(os.fsencode(self._named)).digest(), self._options.identity

    def get(self) -> tuple[Any, str]:
        """The file system and the path. May contact the file system.

        Raises:
            Exception: any exception of the implementation.
        """
        made = self._made
        if made is None or made[0] != os.getpid():
            with self._lock:
                made = self._made
                if made is None or made[0] != os.getpid():
                    made = self._made = (os.getpid(), *self._make())
        return made[1:]

    def forget(self) -> None:
        """Remake the file system the next time."""
        self._made = None

    def _make(self) -> tuple[Any, str]:
        fsspec = imported("fsspec")
        options: dict[str, Any] = {}
        outermost = fsspec.get_filesystem_class(fsspec.utils.get_protocol(self._named.split("::")[0]))
        if "timeout" in inspect.signature(outermost.__init__).parameters:
            options["timeout"] = self._options.timeout_s
        filesystem, path = fsspec.url_to_fs(self._named, skip_instance_cache=True, **options)
        with contextlib.suppress(AttributeError):  # so that writes of other programs are visible
            filesystem.dircache.use_listings_cache = False
        return filesystem, path


class GivenFilesystem:
    """A file system made by the caller, and a path in it."""

    hint = "the file system was opened by the caller"

    def __init__(self, filesystem: Any, path: str) -> None:
        self.filesystem = filesystem
        self.path = str(filesystem._strip_protocol(path))  # noqa: SLF001 - as fsspec does itself
        self.url = str(without_secrets(filesystem.unstrip_protocol(self.path)))

    @property
    def identity(self) -> Hashable:
        """The identity of this location."""
        return self.filesystem._fs_token, self.path  # noqa: SLF001 - fsspec compares file systems by it

    def get(self) -> tuple[Any, str]:
        """The file system and the path."""
        return self.filesystem, self.path

    def forget(self) -> None:
        """Do nothing: the file system cannot be remade here."""


def _fsspec(protocol: str) -> Any:
    return from_extra("fsspec", f"{protocol}://", "fsspec")


def _check_known(protocol: str) -> None:
    try:
        _fsspec(protocol).get_filesystem_class(protocol)
    except MissingExtraError:
        raise
    except ValueError as error:
        raise StoreError(f"{protocol}:// is not a scheme of fsspec") from error
    except ImportError as error:
        raise StoreError(f"{protocol}:// cannot be opened: {error}") from error


_locks: weakref.WeakKeyDictionary[Any, threading.RLock] = weakref.WeakKeyDictionary()
_locks_lock = threading.Lock()


def turn(filesystem: Any) -> AbstractContextManager[Any]:
    """The lock for calls of a file system: file systems that are not asynchronous may not be thread-safe."""
    if getattr(filesystem, "async_impl", False):
        return contextlib.nullcontext()
    with _locks_lock:
        return _locks.setdefault(filesystem, threading.RLock())
