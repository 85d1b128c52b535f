"""The tiles that a view needs, and the picture composed of the loaded tiles. Does not import Qt."""
