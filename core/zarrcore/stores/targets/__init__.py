"""Files and addresses that data name: which of them may be read, and how they are opened."""
