"""Shards: chunks that contain inner chunks, located through an index."""
