"""A slice of an array as a grid of cells. Does not import Qt."""
