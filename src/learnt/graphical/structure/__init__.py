"""Learning which columns depend on which: trees, hill climbing, K2 and PC, from counts alone."""
