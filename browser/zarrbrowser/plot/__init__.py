"""A one-dimensional array as a line. Without Qt."""
