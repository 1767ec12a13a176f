"""Logistic regression."""
