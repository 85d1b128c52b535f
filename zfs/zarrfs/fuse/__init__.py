"""The kernel's requests, answered from the trees."""
