"""How to connect to a source; credentials come from the environment."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from zarrcore.stores import STORE_OPTIONS, StoreOptions

OPTIONS = tuple(sorted((one for one in STORE_OPTIONS if one.label), key=lambda one: one.is_flag))
"""The store options shown in forms, flags last."""


@dataclass(frozen=True, slots=True)
class Connection:
    """The values of `OPTIONS`: one field for each."""

    endpoint_url: str = ""
    """The address of a service that is not at its provider's default address."""
    region: str = ""
    profile: str = ""
    """The section of the AWS configuration files that holds the credentials."""
    anonymous: bool = False
    """Do not look for credentials, and send none."""
    requester_pays: bool = False

    @classmethod
    def of(cls, options: Any) -> Connection:
        """The connection of a request's options: `StoreOptions`, a `Connection`, or None."""
        if options is None or isinstance(options, Connection):
            return options or cls()
        found = {one.name: getattr(options, one.name) for one in OPTIONS}
        values: dict[str, Any] = {name: "" if value is None else value for name, value in found.items()}
        return cls(**values)

    def store_options(self) -> Any:
        """`zarrcore`'s `StoreOptions`.

        Raises:
            StoreError: a value is malformed.
        """
        values: dict[str, Any] = {
            name: None if value == "" else value for name, value in asdict(self).items()
        }
        return StoreOptions(**values)

    def words(self) -> list[str]:
        """The options as words of a `zarrscope` command line.

        >>> Connection(region="eu-west-1", anonymous=True).words()
        ['--region', 'eu-west-1', '--anonymous']
        """
        words = []
        for one in OPTIONS:
            value = getattr(self, one.name)
            words += [str(one.argument), *([] if one.is_flag else [value])] if value else []
        return words

    def describe(self) -> str:
        """A short text; empty for the defaults.

        >>> Connection("http://localhost:9000", anonymous=True).describe()
        'http://localhost:9000, anonymous'
        """
        words = [self.endpoint_url, self.region, f"profile {self.profile}" if self.profile else ""]
        words += ["anonymous"] * self.anonymous + ["requester pays"] * self.requester_pays
        return ", ".join(word for word in words if word)
