"""Which tiles a view needs, and the picture made of those that are loaded."""
