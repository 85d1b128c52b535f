"""Nodes described for people: facts, each a label and a text."""

from zarrcore.describe.array_facts import array_facts
from zarrcore.describe.meaning_facts import meaning_facts, meaning_or_error

__all__ = ["array_facts", "meaning_facts", "meaning_or_error"]
