"""A one-dimensional array as a line. Does not import Qt."""
