"""The marker of an unfinished copy: a key at the destination's root, written first and erased last.

It holds the fingerprint of the plan, and digests of the source's chunks. Running the same copy again resumes it; running another
copy to the same place is refused. Arrays whose chunks in the source changed meanwhile are copied again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from zarrcore.errors import MetadataError
from zarrcore.metadata.json_document import format_json, parse_json_object
from zarrcore.stores.interface import ReadableStore, WritableStore

MARKER_KEY = ".zarrscope-copy.json"


@dataclass(frozen=True, slots=True)
class Marker:
    """What a marker holds."""

    source: str
    """The URL of the source."""
    fingerprint: str
    """The fingerprint of the plan."""
    chunks: Mapping[str, str] = field(default_factory=dict)
    """Digests of the chunks of the source, by group of arrays; empty if the source cannot be listed."""


def read_marker(store: ReadableStore) -> Marker | None:
    """The marker of the copy that was interrupted in ``store``; None if there was none."""
    data = store.get(MARKER_KEY)
    if data is None:
        return None
    try:
        document = parse_json_object(bytes(data))
    except MetadataError:
        document = {}
    chunks = document.get("chunks")
    return Marker(
        str(document.get("source", "")),
        str(document.get("plan", "")),
        {name: str(digest) for name, digest in chunks.items()} if isinstance(chunks, dict) else {},
    )


def write_marker(store: WritableStore, marker: Marker) -> None:
    """Mark ``store`` as the destination of an unfinished copy."""
    document = {
        "comment": "zarrscope copy was interrupted here; run the same command again to finish it",
        "source": marker.source,
        "plan": marker.fingerprint,
        "chunks": dict(marker.chunks),
    }
    store.set(MARKER_KEY, format_json(document))


def erase_marker(store: WritableStore) -> None:
    """Erase the mark when the copy is finished."""
    store.erase(MARKER_KEY)
