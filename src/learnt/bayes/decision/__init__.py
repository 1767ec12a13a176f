"""Decisions from probabilities: what an answer costs, and which one costs least."""
