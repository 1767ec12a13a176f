"""What is seen while a command runs and when it ends."""
