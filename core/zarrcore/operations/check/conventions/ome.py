"""The rules of OME-NGFF: the metadata by the models of yaozarrs, and whether levels, wells and labels are as they say.

yaozarrs has models of versions 0.4 and 0.5. What other nodes must be like is checked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from zarrcore.conventions import Find, MultiscaleImage, image_named
from zarrcore.conventions.ome.attributes import multiscales_entries, multiscales_entry, ome, titled
from zarrcore.conventions.values import items, mapping, objects, text
from zarrcore.errors import MetadataError, NodeNotFoundError
from zarrcore.installation import how_to_add
from zarrcore.operations.check.conventions.rule import Broken, exists

_MODELS: Final = {
    "image": "Image",
    "label image": "LabelImage",
    "plate": "Plate",
    "well": "Well",
    "list of labels": "LabelsGroup",
    "series of images": "Bf2Raw",
}
_ADDRESS: Final = "https://ngff.openmicroscopy.org"
_MOST_ERRORS: Final = 20


def check_ome(node: Any, kind: str, find: Find) -> Iterator[Broken]:
    """The rules that a node of OME-NGFF breaks.

    Raises:
        StoreError: the store failed.
    """
    version = _version(node)
    rule = f"OME-NGFF {version}, {_ADDRESS}/{version}/"
    yield from _by_model(node, kind, version, rule)
    if kind in ("image", "label image"):
        yield from _check_levels(node, kind, find, rule, version)
    for member, paths in _references(node, kind):
        for path in paths:
            if path and not exists(node.path, path, find):
                yield Broken(member, f"names {path}, which does not exist", rule)


def _version(node: Any) -> str:
    entry = multiscales_entry(node.attributes)
    told = ome(node.attributes)
    title = titled(node.attributes, entry, told.get("plate"), told.get("well"))
    return title.partition(" ")[2] or ("0.5" if "ome" in node.attributes else "0.4")


def _by_model(node: Any, kind: str, version: str, rule: str) -> Iterator[Broken]:
    """The errors of the version's model."""
    name = _MODELS.get(kind)
    if name is None or version not in ("0.4", "0.5"):
        return
    try:
        import pydantic
        from yaozarrs import v04, v05, validate_ome_object
    except ImportError:
        hint = f"the metadata are not checked against the models of OME-NGFF: {how_to_add('conventions')}"
        yield Broken("", hint, rule, "note")
        return
    model = getattr(v05 if version == "0.5" else v04, name)
    told = ome(node.attributes) if version == "0.5" else node.attributes
    try:
        validate_ome_object(_plain(told), model)
    except pydantic.ValidationError as error:
        for one in error.errors()[:_MOST_ERRORS]:
            yield Broken(_member(one["loc"]), _words(one["msg"]), rule)


def _plain(value: Any) -> Any:
    """Attributes as dicts and lists."""
    if isinstance(value, Mapping):
        return {name: _plain(member) for name, member in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _member(place: Sequence[int | str]) -> str:
    """A place in metadata, as ``multiscales[0].axes``; names of models are left out."""
    member = ""
    for part in place:
        if isinstance(part, int):
            member += f"[{part}]"
        elif part[:1].islower() and "-" not in part.removeprefix("image-"):
            member += f".{part}" if member else part
    return member


def _words(message: str) -> str:
    return message.removeprefix("Value error, ").rstrip(".")


def _check_levels(node: Any, kind: str, find: Find, rule: str, version: str) -> Iterator[Broken]:
    for number, (name, entry) in enumerate(multiscales_entries(node.attributes).items()):
        place = f"multiscales[{number}]"
        for broken in _check_image(partial(image_named, node, name, find), entry, kind, rule, version):
            yield replace(broken, member=f"{place}.{broken.member}")


def _check_image(
    read: Callable[[], MultiscaleImage], entry: Mapping[str, Any], kind: str, rule: str, version: str
) -> Iterator[Broken]:
    """The rules that one image breaks, with members of its metadata."""
    member = "datasets"
    try:
        image = read()
    except (MetadataError, NodeNotFoundError) as error:
        yield Broken(member, str(error), rule)
        return
    for path in image.missing:
        yield Broken(member, f"the level {path} does not exist", rule)
    base = image.levels[0].node
    told = entry.get("axes")
    if told is not None and len(items(told)) != base.ndim:
        yield Broken(
            "axes",
            f"expected {base.ndim}, as the levels have, found {len(items(told))}",
            rule,
        )
    if kind == "label image" and base.dtype.kind not in "iu":
        yield Broken(member, f"labels must be integers, found {base.dtype.name}", rule)
    for sentence in _level_faults([level.node for level in image.levels]):
        yield Broken(member, sentence, rule)
    if version == "0.5":
        names = tuple(axis.name for axis in image.axes)
        for level in image.levels:
            own = level.node.dimension_names if level.node.kind == "array" else None
            if own not in (None, names):
                yield Broken(
                    member, f"dimensions of {level.node.name} are not named as the axes: {own}", rule
                )


def _level_faults(nodes: Sequence[Any]) -> Iterator[str]:
    """What is wrong with levels, of which the first is an array, finest first."""
    base = before = nodes[0]
    for array in nodes[1:]:
        if array.kind != "array":
            yield f"the level {array.name} is not an array"
            continue
        if array.ndim != base.ndim or array.dtype != base.dtype:
            yield f"the level {array.name} is {array.ndim}-D {array.dtype.name}, the first is {base.ndim}-D {base.dtype.name}"
        elif any(new > old for new, old in zip(array.shape, before.shape, strict=True)):
            yield f"the level {array.name} {array.shape} is larger than the one before it {before.shape}"
        before = array if array.ndim == base.ndim else before


def _references(node: Any, kind: str) -> Iterator[tuple[str, list[str]]]:
    """The nodes that metadata name, relative to this one."""
    told = ome(node.attributes)
    if kind == "plate":
        yield (
            "plate.wells",
            [text(well.get("path")) for well in objects(mapping(told.get("plate")).get("wells"))],
        )
    if kind == "well":
        yield (
            "well.images",
            [text(image.get("path")) for image in objects(mapping(told.get("well")).get("images"))],
        )
    if kind == "list of labels":
        yield "labels", [path for path in items(told.get("labels")) if isinstance(path, str)]
