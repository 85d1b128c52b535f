"""The document of a node that its file has, but that cannot be read as Zarr: an extension of Zarr v3 with the reason.

Other readers refuse the node, too: they must understand each member that they do not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_MEMBER: Final = "zarrscope.unreadable"


def unreadable_document(reason: str) -> dict[str, Any]:
    """The ``zarr.json`` of such a node.

    Args:
        reason: why it cannot be read, in one sentence.

    >>> reason_of(unreadable_document("the soft link leads to /a, which does not exist"))
    'the soft link leads to /a, which does not exist'
    """
    extension = {"must_understand": True, "reason": reason}
    return {"zarr_format": 3, "node_type": "array", "attributes": {}, _MEMBER: extension}


def unreadable_value(reason: str) -> dict[str, str]:
    """What stands in the place of an attribute of a group that cannot be read: the group and its members can."""
    return {_MEMBER: reason}


def reason_of(document: Mapping[str, Any]) -> str | None:
    """Why the node of a document cannot be read; None if the document does not say so."""
    told = document.get(_MEMBER)
    reason = told.get("reason") if isinstance(told, dict) else None
    return reason if isinstance(reason, str) else None
