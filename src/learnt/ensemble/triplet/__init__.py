"""Boosting by three hypotheses."""
