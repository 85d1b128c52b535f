"""The one rule for what data may name: files of a file or document, targets of references, virtual chunks, redirections.

Two levels. *Own*: a source that its user opened for themselves may name local files, buckets and public servers. *Shared*: a
source that others see through this process (``serve``, a mount with ``allow_other``), a document found in a collection, or one
that is not on this machine, may name only what is in its own folder, bucket, or folder of a web server.
``--allow-targets`` opens more at both levels.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from dataclasses import replace

from zarrcore.errors import BrokenReferenceError
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.options import StoreOptions
from zarrcore.stores.targets.places import BUCKETS, Place, is_local_server, scheme_of


class TargetPolicy:
    """Which targets one document, or file, may name.

    Args:
        source: the store of the document.
        url: of the document.
        is_folder: whether the document is a folder, and ``source`` all of it.

    Attributes:
        is_strict: whether only its own place and what the user allowed may be named.
        options: for the stores of its targets. What a strict document leads to is strict, too.
    """

    def __init__(self, source: ReadableStore, url: str, *, is_folder: bool = False) -> None:
        options = source.options
        self.url = url
        self.is_strict = source.is_remote or options.targets == "shared"
        self.given = _places(options.allow_targets)
        root = _own_place(source, url, is_folder=is_folder)
        self.allowed = (*_places([root]), *self.given)
        self.options = replace(options, is_target=True, create=False)
        if self.is_strict:
            allowed = (*filter(None, [root]), *options.allow_targets)
            self.options = replace(self.options, targets="shared", allow_targets=allowed)
        self._public: set[str] = set()

    def check(self, target: str, what: str) -> Place:
        """The place of a target, if it may be read. The place at which it is allowed is `within`.

        Args:
            target: a URL or an absolute path.
            what: the beginning of the sentence that refuses it.

        Raises:
            BrokenReferenceError: it may not be read.
            ValueError: it is malformed.
        """
        place = Place.of(target)
        server = place.server or ""
        if self.within(place) is None and server not in self._public:
            why = _why_not(place, is_strict=self.is_strict)
            if why:
                raise refusal(what, why, place, self.url)
            if server:  # its name was looked up
                self._public.add(server)
        return place

    def within(self, place: Place) -> Place | None:
        """The place, of the document or allowed by the user, that a target lies in."""
        return next((each for each in self.allowed if place.is_beneath(each)), None)


def check_redirection(before: str, after: str, options: StoreOptions) -> None:
    """Check where a server sends a request. It may send it to the secure port of the same address.

    Args:
        before: the address that was requested.
        after: the address that the server names.
        options: of the store.

    Raises:
        BrokenReferenceError: it may not be followed.
    """
    if options.targets == "own" and not options.is_target:
        return
    try:
        old, new = Place.of(before), Place.of(after)
    except ValueError as error:
        url = before.partition("?")[0]
        raise BrokenReferenceError(f"{url} redirects to an invalid address", url=url) from error
    is_strict = options.targets == "shared" and options.is_target
    is_own = (old.scheme, old.host) == (new.scheme, new.host) and not (is_strict and old.path != new.path)
    is_secured = (old.scheme, old.host, old.path) == ("http", new.host, new.path) and new.scheme == "https"
    if is_own or is_secured or any(map(new.is_beneath, _places(options.allow_targets))):
        return
    why = _why_not(new, is_strict=is_strict)
    if why:
        shown = f"{new.scheme}://{new.host}/{new.path}"
        raise refusal(
            f"{before.partition('?')[0]} redirects to {shown!r}", why, new, before.partition("?")[0]
        )


def refusal(what: str, why: str, place: Place, url: str) -> BrokenReferenceError:
    """The error that names what would allow a place."""
    prefix = place.prefix
    error = BrokenReferenceError(f"{what}, {why}; --allow-targets {shlex.quote(prefix)} allows it", url=url)
    error.allow = prefix
    return error


def _why_not(place: Place, *, is_strict: bool) -> str:
    """Why a place may not be read unless it is allowed; empty if it may."""
    if is_strict:
        return "which is outside the folder or bucket of the source"
    if place.server is not None and is_local_server(place.server):
        return "which is an address of this machine or of its link"
    return ""


def _own_place(source: ReadableStore, url: str, *, is_folder: bool) -> str:
    """What the document may name in any case.

    A remote folder may name what is beside it, as a file may, but not if others see it: it may be all that they are to see.
    """
    if not source.is_remote:
        return source.url
    scheme, _, rest = url.partition("://")
    if scheme_of(url) in BUCKETS:
        return f"{scheme}://{rest.partition('/')[0]}/"
    if is_folder and source.options.targets == "shared":
        return url
    host, _, path = rest.rstrip("/").partition("/")
    return f"{scheme}://{host}/{path.rpartition('/')[0]}"


def _places(prefixes: Iterable[str]) -> tuple[Place, ...]:
    """Places of prefixes; those that are none, such as the name of a store in memory, allow nothing."""
    found = []
    for prefix in filter(None, prefixes):
        try:
            found.append(Place.of(prefix if scheme_of(prefix) else os.path.abspath(prefix)))
        except ValueError:
            continue
    return tuple(found)
