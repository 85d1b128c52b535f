"""Text that can be shown."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.printable import element_text, printable, printable_json


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("größe 漢", "größe 漢"),
        ("a\tb\r\n", "a\\tb\\r\\n"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\u202eright", "\\u202eright"),
        ("\ud800", "\\ud800"),
        ("\u2028", "\\u2028"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_stored_names_cannot_control_a_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable(text).isprintable()


@given(st.dictionaries(st.text(), st.text()))
def test_a_printable_document_means_the_same(document: dict[str, str]) -> None:
    text = printable_json(json.dumps(document, indent=2, ensure_ascii=False))
    assert json.loads(text) == document
    assert all(line.isprintable() for line in text.split("\n"))


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.5.0", reason="NumPy before 2.5 writes another date"
)
def test_a_date_that_numpy_cannot_write_is_its_count() -> None:
    assert element_text(np.datetime64(2**61, "25s")) == str(2**61)
    assert element_text(np.datetime64(5, "25s")) == "1970-01-01T00:02:05"


def test_a_date_without_a_unit_is_its_count() -> None:
    count, none = np.array([5, -(2**63)]).view("M8")
    assert [element_text(count), element_text(none)] == ["5", "NaT"]
