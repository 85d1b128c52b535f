"""The tiles that a view needs, and the picture composed of the loaded tiles. Without Qt."""
