"""Documents that are made when they are read."""

from __future__ import annotations

import json

from zarrfs.trees.arrays.documents import DocumentFile, as_json, sentence


def test_a_document_is_json_and_as_long_as_it_says() -> None:
    file = DocumentFile(lambda: as_json({"a": [1, "ü"]}), 5.0)
    content = bytes(file.open(wait=False).read(0, 999, wait=False))
    assert json.loads(content) == {"a": [1, "ü"]}
    assert (file.size, file.mtime_s) == (len(content), 5.0)


def test_an_error_is_a_line_of_its_own() -> None:
    text = sentence(ValueError("something is wrong"))
    text = text.decode() if isinstance(text, bytes) else text
    assert "something is wrong" in text
    assert text.endswith("\n")
