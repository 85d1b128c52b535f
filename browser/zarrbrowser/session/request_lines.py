"""Requests for sources as JSON, and as lines in the settings file, without credentials."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import SourceRequest


def request_document(request: SourceRequest) -> dict[str, Any]:
    """A request as JSON, without defaults; headers and other fields that may be secret are left out."""
    connection = {name: value for name, value in asdict(Connection.of(request.options)).items() if value}
    if "@" in connection.get("endpoint_url", ""):
        del connection["endpoint_url"]
    further = {"format": request.format} if request.format else {}
    further |= {"path": request.path} if request.path != "/" else {}
    return {"address": request.address, **further, **connection}


def request_of(document: Mapping[str, Any]) -> SourceRequest | None:
    """The request in a `request_document`; None if it is malformed. Other members are ignored."""
    try:
        address, path = document["address"], document.get("path", "/")
        connection = Connection(
            **{field.name: document[field.name] for field in fields(Connection) if field.name in document}
        )
        told_format = document.get("format")
    except (TypeError, KeyError, AttributeError):
        return None
    strings = (
        address,
        path,
        connection.endpoint_url,
        connection.region,
        connection.profile,
        told_format or "",
    )
    flags = (connection.anonymous, connection.requester_pays)
    are_texts = all(isinstance(one, str) for one in strings)
    if not are_texts or not all(isinstance(one, bool) for one in flags) or not address:
        return None
    options = connection if connection != Connection() else None
    return SourceRequest(address, path, told_format or None, options)


def to_line(request: SourceRequest) -> str:
    """A request as one line for the settings.

    >>> to_line(SourceRequest("s3://bucket/a.zarr", options=Connection(region="eu-west-1")))
    '{"address": "s3://bucket/a.zarr", "region": "eu-west-1"}'
    """
    return json.dumps(request_document(request))


def from_line(text: str) -> SourceRequest | None:
    """The request in a line of `to_line`; None if the line is malformed.

    >>> from_line('{"address": "a.zarr", "anonymous": true}').options
    Connection(endpoint_url='', region='', profile='', anonymous=True, requester_pays=False)
    """
    try:
        return request_of(json.loads(text))
    except (ValueError, RecursionError):
        return None
