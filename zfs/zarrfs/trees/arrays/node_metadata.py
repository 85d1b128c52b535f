"""The metadata of a node that ``--xattr`` shows, by name."""

from __future__ import annotations

from typing import Any, Final

from zarrcore.hierarchy import AnyNode, ArrayNode

ATTRIBUTES: Final = "attributes."
"""The prefix of the names of the user's attributes."""


def metadata_of(node: AnyNode) -> dict[str, Any]:
    """Names as in the array's document in Zarr v3 terms, and values as in JSON."""
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
