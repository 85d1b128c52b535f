"""The marker of an unfinished copy: a key at the destination's root, written first and erased last.

It holds the fingerprint of the plan. Running the same copy again resumes it; running another copy to the same place is
refused.
"""

from __future__ import annotations

from zarrcore.errors import MetadataError
from zarrcore.metadata.json_document import format_json, parse_json_object
from zarrcore.stores.interface import ReadableStore, WritableStore

MARKER_KEY = ".zarrscope-copy.json"


def read_marker(store: ReadableStore) -> str | None:
    """The fingerprint of the copy that was interrupted in ``store``; None if there was none."""
    data = store.get(MARKER_KEY)
    if data is None:
        return None
    try:
        fingerprint = parse_json_object(bytes(data)).get("plan")
    except MetadataError:
        return ""
    return fingerprint if isinstance(fingerprint, str) else ""


def write_marker(store: WritableStore, source: str, fingerprint: str) -> None:
    """Mark ``store`` as the destination of an unfinished copy of ``source``."""
    document = {
        "comment": "zarrscope copy was interrupted here; run the same command again to finish it",
        "source": source,
        "plan": fingerprint,
    }
    store.set(MARKER_KEY, format_json(document))


def erase_marker(store: WritableStore) -> None:
    """Erase the mark when the copy is finished."""
    store.erase(MARKER_KEY)
