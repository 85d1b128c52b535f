"""The Table tab."""
