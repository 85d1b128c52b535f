"""Which place of one image is which place of another."""
