"""A slice of an array as a grid of cells. Without Qt."""
