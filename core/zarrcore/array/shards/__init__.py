"""Shards: chunks that hold inner chunks, found through an index."""
