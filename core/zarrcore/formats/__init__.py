"""On-disk formats: one file each, the newest first; then those of other packages."""

from functools import cache

from zarrcore.errors import UnsupportedError
from zarrcore.extensions import extension_names, load_extension
from zarrcore.formats.detect import detect_format
from zarrcore.formats.interface import Format
from zarrcore.formats.n5 import N5Format
from zarrcore.formats.v2 import V2Format
from zarrcore.formats.v3 import V3Format

Format.V3 = V3Format()
Format.V2 = V2Format()
Format.N5 = N5Format()

FORMATS: tuple[Format, ...] = (Format.V3, Format.V2, Format.N5)
"""Our formats, in the order in which a store is asked for them."""

_GROUP = "zarrscope.formats"


def known_formats() -> tuple[Format, ...]:
    """All formats, in the order in which a store is asked for them: ours, then those of other packages by name.

    Raises:
        UnsupportedError: a package has registered something else than a format.
    """
    ours = {candidate.name for candidate in FORMATS}
    return (*FORMATS, *(_extension(name) for name in extension_names(_GROUP) if name not in ours))


@cache
def _extension(name: str) -> Format:
    found = load_extension(_GROUP, name)
    if isinstance(found, type) and issubclass(found, Format):
        found = found()
    if not isinstance(found, Format):
        raise UnsupportedError("format", name, f"is registered with {found!r}, which is no format")
    return found


def format_named(name: str | Format) -> Format:
    """The format of this name.

    Raises:
        UnsupportedError: there is none.

    >>> format_named("v2").title
    'Zarr v2'
    """
    if isinstance(name, Format):
        return name
    for candidate in FORMATS:
        if name == candidate.name:
            return candidate
    if name in extension_names(_GROUP):
        return _extension(name)
    known = ", ".join(dict.fromkeys((*(ours.name for ours in FORMATS), *extension_names(_GROUP))))
    raise UnsupportedError("format", str(name), f"is unknown; known are {known}")


__all__ = ["FORMATS", "Format", "detect_format", "format_named", "known_formats"]
