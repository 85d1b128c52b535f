"""Conditions on the rows of a table, as a user types them.

A text such as ``n_genes > 200 and not (cell_type = "B cell" or batch = 3)`` is parsed into a `Clause`. ``not`` binds more
tightly than ``and``, and ``and`` more tightly than ``or``, as in Python and SQL. Texts may come from strangers, in saved
views: they are data, and their length, their number of conditions and their depth are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MOST_CHARACTERS = 2_000
MOST_CONDITIONS = 100
MOST_DEPTH = 50
"""The most parentheses and ``not`` around a condition."""
HELP = (
    'Write a column, a comparison and a value, such as n_genes > 200 and cell_type = "B cell". '
    "Combine conditions with and, or, not and parentheses."
)
_SIGN = re.compile(r"\s*(!=|<>|<=|>=|==?|<|>|~)\s*")
_OTHER_SIGNS = {"==": "=", "<>": "!="}
_JOIN = re.compile(r"(and|or)(?=[\s(]|$)", re.IGNORECASE)
_NOT = re.compile(r"not(?=[\s(]|$)", re.IGNORECASE)
_LONE = re.compile(r"(and|or)\s*($|\)|(and|or)[\s(])", re.IGNORECASE)
_SPACE = re.compile(r"\s*")
_END_OF_NAME = re.compile(r"\s*(?:!=|<=|>=|==?|<|>|~)|\s+(?:and|or)\s|$", re.IGNORECASE)


class RowOrderError(ValueError):
    """Rows cannot be sorted or filtered like this; the text says why.

    Attributes:
        place: where in the typed text the error is, counted from 0; None if it is nowhere in particular.
    """

    def __init__(self, text: str, place: int | None = None) -> None:
        super().__init__(text if place is None else f"{text} (at character {place + 1}).")
        self.place = place


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that the cells of one column must meet."""

    column: int
    sign: str
    """``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, or ``~`` for text that contains another."""
    value: str
    """Empty for a missing value or an empty text."""


@dataclass(frozen=True, slots=True)
class Not:
    """The rows that certainly do not meet a clause."""

    part: Clause


@dataclass(frozen=True, slots=True)
class And:
    """The rows that meet all parts."""

    parts: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """The rows that meet one of the parts, or several."""

    parts: tuple[Clause, ...]


Clause = Condition | Not | And | Or


def clause_of(text: str, names: Sequence[str]) -> Clause | None:
    """The conditions that a user typed; None for an empty text.

    Args:
        text: the conditions.
        names: the columns of the table.

    Raises:
        RowOrderError: the text is not a condition, is too long or too deep, or names a column that the table does not
            have.

    >>> clause_of("a > 1 or not (b = x)", ["a", "b"])
    Or(parts=(Condition(column=0, sign='>', value='1'), Not(part=Condition(column=1, sign='=', value='x'))))
    """
    if len(text) > MOST_CHARACTERS:
        raise RowOrderError(
            f"The conditions have {len(text):,} characters; up to {MOST_CHARACTERS:,} are possible."
        )
    return _Parser(text, names).clause() if text.strip() else None


class _Parser:
    """Reads a text from left to right."""

    def __init__(self, text: str, names: Sequence[str]) -> None:
        self._text = text
        # A name may contain signs, quotes and parentheses, and begin with another name.
        self._names = sorted(enumerate(names), key=lambda one: len(one[1]), reverse=True)
        self._at = self._conditions = self._depth = 0

    def clause(self) -> Clause:
        found = self._or()
        if self._at < len(self._text):
            what = "This ) closes no (" if self._next() == ")" else 'Write "and" or "or" between conditions'
            raise RowOrderError(what, self._at)
        return found

    def _or(self) -> Clause:
        return self._joined("or", self._and, Or)

    def _and(self) -> Clause:
        return self._joined("and", self._not, And)

    def _joined(
        self, word: str, part: Callable[[], Clause], together: Callable[[tuple[Clause, ...]], Clause]
    ) -> Clause:
        parts = [part()]
        while (found := _JOIN.match(self._text, self._at)) and found[1].casefold() == word:
            self._at = found.end()
            parts.append(part())
        return parts[0] if len(parts) == 1 else together(tuple(parts))

    def _not(self) -> Clause:
        self._skip()
        condition = self._condition()
        if condition is not None:
            return condition
        negated = _NOT.match(self._text, self._at)
        if negated is None and self._next() != "(":
            raise self._no_condition()
        start = self._at
        self._at = negated.end() if negated else start + 1
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise RowOrderError(f"Parentheses and not can be nested at most {MOST_DEPTH} levels deep", start)
        found = Not(self._not()) if negated else self._closed(self._or(), start)
        self._depth -= 1
        return found

    def _closed(self, found: Clause, start: int) -> Clause:
        if self._next() != ")":
            raise RowOrderError("This ( is never closed", start)
        self._at += 1
        self._skip()
        return found

    def _condition(self) -> Condition | None:
        """A condition, if the name of a column and a sign are next."""
        start = self._at
        for column, name in self._names:
            for written in (f'"{name}"', name):
                if not self._text.startswith(written, start):
                    continue
                sign = _SIGN.match(self._text, start + len(written))
                if sign is not None:
                    self._conditions += 1
                    if self._conditions > MOST_CONDITIONS:
                        raise RowOrderError(f"At most {MOST_CONDITIONS} conditions are possible", start)
                    self._at = sign.end()
                    return Condition(column, _OTHER_SIGNS.get(sign[1], sign[1]), self._value())
        return None

    def _value(self) -> str:
        quote = self._next()
        if quote in ('"', "'"):
            quoted = self._quoted(quote)
            if quoted is not None:
                return quoted
        start, depth = self._at, 0
        opened = start
        while self._at < len(self._text):
            character = self._text[self._at]
            if not depth and (character == ")" or self._joins(start)):
                break
            if character == "(":
                opened, depth = (opened if depth else self._at), depth + 1
            depth -= character == ")"
            self._at += 1
        if depth:
            raise RowOrderError("This ( is never closed: put a text with parentheses between quotes", opened)
        return self._text[start : self._at].strip()

    def _joins(self, start: int) -> bool:
        """Whether ``and`` or ``or`` is here, in or after a value that begins at ``start``, as a word of its own."""
        if self._at == start:  # the value is missing, or it is such a word, as in state = OR
            return _JOIN.match(self._text, start) is not None and not _LONE.match(self._text, start)
        return self._text[self._at - 1].isspace() and _JOIN.match(self._text, self._at) is not None

    def _quoted(self, quote: str) -> str | None:
        """A value between quotes, in which a doubled quote is one; None if it is not, as in ``'s-Hertogenbosch``."""
        start = self._at
        found = re.compile(f"{quote}((?:[^{quote}]|{quote}{quote})*){quote}").match(self._text, start)
        if found is None and quote == "'":
            return None
        if found is None:
            raise RowOrderError(f"This {quote} is never closed", start)
        self._at = found.end()
        self._skip()
        return found[1].replace(2 * quote, quote)

    def _no_condition(self) -> RowOrderError:
        """Why no condition begins here."""
        end = _END_OF_NAME.search(self._text, self._at)
        name = self._text[self._at : None if end is None else end.start()].strip().strip('"')
        if name and end is not None and _SIGN.match(end[0]):
            return RowOrderError(f"There is no column {name}", self._at)
        return (
            RowOrderError(HELP, None)
            if not self._conditions
            else RowOrderError("Write a condition here", self._at)
        )

    def _skip(self) -> None:
        space = _SPACE.match(self._text, self._at)
        self._at = self._at if space is None else space.end()

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]
