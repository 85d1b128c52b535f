"""The Image tab."""
