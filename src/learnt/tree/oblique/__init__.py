"""Oblique trees: tests of a few columns added up, where one column alone tells less."""
