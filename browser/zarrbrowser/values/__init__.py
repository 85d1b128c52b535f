"""Array elements as numbers, and numbers as text. Without Qt."""
