"""Folds evaluated in other processes, with the same numbers."""
