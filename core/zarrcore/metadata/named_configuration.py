"""``{"name": …, "configuration": {…}}``: how Zarr v3 names codecs, grids, key encodings and data types.

Accepted specification, "Extension points"; version 3.1 adds the short form (a plain string if only a name is
needed) and ``must_understand``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zarrcore.errors import MetadataError
from zarrcore.metadata.json_document import JsonObject, describe
from zarrcore.metadata.read_only_json import changeable, read_only


@dataclass(frozen=True, slots=True)
class NamedConfiguration:
    """A name and its configuration."""

    name: str
    """Identifies the extension, for instance ``zstd``."""
    configuration: Mapping[str, Any] = field(default_factory=dict)
    """The parameters by name, read-only: arrays share them."""
    must_understand: bool = True
    """Whether a reader that does not know the name must fail."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "configuration", read_only(self.configuration))

    def document(self) -> JsonObject:
        """Its form in a metadata document."""
        document: JsonObject = {"name": self.name}
        # zarr-python demands a configuration for these, even an empty one.
        if self.configuration or self.name.startswith("numcodecs."):
            document["configuration"] = changeable(self.configuration)
        if not self.must_understand:
            document["must_understand"] = False
        return document


def parse_named_configuration(value: Any, member: str) -> NamedConfiguration:
    """Read a name with configuration, in long or short form.

    Raises:
        MetadataError: neither a string nor an object with a ``name``.

    >>> parse_named_configuration("bytes", "codecs[0]").name
    'bytes'
    """
    if isinstance(value, str):
        return NamedConfiguration(value)
    if not isinstance(value, dict):
        raise MetadataError(f"expected an object with a name, found {describe(value)}", member=member)
    name, configuration = value.get("name"), value.get("configuration", {})
    if not isinstance(name, str):
        raise MetadataError(f"expected a string, found {describe(name)}", member=f"{member}.name")
    if not isinstance(configuration, dict):
        raise MetadataError(
            f"expected an object, found {describe(configuration)}", member=f"{member}.configuration"
        )
    understood = value.get("must_understand", True)
    if not isinstance(understood, bool):
        raise MetadataError(
            f"expected true or false, found {describe(understood)}", member=f"{member}.must_understand"
        )
    for extra in value.keys() - {"name", "configuration", "must_understand"}:
        raise MetadataError("the specification does not define this member", member=f"{member}.{extra}")
    return NamedConfiguration(name, configuration, understood)


def integers(value: Any, member: str, *, minimum: int, what: str = "integers") -> tuple[int, ...]:
    """A JSON array of integers of at least ``minimum`` and below 2¹²⁸, as lengths and numbers of axes are.

    Raises:
        MetadataError: anything else.
    """
    if not isinstance(value, list):
        raise MetadataError(f"expected an array of {what}, found {describe(value)}", member=member)
    found = []
    for position, item in enumerate(value):
        # JSON's true equals Python's 1. Some JavaScript writers write 3.0, which RFC 8259 counts as an integer.
        number = int(item) if isinstance(item, float) and item.is_integer() else item
        if isinstance(number, bool) or not isinstance(number, int):
            raise MetadataError(
                f"expected an integer, found {describe(item)}", member=f"{member}[{position}]"
            )
        if number < minimum:
            raise MetadataError(
                f"expected at least {minimum}, found {number}", member=f"{member}[{position}]"
            )
        if number >= 1 << 128:  # products of larger ones may have more digits than Python prints
            raise MetadataError(
                f"expected less than 2¹²⁸, found {describe(number)}", member=f"{member}[{position}]"
            )
        found.append(number)
    return tuple(found)
