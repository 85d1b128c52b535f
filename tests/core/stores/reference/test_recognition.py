"""Which documents are taken for references."""

from __future__ import annotations

import gzip

import pytest

from zarrcore.stores.reference.recognition import is_reference_document


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b'{"version": 1, "refs": {', True),
        (b' {"templates": {}, "version"', True),
        (b'{"refs":{".zgroup"', True),
        (b'{"air/0.0": ["x", 1, 2], "air/.zarray": "{}"', True),
        (b'{"air\\/.zarray": "{}"', True),
        (gzip.compress(b'{"version": 1, "refs": {}}'), True),
        (gzip.compress(b'{"version": 1, "refs": {}}')[:12], False),
        (b'\xef\xbb\xbf{"version":1,"refs":{', True),
        (b'{"version": "1.0", "name": "package"}', False),
        (b'{"zarr_format": 3, "node_type": "group"}', False),
        (b'{"metadata": {".zgroup": {"zarr_format": 2}}}', False),
        (b"[]", False),
        (b"", False),
    ],
)
def test_references_are_told_from_other_documents(head: bytes, expected: bool) -> None:
    assert is_reference_document(head) is expected
