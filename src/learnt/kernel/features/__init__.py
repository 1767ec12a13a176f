"""Columns whose inner products are about those of a kernel, for linear learners."""
