"""Writing references of kerchunk: the documents of nodes, the places of chunks, and codecs that other programs have."""

from zarrcore.operations.reference.places import part_of
from zarrcore.operations.reference.write import ReferenceResult, write_references

__all__ = ["ReferenceResult", "part_of", "write_references"]
