"""Conditions are parsed with the precedence of Python and SQL, and mean what pandas means by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore as zc
from zarrbrowser.table.columns import ColumnGrid, table_of
from zarrbrowser.table.conditions import And, Condition, Not, Or, RowOrderError, clause_of
from zarrbrowser.table.row_order import order_of, ordered
from zarrcore.stores import MemoryStore

NAMES = ["a", "b", "not", "c (mm)", "or", "a b", 'say "x"', "and = or"]
A, B = Condition(0, "=", "1"), Condition(1, ">", "2")


def value_of(text: str) -> str:
    found = clause_of(f"a = {text}", NAMES)
    assert isinstance(found, Condition)
    return found.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1", A),
        ("a==1", A),
        ("((a = 1))", A),
        ("a = 1 AND b > 2", And((A, B))),
        ("a = 1 or b > 2 and a = 1", Or((A, And((B, A))))),
        ("a = 1 and b > 2 or a = 1", Or((And((A, B)), A))),
        ("a = 1 and (b > 2 or a = 1)", And((A, Or((B, A))))),
        ("(a = 1)or(b > 2)", Or((A, B))),
        ("not a = 1 and b > 2", And((Not(A), B))),
        ("not(a = 1 and b > 2)", Not(And((A, B)))),
        ("Not not a = 1", Not(Not(A))),
        ("not = 1 and not not = 1", And((Condition(2, "=", "1"), Not(Condition(2, "=", "1"))))),
        ("or = 1 or or = 1", Or((Condition(4, "=", "1"),) * 2)),
        ("(c (mm) < 3)", Condition(3, "<", "3")),
        ("a b ~ x", Condition(5, "~", "x")),
        ('"a b" ~ x', Condition(5, "~", "x")),
        ('say "x" != y', Condition(6, "!=", "y")),
        ("and = or = 1", Condition(7, "=", "1")),
        ("a = or b > 2", Or((Condition(0, "=", ""), B))),
        (" a = 1\tand\n b > 2 ", And((A, B))),
    ],
)
def test_clauses(text: str, expected: Any) -> None:
    assert clause_of(text, NAMES) == expected


def test_nothing_is_no_clause() -> None:
    assert clause_of(" ", NAMES) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", ""),
        ('""', ""),
        ("T cell (CD4 and CD8)", "T cell (CD4 and CD8)"),
        ("(1+2j)", "(1+2j)"),
        ('"x) or (y"', "x) or (y"),
        ("'B cell'", "B cell"),
        ("'s-Hertogenbosch", "'s-Hertogenbosch"),
        ('"he said ""no"""', 'he said "no"'),
        ("sand", "sand"),
        ("OR", "OR"),
        ("band or", None),
        ("2026-11-26 10:00", "2026-11-26 10:00"),
        ("x = y", "x = y"),
    ],
)
def test_values(text: str, value: str | None) -> None:
    if value is None:
        with pytest.raises(RowOrderError, match="Write a condition here"):
            value_of(text)
    else:
        assert value_of(text) == value
        assert clause_of(f"(a = {text})", NAMES) == Condition(0, "=", value)


@pytest.mark.parametrize(
    ("text", "reason", "place"),
    [
        ("a", "Write a column", None),
        ("a = 1 and", "Write a condition here .at character 10.", 9),
        ("a = 1 or x > 5", "There is no column x .at character 10.", 9),
        ("(a = 1", r"This \( is never closed .at character 1.", 0),
        ("a = 1) and b > 2", r"This \) closes no \( .at character 6.", 5),
        ("a = x (y", r"put a text with parentheses between quotes .at character 7.", 6),
        ('a = "x', 'This " is never closed .at character 5.', 4),
        ('a = "x" b > 2', 'Write "and" or "or" between conditions .at character 9.', 8),
        ("(" * 51 + "a = 1" + ")" * 51, "nested at most 50 levels deep", 50),
        ("not " * 400 + "a = 1", "nested at most 50 levels deep", 200),
        ("a = 1 or " * 150 + "a = 1", "At most 100 conditions", 900),
        ("(" * 2001, "The conditions have 2,001 characters; up to 2,000", None),
    ],
)
def test_errors_say_where(text: str, reason: str, place: int | None) -> None:
    with pytest.raises(RowOrderError, match=reason) as caught:
        clause_of(text, NAMES)
    assert caught.value.place == place


@given(st.text(st.sampled_from("ab1\"'() =<>~!") | st.sampled_from("andort "), max_size=80))
def test_any_text_is_a_clause_or_an_error(text: str) -> None:
    place = None
    try:
        clause_of(text, NAMES)
    except RowOrderError as error:
        place = error.place
    assert place is None or 0 <= place <= len(text)


COUNTS = [5, 2, 9, 2, 7, 0, 3, 5]
SCORES = [0.5, np.nan, -1.0, 2.0, np.nan, 0.0, 5.0, 3.0]
TEXTS = ["b", "a", "c", "a", "b cell", "", "z", "b"]
FRAME = pd.DataFrame(
    {
        "n": pd.array(COUNTS, dtype="Int64"),
        "f": pd.array(SCORES, dtype="Float64"),
        # Stored by Arrow, comparisons of texts do not combine with others: "boolean value of NA is ambiguous".
        "s": pd.array(TEXTS, dtype=pd.StringDtype("python")),
    }
)


@pytest.fixture(scope="module")
def grid() -> ColumnGrid:
    hierarchy = zc.create(MemoryStore())
    for name, data_type, values in (("f", "float64", SCORES), ("n", "int16", COUNTS), ("s", "string", TEXTS)):
        array = hierarchy.create_array(name, shape=(len(values),), dtype=data_type, chunks=(3,))
        array[...] = np.array(values, object if name == "s" else None)
    return table_of(hierarchy["/"])


_SIGNS = st.sampled_from(["=", "==", "!=", "<", "<=", ">", ">="])
_COMPARISONS = st.one_of(
    st.builds(
        lambda name, sign, value: (f"{name} {sign} {value}",) * 2,
        st.sampled_from("nf"),
        _SIGNS,
        st.integers(-2, 9),
    ),
    st.builds(
        lambda sign, value: (f's {sign} "{value}"',) * 2, _SIGNS, st.sampled_from(["a", "b", "b cell"])
    ),
    st.just(("f =", "f.isna()")),
    st.just(('s != ""', 's != ""')),
)


def _pair(one: tuple[str, str], form: str) -> tuple[str, str]:
    return form.format(one[0]), form.format(one[1])


_TEXTS = st.recursive(
    _COMPARISONS,
    lambda inner: st.one_of(
        inner.map(lambda one: _pair(one, "({})")),
        inner.map(lambda one: _pair(one, "not ({})")),
        _COMPARISONS.map(lambda one: _pair(one, "not {}")),
        st.lists(
            st.tuples(inner, st.sampled_from(["and", "or", "and not", "or not"])), min_size=2, max_size=4
        ).map(
            lambda parts: tuple(
                " ".join(
                    part[which] if number == 0 else f"{word} {part[which]}"
                    for number, (part, word) in enumerate(parts)
                )
                for which in (0, 1)
            )
        ),
    ),
    max_leaves=8,
)


@settings(deadline=None, max_examples=300)
@given(_TEXTS)
def test_rows_are_those_that_pandas_finds(grid: ColumnGrid, pair: tuple[str, str]) -> None:
    """Without parentheses, both parsers must group alike; missing cells are NA in pandas, too."""
    ours, theirs = pair
    theirs = theirs.replace(" = ", " == ")
    found = FRAME.eval(theirs, engine="python")
    expected = np.flatnonzero(pd.array(found, dtype="boolean").to_numpy(bool, na_value=False)).tolist()
    order = order_of(ours, None, grid, is_descending=False)
    assert ordered(grid, order).numbers.tolist() == expected
