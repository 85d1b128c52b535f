"""The second image of a view: it is shown beside the first one, and may be of another source.

Its document is a part of the settings of a view, so it also comes from files and links that others made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from zarrbrowser.session.connection import Connection
from zarrbrowser.session.request_lines import request_document, request_of
from zarrbrowser.session.saved_views.view import BadViewError, check_place, path_of
from zarrbrowser.session.sources import Source, SourceRequest

MEMBER = "beside"
"""The member of the settings of a view that holds the document."""
_OF_REQUEST = frozenset(("address", "path", "format", "refused", *(one.name for one in fields(Connection))))


@dataclass(frozen=True, slots=True)
class SecondImage:
    """What is shown beside the first image."""

    request: SourceRequest
    """The source and the node; its options are a `Connection` or None."""
    settings: Mapping[str, Any]
    """``zooms`` and ``moves``, whether it is linked with the first image, and ``view``, the settings of its pane."""
    refused: str = ""
    """Why the window must not open the source by itself, as a sentence; empty if it may."""

    @classmethod
    def of(cls, document: Any) -> SecondImage | None:
        """The second image of a `document`; None if there is none, or the document is malformed."""
        if not isinstance(document, Mapping) or not isinstance(document.get("path"), str):
            return None
        request, refused = request_of(document), document.get("refused", "")
        if request is None or not isinstance(refused, str):
            return None
        try:
            check_place(request.address)
            check_place(request.path)
        except BadViewError:
            return None
        settings = {name: value for name, value in document.items() if name not in _OF_REQUEST}
        return cls(replace(request, path=path_of(request.path)), settings, refused)

    def document(self) -> dict[str, Any]:
        """The second image as JSON without a secret."""
        told = {**self.settings, **request_document(self.request), "path": self.request.path}
        return told | ({"refused": self.refused} if self.refused else {})

    def is_of(self, source: Source) -> bool:
        """Whether it is an image of this open source: at its address, and on the server that it names, if it names one."""
        wanted, present = Connection.of(self.request.options), Connection.of(source.request.options)
        is_there = wanted.endpoint_url in ("", present.endpoint_url)
        return is_there and self.request.place in source.places
