"""What is done with whole hierarchies: copying and checking them."""
