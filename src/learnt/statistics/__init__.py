"""What rows are summed up by, each written once."""
