"""Linear models."""

from learnt.linear.linear_regression import LinearRegression

__all__ = ["LinearRegression"]
