"""Views that others made: what they may name.

A link or a file may come from a stranger. Opening a store is all that it can do: without the user's credentials for a server of
the stranger's, without the user paying, and only in stores that opening does not change.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace

from zarrbrowser.session.connection import Connection
from zarrbrowser.session.saved_views.second_image import MEMBER, SecondImage
from zarrbrowser.session.saved_views.view import BadViewError, SavedView
from zarrbrowser.session.sources import RecentSources, SourceRequest
from zarrcore.stores import canonical_scheme

_WEB = ("http", "https")
_CLOUDS = ("s3", "gs", "az", "abfs")
_INNER = ("zip", "precomputed")
"""Schemes before another address."""
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_BUCKET = re.compile(r"[A-Za-z0-9._@-]+")
_REGION = re.compile(r"[A-Za-z0-9-]{0,40}")


def as_untrusted(view: SavedView) -> SavedView:
    """The view with what someone else may decide: with a server of its own it is anonymous.

    The same holds for the source of its second image: one that only the user may open is not opened by the view.

    Raises:
        BadViewError: it names a store that only the user may open, by typing its address.
    """
    return _with_second(replace(view, request=_untrusted(view.request)), _untrusted_second)


def _untrusted(request: SourceRequest) -> SourceRequest:
    connection = Connection.of(request.options)
    _check_address(request.shown_address)
    if not _REGION.fullmatch(connection.region):
        raise BadViewError(
            "The view names a region that does not exist."
        )  # it is a part of the server's name
    is_anonymous = connection.anonymous or bool(connection.endpoint_url)
    safe = replace(connection, profile="", requester_pays=False, anonymous=is_anonymous)
    options = safe if safe != Connection() else None
    return replace(request, address=request.shown_address, options=options)


def _untrusted_second(second: SecondImage) -> SecondImage:
    try:
        return replace(second, request=_untrusted(second.request), refused="")
    except BadViewError as error:
        bare = replace(second.request, address=second.request.shown_address, options=None)
        return replace(second, request=bare, refused=str(error))


def with_usual_connection(view: SavedView, recent: RecentSources) -> SavedView:
    """The view with the connections that the user used last for its sources, if the view does not name other servers."""
    usual = replace(view, request=_usual(view.request, recent))
    return _with_second(usual, lambda second: replace(second, request=_usual(second.request, recent)))


def _usual(request: SourceRequest, recent: RecentSources) -> SourceRequest:
    before = next((one for one in recent.requests if one.place == request.place), None)
    if before is None:
        return request
    usual, told = Connection.of(before.options), Connection.of(request.options)
    if told.endpoint_url not in ("", usual.endpoint_url):
        return request
    return replace(request, options=before.options, format=request.format or before.format)


def _with_second(view: SavedView, change: Callable[[SecondImage], SecondImage]) -> SavedView:
    """The view with another second image, if it has one."""
    second = SecondImage.of(view.state.get(MEMBER))
    if second is None:
        return view
    return replace(view, state={**view.state, MEMBER: change(second).document()})


def _check_address(address: str) -> None:
    match = _SCHEME.match(address)
    if "::" in address:
        raise BadViewError(
            "Links and files cannot open a chain of addresses: type it in the address line instead."
        )
    if match is None:
        if not os.path.isabs(address):
            raise BadViewError(f"The view names {address}, which is not a whole address.")
        return
    scheme, rest = canonical_scheme(match[1]), address[match.end() :]
    if scheme in _INNER:
        _check_address(rest)
    elif scheme in _CLOUDS:
        if not _BUCKET.fullmatch(rest.partition("/")[0]):
            raise BadViewError(f"The view names a bucket of {scheme}:// that cannot exist.")
    elif scheme not in (*_WEB, "file"):
        raise BadViewError(
            f"Links and files cannot open {scheme}:// stores: type the address in the address line instead."
        )


def address_of(request: SourceRequest, url: str) -> str:
    """The address under which a source is opened again from anywhere: absolute, without credentials.

    Args:
        url: the URL of its store.
    """
    address = replace(request, address=url).shown_address
    return address if "://" in address else os.path.abspath(address)
