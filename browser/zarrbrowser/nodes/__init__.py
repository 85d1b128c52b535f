"""The interface to groups and arrays, and their description as text. Does not import Qt."""
