"""Fuzzy search: the letters of each word, in order, with others between them."""

from __future__ import annotations

from collections.abc import Sequence

_START, _RUN, _FIRST, _FARTHEST = 8, 12, 4, 10
"""What a letter counts in addition at the start of a word, after the letter before it, and at the start of the text; and the
most that it counts less if it is far from the letter before it."""


def score(query: str, text: str) -> int | None:
    """How well a text fits a query; None if it does not. Words of the query may be in any order.

    >>> score("figure export", "Export figure") is not None, score("z", "Export")
    (True, None)
    """
    total, lowered = 0, text.lower()
    for word in query.lower().split():
        found = _score_of_word(word, lowered)
        if found is None:
            return None
        total += found
    return total * 100 - len(text)


def best(query: str, texts: Sequence[str]) -> list[int]:
    """The positions of the texts that fit a query, the best first; all of them for an empty query.

    >>> best("pl", ["Copy path", "Next plane", "Play"])
    [2, 1]
    """
    if not query.strip():
        return list(range(len(texts)))
    scores = [(score(query, text), position) for position, text in enumerate(texts)]
    found = [(-one, position) for one, position in scores if one is not None]
    return [position for _, position in sorted(found)]


def _score_of_word(word: str, text: str) -> int | None:
    """The best of the ways to find the letters, each beginning at another place."""
    ways = [_from(word, text, start) for start, letter in enumerate(text) if letter == word[0]]
    return max((one for one in ways if one is not None), default=None)


def _from(word: str, text: str, start: int) -> int | None:
    total, before = 0, -1
    at = start
    for number, letter in enumerate(word):
        at = text.find(letter, at)
        if at < 0:
            return None
        if number:
            total += _RUN if at == before + 1 else -min(at - before, _FARTHEST)
        if at == 0:
            total += _FIRST
        if at == 0 or not text[at - 1].isalnum():
            total += _START
        total += 1
        before = at
        at += 1
    return total
