"""On-disk formats: one file each, the newest first."""

from zarrcore.errors import UnsupportedError
from zarrcore.formats.detect import detect_format
from zarrcore.formats.interface import Format
from zarrcore.formats.v2 import V2Format
from zarrcore.formats.v3 import V3Format

Format.V3 = V3Format()
Format.V2 = V2Format()

FORMATS: tuple[Format, ...] = (Format.V3, Format.V2)
"""All formats, in the order in which a store is asked for them."""


def format_named(name: str | Format) -> Format:
    """The format of this name.

    Raises:
        UnsupportedError: there is none.

    >>> format_named("v2").title
    'Zarr v2'
    """
    for candidate in FORMATS:
        if name in (candidate, candidate.name):
            return candidate
    known = ", ".join(candidate.name for candidate in FORMATS)
    raise UnsupportedError("format", str(name), f"is unknown; known are {known}")


__all__ = ["FORMATS", "Format", "detect_format", "format_named"]
