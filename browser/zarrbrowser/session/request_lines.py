"""Requests for sources as lines in the settings file, without credentials."""

from __future__ import annotations

import json
from dataclasses import asdict, fields

from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import SourceRequest


def to_line(request: SourceRequest) -> str:
    """A request as one line for the settings; headers and other fields that may be secret are left out.

    >>> to_line(SourceRequest("s3://bucket/a.zarr", options=Connection(region="eu-west-1")))
    '{"address": "s3://bucket/a.zarr", "region": "eu-west-1"}'
    """
    connection = {name: value for name, value in asdict(Connection.of(request.options)).items() if value}
    if "@" in connection.get("endpoint_url", ""):
        del connection["endpoint_url"]
    further = {"format": request.format} if request.format else {}
    further |= {"path": request.path} if request.path != "/" else {}
    return json.dumps({"address": request.address, **further, **connection})


def from_line(text: str) -> SourceRequest | None:
    """The request in a line of `to_line`; None if the line is malformed.

    >>> from_line('{"address": "a.zarr", "anonymous": true}').options
    Connection(endpoint_url='', region='', profile='', anonymous=True, requester_pays=False)
    """
    try:
        known = json.loads(text)
        address, path = known["address"], known.get("path", "/")
        connection = Connection(
            **{field.name: known[field.name] for field in fields(Connection) if field.name in known}
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    strings = (
        address,
        path,
        connection.endpoint_url,
        connection.region,
        connection.profile,
        known.get("format") or "",
    )
    if not all(isinstance(one, str) for one in strings) or not address:
        return None
    return SourceRequest(
        address, path, known.get("format"), connection if connection != Connection() else None
    )
