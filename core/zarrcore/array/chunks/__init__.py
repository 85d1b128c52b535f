"""Chunks of one array: their keys, the units of decoding, and the caches of decoded chunks."""
