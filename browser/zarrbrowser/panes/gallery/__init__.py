"""The Thumbnails tab."""
