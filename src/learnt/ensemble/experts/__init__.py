"""Mixtures of experts: a gate that says, by the columns of a row, how far to trust each of several learners."""
