"""Errors as sentences."""

from __future__ import annotations

from zarrbrowser.session.error_text import sentence
from zarrcore.errors import CodecError, StoreNotFoundError


def test_errors_become_sentences() -> None:
    assert sentence(StoreNotFoundError("there is no directory /data")) == "There is no directory /data."
    assert sentence(CodecError("is short", key="a/c/0")) == "a/c/0: is short."
    assert sentence(KeyError()) == "Unexpected KeyError."
