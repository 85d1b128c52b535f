"""Thumbnails of the images of a group: the wells of a plate, the fields of a well, a series. Does not import Qt."""
