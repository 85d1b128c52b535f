"""A hierarchy as lines of text: a tree of names, with what each node is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from zarrcore.conventions import recognise
from zarrcore.errors import UnreadableNodeError, ZarrError
from zarrcore.hierarchy import AnyNode, ArrayNode, Group
from zarrcore.hierarchy.walking import Branch
from zarrcore.printable import printable
from zarrcore.sizes import format_bytes, format_shape


def _plain(text: str, _style: str) -> str:
    return text


def tree_lines(top: Branch, paint: Callable[[str, str], str] = _plain) -> Iterator[tuple[AnyNode, str]]:
    """The nodes of a branch, each with its line, as they are read.

    Args:
        top: the branch, as `Hierarchy.branch` gives it.
        paint: styles a text: "bold blue", "cyan", "dim", "red".
    """
    for lead, node, name in _walk(top):
        yield node, _line(lead, node, name, paint)


def _walk(top: Branch) -> Iterator[tuple[str, AnyNode, str]]:
    """Nodes with the lines that lead to them, and their names. Children are fetched one ahead, to know which one is the last.

    Those that came before an error are returned before it is raised.
    """
    yield "", top.node, top.node.path
    levels = [("", top.node, iter(top), next(iter(top), None))]
    error: ZarrError | None = None
    while levels:
        below, above, children, branch = levels.pop()
        if branch is None:
            continue
        try:
            following = next(children, None)
        except ZarrError as caught:
            following, error = None, caught
        levels.append((below, above, children, following))
        # Children that cannot be listed have the path of their group, and no name.
        name = branch.node.name if branch.node.path != above.path else "…"
        yield below + ("├── " if following is not None else "└── "), branch.node, name
        indent = below + ("│   " if following is not None else "    ")
        levels.append((indent, branch.node, iter(branch), next(iter(branch), None)))
    if error is not None:
        raise error


def _line(lead: str, node: AnyNode, name: str, paint: Callable[[str, str], str]) -> str:
    name = printable(name)
    # In a tree of several hierarchies, the root of each shows what it is stored as.
    in_collection = node.kind != "collection" and node.path == node.hierarchy.at != "/"
    format_ = ""
    if in_collection:
        format_ = "  " + paint(node.hierarchy.store.presents or node.hierarchy.format.title, "dim")
    if isinstance(node, Group):
        recognised = recognise(node)
        what = "  " + paint(f"{recognised[0].title} {recognised[1]}", "dim") if recognised else ""
        return lead + paint(name, "bold blue" if node.kind == "group" else "blue") + what + format_
    if isinstance(node, ArrayNode):
        told = (
            f"{lead}{paint(name, 'bold')}  {format_shape(node.shape)}  {paint(node.data_type.name, 'cyan')}"
        )
        known = not node.data_type.is_variable_length
        return (f"{told}  {paint(format_bytes(node.nbytes), 'dim')}" if known else told) + format_
    # This error begins with the node's path, which the line has already.
    error = node.error.at("") if isinstance(node.error, UnreadableNodeError) else node.error
    return f"{lead}{paint(name, 'bold red')}  {paint(printable(str(error)), 'red')}"
