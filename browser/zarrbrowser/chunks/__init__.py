"""The chunks of an array: their places in the grid, and which are stored. Does not import Qt."""
