"""The picture itself and what is drawn over it."""
