"""Commands that change a hierarchy where it is: create, set, move, erase, downsample, convert nodes."""
