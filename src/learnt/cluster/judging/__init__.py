"""How good clusters are, how many there are, and what makes them different."""
