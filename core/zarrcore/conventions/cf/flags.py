"""Flags: values, or bits of values, with meanings.

CF conventions 3.5 "Flags".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zarrcore.conventions.values import items, text


def flags_of(attributes: Mapping[str, Any]) -> dict[int, str]:
    """The meanings of values, or of single bits; empty if the attributes do not state them, or state them wrongly."""
    meanings = text(attributes.get("flag_meanings")).split()
    values = items(attributes.get("flag_values")) or items(attributes.get("flag_masks"))
    if len(values) != len(meanings) or not all(isinstance(value, int) for value in values):
        return {}
    return dict(zip(values, meanings, strict=True))


def flag_meaning(attributes: Mapping[str, Any], value: int) -> str:
    """The meanings of one element, separated by commas; empty if it has none.

    >>> flag_meaning({"flag_masks": [1, 2, 4], "flag_meanings": "low_battery offline dry"}, 5)
    'low_battery, dry'
    """
    flags, masks = flags_of(attributes), items(attributes.get("flag_masks"))
    if not masks:
        return flags.get(value, "")
    if len(masks) != len(flags) or not all(isinstance(mask, int) for mask in masks):
        return ""
    wanted = (
        flags if attributes.get("flag_values") else masks
    )  # with values, a mask may hold a number of several bits
    found = [
        word
        for word, mask, one in zip(flags.values(), masks, wanted, strict=True)
        if mask and value & mask == one
    ]
    return ", ".join(found)
