"""URL pipelines: ``s3://bucket/plates.zip|zip:plate/1|zarr3:``.

ZEP 8, "URL syntax": a root URL, followed by adapters, each a kind or a format with a path inside it.
"""

from __future__ import annotations

import os
import re
from typing import Final, NamedTuple
from urllib.parse import unquote

from zarrcore.errors import StoreError
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.keys import join_url
from zarrcore.stores.kinds import FileKind, FolderKind, known_kinds
from zarrcore.stores.wrapper.prefix import PrefixStore

_ADAPTER: Final = re.compile(r"([a-z][a-z0-9.+-]*):(//)?([^?#]*)")

_FORMATS: Final = {"zarr3": "v3", "zarr2": "v2", "n5": "n5"}
"""Adapters that name a format, and the format's name."""

_DETECT: Final = ("zarr", "auto")
"""Adapters that leave the format to detection."""


class Adapter(NamedTuple):
    """One part of a pipeline, such as ``zip:plate/1`` or ``icechunk://branch.main/plate/1``."""

    name: str
    path: str
    authority: str = ""
    """The part of the source that it names, for kinds that have several."""

    @property
    def kind(self) -> FileKind | FolderKind | None:
        """The kind of file or folder that it names; None if it names a format."""
        return next((kind for kind in known_kinds() if kind.name == self.name), None)

    @property
    def format_name(self) -> str | None:
        """The name of the format that it names."""
        return _FORMATS.get(self.name)

    def __str__(self) -> str:
        return f"{self.name}://{self.authority}/{self.path}" if self.authority else f"{self.name}:{self.path}"


def is_pipeline(text: str) -> bool:
    """Whether a text is a URL pipeline, and not the name of a file.

    >>> is_pipeline("a.zip|zip:x"), is_pipeline("a.zip | less"), is_pipeline("a.zip")
    (True, False, False)
    """
    _, *adapters = text.split("|")
    return bool(adapters) and all(map(_ADAPTER.fullmatch, adapters)) and not os.path.lexists(text)


def parse_pipeline(text: str) -> tuple[str, list[Adapter]]:
    """The root URL and the adapters of a pipeline.

    Raises:
        StoreError: an adapter is unknown.

    >>> parse_pipeline("s3://bucket/a.zip|zip:x%20y/|zarr3:")
    ('s3://bucket/a.zip', [Adapter(name='zip', path='x y', authority=''), Adapter(name='zarr3', path='', authority='')])
    """
    root, *rest = text.split("|")
    adapters = [_adapter(*match.groups()) for match in map(_ADAPTER.fullmatch, rest) if match]
    for adapter in adapters:
        if adapter.kind is None and adapter.format_name is None and adapter.name not in _DETECT:
            known = ", ".join(
                f"{name}:" for name in (*(kind.name for kind in known_kinds()), *_FORMATS, *_DETECT)
            )
            raise StoreError(
                f"{adapter.name}: is not an adapter of URLs that zarrscope knows; known are {known}"
            )
    return root, adapters


def _adapter(name: str, slashes: str | None, rest: str) -> Adapter:
    adapter = Adapter(name, unquote(rest).strip("/"))
    if slashes and isinstance(adapter.kind, FolderKind) and adapter.kind.has_authority:
        authority, _, path = rest.partition("/")
        return Adapter(name, unquote(path).strip("/"), unquote(authority))
    return adapter


def adapted(store: ReadableStore, adapters: list[Adapter], first_path: str = "") -> ReadableStore:
    """What the adapters after a store lead to. Closing it closes ``store``.

    Args:
        store: the root, or what a first adapter of it, whose path is ``first_path``, has opened.
        adapters: the adapters that follow.
        first_path: a path in ``store``, of a folder, or of a file if the first of ``adapters`` is a kind of file.

    Raises:
        StoreError: a file was named where there is none, or it is broken.
    """
    path = first_path
    for adapter in adapters:
        kind = adapter.kind
        if isinstance(kind, FileKind):
            if not path:
                raise StoreError(f"{store.url} is a folder: {adapter} needs the path of a file in it")
            store = kind.open(store, path, join_url(store.url, path))
        else:
            store = _below(store, path)
            if kind is not None:
                store = kind.open(store, adapter.authority)
        store.named_format = adapter.format_name or store.named_format
        path = adapter.path
    named_format = store.named_format
    store = _below(store, path)
    store.named_format = named_format
    return store


def _below(store: ReadableStore, path: str) -> ReadableStore:
    return PrefixStore(store, f"{path}/", is_owner=True) if path else store
