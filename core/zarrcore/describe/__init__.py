"""Nodes described for people: facts, each a label and a text."""

from zarrcore.describe.array_facts import array_facts
from zarrcore.describe.meaning_facts import meaning_facts, meaning_or_error
from zarrcore.describe.path_kind import FOLDER, kind_of_path

__all__ = ["FOLDER", "array_facts", "kind_of_path", "meaning_facts", "meaning_or_error"]
