"""The Storage tab."""
