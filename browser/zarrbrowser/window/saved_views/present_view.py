"""The present view of the window as one that can be saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zarrbrowser.session.connection import Connection
from zarrbrowser.session.saved_views.untrusted import address_of
from zarrbrowser.session.saved_views.view import SavedView, title_of
from zarrbrowser.session.sources import SourceRequest
from zarrbrowser.session.state import Session
from zarrbrowser.window.node_pane import NodePane


def present_view(
    session: Session, node_pane: NodePane, awaited: Mapping[str, Any] | None = None
) -> SavedView | None:
    """The node, its tab and how it looks, named after the node and the position; None without a node.

    Args:
        awaited: the settings that will be restored once the tab shows the node: the user chose a view a moment ago.
    """
    source, node = session.source, session.node
    if source is None or node is None:
        return None
    pane, connection = node_pane.current_pane, Connection.of(source.request.options)
    request = SourceRequest(
        address_of(source.request, source.hierarchy.url),
        node.path,
        source.request.format,
        connection if connection != Connection() else None,
    )
    title = title_of(", ".join(filter(None, (node.name or source.title, pane.position()))))
    state = awaited or pane.lasting_view_state()
    return SavedView(title, request, node_pane.current_tab(), _without_secrets(state))


def _without_secrets(state: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, and those of a second image, without a comparison with an array whose address may have a signature."""
    comparison, beside = state.get("comparison"), state.get("beside")
    is_secret = isinstance(comparison, dict) and "?" in str(comparison.get("address", ""))
    found = {**state, "comparison": None} if is_secret else dict(state)
    if isinstance(beside, Mapping) and isinstance(beside.get("view"), Mapping):
        found["beside"] = {**beside, "view": _without_secrets(beside["view"])}
    return found
