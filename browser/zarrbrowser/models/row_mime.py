"""A row of the tree as the data of a drag: the address of its source and the path of its node."""

from __future__ import annotations

import json

from PySide6.QtCore import QMimeData

MIME_TYPE = "application/x-zarrscope-node"


def mime_of(address: str, path: str) -> QMimeData:
    """The data of a drag."""
    data = QMimeData()
    data.setData(MIME_TYPE, json.dumps([address, path]).encode())
    return data


def row_in(data: QMimeData) -> tuple[str, str] | None:
    """The address and the path in the data of a drag; None if it is of something else."""
    if not data.hasFormat(MIME_TYPE):
        return None
    try:
        address, path = json.loads(bytes(data.data(MIME_TYPE).data()))
    except (ValueError, TypeError):
        return None
    return (address, path) if isinstance(address, str) and isinstance(path, str) else None
