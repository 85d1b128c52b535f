"""Copying a hierarchy: between any stores, to another format, other chunks, shards and codecs."""

from zarrcore.operations.copy.destination import refuse_place_inside
from zarrcore.operations.copy.execute import CopyResult, execute
from zarrcore.operations.copy.layout import Layout
from zarrcore.operations.copy.left_keys import LeftKeys
from zarrcore.operations.copy.part import Part
from zarrcore.operations.copy.plan import DEFAULT_MEMORY_NBYTES, CopyPlan, plan_copy

__all__ = [
    "DEFAULT_MEMORY_NBYTES",
    "CopyPlan",
    "CopyResult",
    "Layout",
    "LeftKeys",
    "Part",
    "execute",
    "plan_copy",
    "refuse_place_inside",
]
