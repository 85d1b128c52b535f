"""The Plot tab."""
