"""The attributes of a node as a mapping: a change is stored at once.

zarr-python's ``attrs`` and h5py's behave the same way. Values are read-only, because a change within one would not be stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, TypeVar

from zarrcore.metadata.read_only_json import changeable

T = TypeVar("T")

Change = Callable[[dict[str, Any]], T]
"""Changes the attributes that it is called with."""


class Attributes(MutableMapping[str, Any]):
    """The user's own metadata of a node, as they are at each access. Thread-safe.

    Each call that changes them replaces the node's document once, atomically. It starts from what is stored at that moment, so
    it keeps what other writers stored. `copy.copy`, `copy.deepcopy` and `pickle` make a dict of it.

    Args:
        stored: returns the attributes.
        store: applies a change to the stored attributes and stores the result; returns what the change returns.

    Raises:
        ReadOnlyError: on a change, if the hierarchy was opened for reading only, or its store is read-only.
        MetadataError: on a change to a value that is not JSON; nothing is stored.

    >>> document = {"unit": "nm"}
    >>> attributes = Attributes(lambda: document, lambda change: change(document))
    >>> attributes["scale"] = 2
    >>> attributes.pop("unit"), attributes
    ('nm', {'scale': 2})
    """

    __slots__ = ("_store", "_stored")

    def __init__(self, stored: Callable[[], Mapping[str, Any]], store: Callable[[Change[Any]], Any]) -> None:
        self._stored = stored
        self._store = store

    def __getitem__(self, name: str) -> Any:
        return self._stored()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored())

    def __len__(self) -> int:
        return len(self._stored())

    def __contains__(self, name: object) -> bool:
        return name in self._stored()

    def __setitem__(self, name: str, value: Any) -> None:
        self._store(lambda attributes: attributes.__setitem__(name, value))

    def __delitem__(self, name: str) -> None:
        self._store(lambda attributes: attributes.__delitem__(name))

    # The mixins of MutableMapping would store several times, and decide on what may have been stored before.

    def update(self, *args: Any, **members: Any) -> None:
        changes = dict(*args, **members)
        self._store(lambda attributes: attributes.update(changes))

    def setdefault(self, name: str, default: Any = None) -> Any:
        if name not in self:
            self._store(lambda attributes: attributes.setdefault(name, default))
        return self[name]

    def pop(self, name: str, *default: Any) -> Any:
        return self._store(lambda attributes: attributes.pop(name, *default))

    def popitem(self) -> tuple[str, Any]:
        return self._store(lambda attributes: attributes.popitem())  # type: ignore[no-any-return]

    def clear(self) -> None:
        self._store(lambda attributes: attributes.clear())

    def __or__(self, other: Mapping[str, Any]) -> dict[str, Any]:
        return {**self, **other}

    def __ror__(self, other: Mapping[str, Any]) -> dict[str, Any]:
        return {**other, **self}

    def __ior__(self, other: Any) -> Attributes:  # type: ignore[misc]  # `__or__` returns a dict
        self.update(other)
        return self

    def asdict(self) -> dict[str, Any]:
        """A copy as plain JSON, which may be changed."""
        return changeable(self)  # type: ignore[no-any-return]

    copy = asdict

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self.asdict(),)

    def __deepcopy__(self, _memo: object) -> dict[str, Any]:
        return self.asdict()

    def __repr__(self) -> str:
        return repr(dict(self._stored()))
