"""Chunks of one array: their keys, what is decoded together, and the caches of decoded ones."""
