"""What a mount with ``--xattr`` tells of a node, name by name."""

from __future__ import annotations

from typing import Any, Final

from zarrcore.hierarchy import AnyNode, ArrayNode

ATTRIBUTES: Final = "attributes."
"""Before the names of the user's own attributes."""


def metadata_of(node: AnyNode) -> dict[str, Any]:
    """Names, as the array's document in version 3 terms has them, and values as JSON has them."""
    metadata: dict[str, Any] = {"kind": node.kind}
    if node.kind == "collection":
        return metadata
    metadata["format"] = node.hierarchy.format.name
    if isinstance(node, ArrayNode):
        document = node.metadata.document()
        metadata |= {
            name: document[name]
            for name in ("shape", "data_type", "fill_value", "dimension_names")
            if name in document
        }
        metadata |= {"chunk_shape": list(node.chunk_shape), "numpy_dtype": str(node.dtype)}
    return metadata | {f"{ATTRIBUTES}{name}": value for name, value in node.attributes.items()}
