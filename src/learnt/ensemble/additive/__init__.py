"""Sums of regressors, each fitted to what those before it left over."""
