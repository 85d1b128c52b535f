"""How a source is reached, as far as it may be remembered: what holds no credential."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from zarrbrowser.session.sources import SourceRequest


@dataclass(frozen=True, slots=True)
class Connection:
    """The options of a store that a person chooses in the window; `zarrcore` loads when they are used."""

    endpoint_url: str = ""
    """Where a service answers that is not at its provider's own address."""
    region: str = ""
    profile: str = ""
    """The section of the AWS configuration files that holds the credentials."""
    anonymous: bool = False
    """Send no credentials, and look for none."""
    requester_pays: bool = False

    @classmethod
    def of(cls, options: Any) -> Connection:
        """Of the options of a request: `StoreOptions`, a `Connection`, or None."""
        if options is None or isinstance(options, Connection):
            return options or cls()
        return cls(
            options.endpoint_url or "",
            options.region or "",
            options.profile or "",
            options.anonymous,
            options.requester_pays,
        )

    def store_options(self) -> Any:
        """`zarrcore`'s `StoreOptions`.

        Raises:
            StoreError: one of them makes no sense.
        """
        from zarrcore.stores.options import StoreOptions

        return StoreOptions(
            anonymous=self.anonymous,
            endpoint_url=self.endpoint_url or None,
            region=self.region or None,
            profile=self.profile or None,
            requester_pays=self.requester_pays,
        )

    def words(self) -> list[str]:
        """As words of a command line of `zarrscope`.

        >>> Connection(region="eu-west-1", anonymous=True).words()
        ['--region', 'eu-west-1', '--anonymous']
        """
        words = []
        for option, value in (
            ("--endpoint-url", self.endpoint_url),
            ("--region", self.region),
            ("--profile", self.profile),
        ):
            words += [option, value] if value else []
        return words + ["--anonymous"] * self.anonymous + ["--requester-pays"] * self.requester_pays

    def describe(self) -> str:
        """In a few words; empty for what is usual.

        >>> Connection("http://localhost:9000", anonymous=True).describe()
        'http://localhost:9000, anonymous'
        """
        words = [self.endpoint_url, self.region, f"profile {self.profile}" if self.profile else ""]
        words += ["anonymous"] * self.anonymous + ["requester pays"] * self.requester_pays
        return ", ".join(word for word in words if word)


def to_line(request: SourceRequest) -> str:
    """A request as one line for the settings; headers, and whatever else may be secret, are left out.

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
    """The request that `to_line` made a line of; None where it makes no sense.

    >>> from_line('{"address": "a.zarr", "anonymous": true}').options
    Connection(endpoint_url='', region='', profile='', anonymous=True, requester_pays=False)
    """
    try:
        known = json.loads(text)
        address, path = known["address"], known.get("path", "/")
        connection = Connection(
            **{field.name: known[field.name] for field in fields(Connection) if field.name in known}
        )
    except (ValueError, TypeError, KeyError, AttributeError):
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
