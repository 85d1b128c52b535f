"""Errors as sentences."""

from __future__ import annotations

import errno

import pytest

from zarrbrowser.session.error_text import consequence, in_the_window, sentence
from zarrcore.errors import CodecError, InternalError, MetadataError, StoreNotFoundError, UnreadableNodeError
from zarrcore.stores import STORE_OPTIONS


def test_errors_become_sentences() -> None:
    assert sentence(StoreNotFoundError("there is no directory /data")) == "There is no directory /data."
    assert sentence(CodecError("is short", key="a/c/0")) == "a/c/0: is short."
    assert sentence(KeyError()) == "Unexpected KeyError."


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("no answer within the time allowed (--timeout)", "No answer within the time allowed."),
        ("a: name it with --region", "a: enter it as Region."),
        (
            "use --anonymous for a public bucket, or give credentials with --profile or AWS_ACCESS_KEY_ID",
            "Use Anonymous for a public bucket, or give credentials with Profile or AWS_ACCESS_KEY_ID.",
        ),
        (
            "node '/a' cannot be copied: codec 'b' is not supported (copy --skip leaves it out)",
            "Node '/a' cannot be copied: codec 'b' is not supported.",
        ),
        ("a is in 'b', which is outside; --allow-targets /data allows it", "A is in 'b', which is outside."),
        (
            "a is in 'b', which is outside; --allow-targets '/da ta' allows it",
            "A is in 'b', which is outside.",
        ),
        ("there is one a--b (or c)", "There is one a--b (or c)."),
        ("the column a -- b is missing", "The column a -- b is missing."),
    ],
)
def test_errors_name_controls_of_the_window(theirs: str, ours: str) -> None:
    assert sentence(StoreNotFoundError(theirs)) == ours


def test_advice_of_every_store_names_no_option_that_the_window_has() -> None:
    for option in STORE_OPTIONS:
        if option.label:
            assert "--" not in in_the_window(f"use {option.argument} here")


def test_errors_of_the_disk_are_plain() -> None:
    assert (
        sentence(OSError(errno.ENOSPC, "No space left on device", "/a/b.png"))
        == "The disk is full: /a/b.png."
    )
    assert sentence(OSError(errno.ENOSPC, "No space left on device")) == "The disk is full."
    assert sentence(PermissionError(errno.EACCES, "Permission denied", "/a")) == "Permission denied: /a."
    missing = FileNotFoundError(errno.ENOENT, "No such file or directory", "/a/b.png")
    assert sentence(missing) == "No such file or directory: /a/b.png."


def test_a_node_of_a_file_that_cannot_be_read_says_all_in_its_sentence() -> None:
    error = UnreadableNodeError("the soft link leads to /nope, which does not exist")
    assert (sentence(error), consequence(error)) == (
        "The soft link leads to /nope, which does not exist.",
        "",
    )
    assert "repaired" in consequence(MetadataError("is broken"))
    assert consequence(InternalError("KeyError: 'numcodecs'")) == "", "the data are not at fault"
