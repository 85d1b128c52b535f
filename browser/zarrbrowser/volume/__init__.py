"""Volumes: which three axes they have, how much of them is read, and how they are seen. Does not import Qt."""
