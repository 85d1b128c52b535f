"""On-disk formats: which one a store holds, where its documents and chunks are, and what they mean."""

from zarrcore.formats.detect import detect_format
from zarrcore.formats.drafts.draft_2019_05 import Draft201905
from zarrcore.formats.drafts.draft_2019_06 import Draft201906
from zarrcore.formats.drafts.draft_2020_09 import Draft202009
from zarrcore.formats.drafts.draft_2020_10 import Draft202010
from zarrcore.formats.drafts.draft_2022_12 import Draft202212
from zarrcore.formats.drafts.draft_2023_02 import Draft202302
from zarrcore.formats.interface import Format, format_named, is_node_key, known_formats
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
Format.OURS = FORMATS

__all__ = ["FORMATS", "Format", "detect_format", "format_named", "is_node_key", "known_formats"]
