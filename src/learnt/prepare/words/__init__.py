"""Documents as counts of their words."""
