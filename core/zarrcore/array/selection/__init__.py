"""Selections: parsed, normalized, and the chunks that they cross."""
