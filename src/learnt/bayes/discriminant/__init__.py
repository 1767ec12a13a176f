"""Gaussian discriminants and the covariances they are made of."""
