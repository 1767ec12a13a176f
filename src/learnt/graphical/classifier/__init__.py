"""Classifiers that are Bayesian networks over the class and the columns."""
