"""Decision trees: grown, pruned, printed, drawn, turned into rules."""
