"""Mutation testing: one operator, number or condition of the product is changed, and a test must fail."""
