"""The table of formats in the documents says what the code does."""

from __future__ import annotations

from tests.core.formats.table_of_formats import DOCUMENT, with_table


def test_the_table_is_up_to_date() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert text == with_table(text), "run: python -m tests.core.formats.table_of_formats"
