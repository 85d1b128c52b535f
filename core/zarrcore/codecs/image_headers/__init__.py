"""Headers of compressed images: an image that is too large is refused before it is decoded."""
