"""Commands that read a hierarchy: compare, measure, search."""
