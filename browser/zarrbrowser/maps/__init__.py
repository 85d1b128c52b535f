"""Maps: where the elements of an image are on Earth, coastlines, and lines of longitude and latitude. Does not import Qt."""
