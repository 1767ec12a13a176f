"""Model trees: tests above, a linear model in every leaf."""
