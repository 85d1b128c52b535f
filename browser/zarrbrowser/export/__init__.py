"""What is shown, as files, code and commands. Without Qt."""
