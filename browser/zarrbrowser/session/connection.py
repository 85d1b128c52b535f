"""How to connect to a source, without credentials: those come from the environment."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ConnectionOption:
    """An option of a store that the window asks for."""

    name: str
    """Of the field of `Connection`, and of `zarrcore`'s `StoreOptions`."""
    label: str
    """In the form."""
    example: str = ""
    """Shown in the empty line of the form; an option without an example is a switch."""

    @property
    def is_switch(self) -> bool:
        """Whether the option is on or off."""
        return not self.example

    def words(self, value: str | bool) -> list[str]:
        """The option on the command line of `zarrscope`; nothing for its default."""
        flag = f"--{self.name.replace('_', '-')}"
        return [flag, *([] if self.is_switch else [str(value)])] if value else []


OPTIONS = (
    ConnectionOption("endpoint_url", "Endpoint URL", "http://localhost:9000"),
    ConnectionOption("region", "Region", "us-east-1"),
    ConnectionOption("profile", "Profile", "default"),
    ConnectionOption("anonymous", "Anonymous: send no credentials"),
    ConnectionOption("requester_pays", "Agree to pay for requests"),
)
"""In the order of the form and of the command line."""


@dataclass(frozen=True, slots=True)
class Connection:
    """The values of `OPTIONS`; `zarrcore` loads when they are used."""

    endpoint_url: str = ""
    """The address of a service that is not at its provider's own address."""
    region: str = ""
    profile: str = ""
    """The section of the AWS configuration files that holds the credentials."""
    anonymous: bool = False
    """Send no credentials, and look for none."""
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
        from zarrcore.stores.options import StoreOptions  # late: for a fast start

        values: dict[str, Any] = {
            name: None if value == "" else value for name, value in asdict(self).items()
        }
        return StoreOptions(**values)

    def words(self) -> list[str]:
        """As words of a command line of `zarrscope`.

        >>> Connection(region="eu-west-1", anonymous=True).words()
        ['--region', 'eu-west-1', '--anonymous']
        """
        return [word for one in OPTIONS for word in one.words(getattr(self, one.name))]

    def describe(self) -> str:
        """In a few words; empty for the defaults.

        >>> Connection("http://localhost:9000", anonymous=True).describe()
        'http://localhost:9000, anonymous'
        """
        words = [self.endpoint_url, self.region, f"profile {self.profile}" if self.profile else ""]
        words += ["anonymous"] * self.anonymous + ["requester pays"] * self.requester_pays
        return ", ".join(word for word in words if word)
