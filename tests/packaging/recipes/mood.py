"""A convention: groups that have a mood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from zarrcore.conventions.interface import Convention, Find, Meaning


@dataclass(frozen=True, slots=True)
class Mood(Meaning):
    kind: ClassVar[str] = "mood"

    mood: str

    def details(self) -> list[str]:
        return [self.mood]


def _recognise(node: Any) -> str | None:
    return Mood.kind if "mood" in node.attributes else None


def _read(node: Any, find: Find) -> Mood:
    return Mood("Moods", node.attributes["mood"])


MOODS: Final = Convention("moods", "Moods", "https://example.org/moods", ("mood",), _recognise, _read)
