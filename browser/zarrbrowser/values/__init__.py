"""Array elements as numbers, and numbers as text. Does not import Qt."""
