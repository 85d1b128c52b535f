"""On-disk formats: which one a store holds, where its documents and chunks are, and what they mean."""

from functools import cache

from zarrcore.errors import UnsupportedError
from zarrcore.extensions import extension_names, load_extension
from zarrcore.formats.detect import detect_format
from zarrcore.formats.drafts.draft_2019_05 import Draft201905
from zarrcore.formats.drafts.draft_2019_06 import Draft201906
from zarrcore.formats.drafts.draft_2020_09 import Draft202009
from zarrcore.formats.drafts.draft_2020_10 import Draft202010
from zarrcore.formats.drafts.draft_2022_12 import Draft202212
from zarrcore.formats.drafts.draft_2023_02 import Draft202302
from zarrcore.formats.interface import Format
from zarrcore.formats.n5.format import N5Format
from zarrcore.formats.v1 import V1Format
from zarrcore.formats.v2.format import V2Format
from zarrcore.formats.v3.format import V3Format

Format.V3 = V3Format()
Format.V2 = V2Format()
Format.V1 = V1Format()
Format.N5 = N5Format()
Format.DRAFT_2019_05 = Draft201905()
Format.DRAFT_2019_06 = Draft201906()
Format.DRAFT_2020_09 = Draft202009()
Format.DRAFT_2020_10 = Draft202010()
Format.DRAFT_2022_12 = Draft202212()
Format.DRAFT_2023_02 = Draft202302()

FORMATS: tuple[Format, ...] = (
    # First the formats that a root's zarr.json decides about, then those with other keys.
    Format.V3,
    Format.DRAFT_2023_02,
    Format.DRAFT_2022_12,
    Format.DRAFT_2020_10,
    Format.DRAFT_2020_09,
    Format.DRAFT_2019_06,
    Format.V2,
    Format.N5,
    Format.V1,
    Format.DRAFT_2019_05,
)
"""The formats of zarrcore, in the order of detection."""

_GROUP = "zarrscope.formats"


def known_formats() -> tuple[Format, ...]:
    """All formats, in the order of detection: those of zarrcore, then those of other packages by name.

    Raises:
        UnsupportedError: a package registered an object that is not a format.
    """
    ours = {candidate.name for candidate in FORMATS}
    return (*FORMATS, *(_extension(name) for name in extension_names(_GROUP) if name not in ours))


@cache
def _extension(name: str) -> Format:
    found = load_extension(_GROUP, name)
    if isinstance(found, type) and issubclass(found, Format):
        found = found()
    if not isinstance(found, Format):
        raise UnsupportedError("format", name, f"is registered with {found!r}, which is not a format")
    return found


def is_node_key(key: str) -> bool:
    """Whether a key may belong to a document or a chunk of a node, in any format."""
    return any(candidate.is_node_key(key) for candidate in known_formats())


def format_named(name: str | Format) -> Format:
    """The format of this name.

    Raises:
        UnsupportedError: the name is unknown.

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
    ours = [candidate.name for candidate in sorted(FORMATS, key=lambda candidate: not candidate.writable)]
    known = ", ".join(dict.fromkeys((*ours, *extension_names(_GROUP))))
    raise UnsupportedError("format", str(name), f"is unknown; known are {known}")


__all__ = ["FORMATS", "Format", "detect_format", "format_named", "is_node_key", "known_formats"]
