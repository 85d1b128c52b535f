"""Conditions on nodes: which nodes of a walk are wanted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from zarrcore.conventions import Convention, conventions, recognise
from zarrcore.errors import UnsupportedError, ZarrError
from zarrcore.hierarchy import AnyNode, ArrayNode, BrokenNode
from zarrcore.hierarchy.new_array import as_data_type
from zarrcore.operations.copy.layout import codec_names

_PATTERN = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class AttributeCondition:
    """A member that the attributes of a node must have."""

    key: str
    """Its name, or a path of names with dots, such as ``ome.version``."""
    values: tuple[Any, ...] = ()
    """The JSON values that it may have; empty for any. One of them may also be an element of a list."""

    def holds(self, attributes: Mapping[str, Any]) -> bool:
        """Whether these attributes have the member.

        >>> AttributeCondition("ome.version", ("0.5",)).holds({"ome": {"version": "0.5"}})
        True
        """
        wanted = {*map(_canonical, self.values)}
        found = _members(attributes, self.key)
        return bool(found) if not wanted else any(wanted & _alternatives(value) for value in found)


@dataclass(frozen=True, slots=True)
class ConventionCondition:
    """What a node must be according to the convention that counts for it (see `zarrcore.conventions.recognise`)."""

    convention: str | None = None
    """The name of the convention; None for any."""
    kind: str | None = None
    """The kind of thing that the node is; None for any."""

    def holds(self, node: AnyNode) -> bool:
        """Whether a convention recognises the node, and as this kind of thing."""
        recognised = recognise(node)
        if recognised is None:
            return False
        convention, kind = recognised
        return self.convention in (None, convention.name) and self.kind in (None, kind)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a node must be like. None and () allow everything; arrays alone have types, shapes, sizes and codecs."""

    name: str | None = None
    """A pattern of the shell for the last part of the path."""
    path: str | None = None
    """A pattern for the whole path, in which ``*`` also matches ``/``."""
    kind: str | None = None
    """``group``, ``array`` or ``broken``."""
    data_type: str | None = None
    """A pattern for the name of the data type in Zarr v3; or a name that NumPy has for it."""
    shape: tuple[int | None, ...] | None = None
    """The length of each dimension; None for any length."""
    min_nbytes: int | None = None
    """The least bytes of all elements, decoded."""
    max_nbytes: int | None = None
    """The most of them."""
    codec: str | None = None
    """A pattern for the name of a codec, also of one inside shards."""
    attributes: tuple[AttributeCondition, ...] = ()
    """Members of the attributes."""
    convention: ConventionCondition | None = None
    """What the node is according to its convention."""

    def may_hold(self, node: AnyNode) -> bool:
        """Whether the conditions on name and path hold, which are known even of a node that cannot be opened."""
        name = self.name is None or fnmatchcase(node.name, self.name)
        return name and (self.path is None or fnmatchcase(node.path, self.path))

    def hold(self, node: AnyNode) -> bool:
        """Whether all conditions hold."""
        if not self.may_hold(node) or self.kind not in (None, _kind(node)):
            return False
        if self._concern_arrays() and not (isinstance(node, ArrayNode) and self._hold_for_array(node)):
            return False
        if self.convention is not None and not self.convention.holds(node):
            return False
        return all(condition.holds(node.attributes) for condition in self.attributes)

    def _concern_arrays(self) -> bool:
        wanted = (self.data_type, self.shape, self.min_nbytes, self.max_nbytes, self.codec)
        return any(condition is not None for condition in wanted)

    def _hold_for_array(self, array: ArrayNode) -> bool:
        if self.data_type is not None and not fnmatchcase(array.data_type.name, self.data_type):
            return False
        if self.shape is not None and not _has_shape(array, self.shape):
            return False
        if self.codec is not None and not any(
            fnmatchcase(name, self.codec) for name in codec_names(array.codecs)
        ):
            return False
        if self.min_nbytes is None and self.max_nbytes is None:
            return True
        if array.data_type.is_variable_length:
            return False  # only reading the elements would show it
        most = array.nbytes if self.max_nbytes is None else self.max_nbytes
        return (self.min_nbytes or 0) <= array.nbytes <= most


def data_type_pattern(wanted: Any) -> str:
    """A condition on a data type: a pattern as it is, or the name in Zarr v3 of what NumPy accepts as a dtype.

    Raises:
        UnsupportedError: the type is unknown.
        MetadataError: it is none.

    >>> data_type_pattern("<f4"), data_type_pattern("uint*")
    ('float32', 'uint*')
    """
    if isinstance(wanted, str) and _PATTERN & {*wanted}:
        return wanted
    try:
        return as_data_type(wanted).name
    except UnsupportedError:
        raise
    except ZarrError:
        if not isinstance(wanted, str):
            raise
        return wanted  # a type with parameters, such as numpy.datetime64


def convention_condition(words: str) -> ConventionCondition:
    """The condition that the words name: a convention, a kind of thing, or both.

    Raises:
        ValueError: no convention has this name or this kind of thing; the message lists them all.

    >>> convention_condition("ome"), convention_condition("cf variable")
    (ConventionCondition(convention='ome-ngff', kind=None), ConventionCondition(convention='cf', kind='variable'))
    """
    wanted = " ".join(words.lower().split())
    if any(wanted in convention.kinds for convention in conventions()):
        return ConventionCondition(kind=wanted)
    name, _, kind = wanted.partition(" ")
    for convention in conventions():
        if name in _names(convention) and kind in ("", *convention.kinds):
            return ConventionCondition(convention.name, kind or None)
    known = "; ".join(f"{convention.name} ({', '.join(convention.kinds)})" for convention in conventions())
    raise ValueError(f"expected a convention, a kind, or both as in 'cf variable', found {words!r}: {known}")


def convention_words() -> list[str]:
    """All words that `convention_condition` knows: conventions, kinds of things, and both.

    >>> [words for words in convention_words() if "image" in words][:3]
    ['label image', 'image', 'series of images']
    """
    names = [convention.name for convention in conventions()]
    kinds = [kind for convention in conventions() for kind in convention.kinds]
    both = [f"{convention.name} {kind}" for convention in conventions() for kind in convention.kinds]
    return [*names, *dict.fromkeys(kinds), *both]


def _names(convention: Convention) -> tuple[str, str]:
    """The name of a convention, and its first part: ``ome`` for ``ome-ngff``."""
    return convention.name, convention.name.partition("-")[0]


def _has_shape(array: ArrayNode, wanted: tuple[int | None, ...]) -> bool:
    return len(wanted) == array.ndim and all(
        length in (None, found) for length, found in zip(wanted, array.shape, strict=True)
    )


def _kind(node: AnyNode) -> str:
    """The kind of a node; a folder of hierarchies counts as a group."""
    return node.kind if isinstance(node, ArrayNode | BrokenNode) else "group"


def _members(attributes: Any, key: str) -> list[Any]:
    """The members that a key with dots may name: names may have dots themselves."""
    if not isinstance(attributes, Mapping):
        return []
    found = [attributes[key]] if key in attributes else []
    for position, letter in enumerate(key):
        if letter == "." and key[:position] in attributes:
            found += _members(attributes[key[:position]], key[position + 1 :])
    return found


def _alternatives(value: Any) -> set[str]:
    """A value and, if it is a list, its elements."""
    return {_canonical(value), *(map(_canonical, value) if isinstance(value, list) else ())}


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
