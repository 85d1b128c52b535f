"""The original schema of OME-XML."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import ome_types
from lxml import etree


def validate(text: bytes | str) -> None:
    """Raise an error if text does not follow the schema."""
    _schema().assertValid(etree.fromstring(text.encode() if isinstance(text, str) else text))


@cache
def _schema() -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(Path(ome_types.__file__).with_name("ome-2016-06.xsd")))
