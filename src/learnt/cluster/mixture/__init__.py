"""Mixtures of distributions, fitted by EM."""
