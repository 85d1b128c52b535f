"""The open sources and the current view, saved from one run of the program to the next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from zarrbrowser.session.history import Visit
from zarrbrowser.session.request_lines import from_line, to_line
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.session.state import Session
from zarrbrowser.settings import Settings


def save_session(settings: Settings, session: Session, tab: str, view_state: Mapping[str, Any]) -> None:
    """Save the open sources, the current node, its tab, and its view."""
    sources = [replace(one.request, address=one.hierarchy.url, path="/") for one in session.sources]
    settings.keep("open", [*map(to_line, sources)])
    source, node = session.source, session.node
    here = ""
    if source is not None and node is not None:
        here = to_line(SourceRequest(source.hierarchy.url, node.path))
    settings.keep("here", here)
    settings.keep("tab", tab)
    settings.keep("look", json.dumps(view_state))


def saved_session(settings: Settings) -> tuple[list[SourceRequest], Visit | None]:
    """The saved sources and the node that was current."""
    requests = [replace(request, path="/") for request in saved_requests(settings, "open")]
    here = from_line(settings.text("here", ""))
    if here is None:
        return requests, None
    tab, view_state = settings.text("tab", ""), settings.document("look")
    return requests, Visit(here.place, here.address, here.path, tab, view_state)


def saved_requests(settings: Settings, name: str) -> list[SourceRequest]:
    """Requests from a saved list, without malformed ones."""
    return [request for request in map(from_line, settings.texts(name)) if request is not None]
