"""Changes that the user asks for: attributes, nodes, elements; what they leave, and how they are undone. Does not import Qt."""
