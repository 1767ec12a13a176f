"""A readable model that imitates another, from artificial rows that the other one labelled."""
