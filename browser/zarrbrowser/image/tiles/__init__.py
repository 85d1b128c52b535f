"""Which tiles a view needs, and the picture that the loaded tiles make. Without Qt."""
