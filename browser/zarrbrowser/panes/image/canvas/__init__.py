"""The picture and the graphics over it."""
