"""Streams that can only be read from the beginning: any pieces give the same content."""

from __future__ import annotations

import bz2
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrcore.errors import BrokenBodyError
from zarrcore.stores.interface import ByteRange
from zarrcore.stores.memory import MemoryStore
from zarrcore.stores.virtual import inflated_file
from zarrcore.stores.virtual.inflated_file import InflatedFile
from zarrcore.stores.virtual.sequential_streams import BZIP2_FORM, TextStream, text_form

NUMBERS = np.random.default_rng(0).integers(-(10**9), 10**9, 20_000).astype("<i8")
TEXT = " ".join(map(str, NUMBERS.tolist())).encode()


@given(
    st.lists(st.integers(1, 9), max_size=60), st.sampled_from(["<i4", ">i2", "u1"]), st.sampled_from(" ,\n\t")
)
def test_numbers_may_be_cut_anywhere(lengths: list[int], dtype: str, between: str) -> None:
    wanted = np.arange(50, dtype=dtype)
    text = between.join(map(str, wanted.tolist())).encode()
    stream, found, at = TextStream(wanted.dtype), b"", 0
    for length in lengths:
        found += stream.decompress(text[at : at + length], 1) if text[at : at + length] else b""
        at += length
    other = stream.copy()
    for each in (stream, other):
        rest = (
            each.decompress(text[at:], 1) + each.decompress(b"", 1) if text[at:] else each.decompress(b"", 1)
        )
        np.testing.assert_array_equal(np.frombuffer(found + rest, dtype), wanted)
        assert each.eof


@pytest.mark.parametrize("text", [b"one ", b"1.5 ", b"300 ", b"9" * 600])
def test_what_is_not_a_number_of_the_type_is_refused(text: bytes) -> None:
    with pytest.raises(zlib.error):
        TextStream(np.dtype("u1")).decompress(text, 1)


def test_floats_have_all_forms() -> None:
    data = TextStream(np.dtype("f4")).decompress(b"1 -2.5e3 nan inf 1e99 ", 1)
    np.testing.assert_array_equal(
        np.frombuffer(data, "f4"), np.array([1, -2500, np.nan, np.inf, np.inf], "f4")
    )


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "_FED_NBYTES": 512,
        "_STEP_NBYTES": 4096,
        "_RECENT_NBYTES": 8192,
        "_FIRST_BLOCK": 700,
        "_INTERVAL_NBYTES": 16384,
    }.items():
        monkeypatch.setattr(inflated_file, name, value)


CASES: dict[str, tuple[Any, bytes, bytes]] = {
    "text": (text_form(np.dtype("<i8")), TEXT, NUMBERS.tobytes()),
    "bzip2": (BZIP2_FORM, bz2.compress(NUMBERS.tobytes()), NUMBERS.tobytes()),
    "several streams of bzip2": (
        BZIP2_FORM,
        b"".join(bz2.compress(part.tobytes()) for part in np.split(NUMBERS, 40)) + bytes(99),
        NUMBERS.tobytes(),
    ),
    "zeros in bzip2": (BZIP2_FORM, bz2.compress(bytes(1 << 18)), bytes(1 << 18)),
}


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("case", CASES)
def test_ranges_in_any_order_are_those_of_the_content(case: str) -> None:
    form, packed, content = CASES[case]
    file = InflatedFile(MemoryStore(values={"a": packed}), "a", "a", form=form)
    facts = file.stat("a")
    assert facts is not None
    assert facts.size == len(content)

    @settings(max_examples=25, deadline=None)
    @given(st.integers(0, len(content)), st.integers(0, 20_000))
    def check(start: int, length: int) -> None:
        assert file.get("a", ByteRange(start, start + length)) == content[start : start + length]

    check()


@pytest.mark.parametrize("case", ["bzip2", "text"])
def test_broken_streams_say_so(case: str) -> None:
    form, packed, content = CASES[case]
    broken = [packed[:900] + b"\xff" * 40 + packed[940:]]
    for value in broken + [packed[: len(packed) // 2]] * (case == "bzip2"):
        file = InflatedFile(MemoryStore(values={"a": value}), "a", "a", form=form)
        with pytest.raises(BrokenBodyError, match=f"its {form.title}"):
            file.get("a", ByteRange(0, len(content)))
