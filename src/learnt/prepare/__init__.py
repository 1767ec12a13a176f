"""Preparing tables: learners whose answer is another table."""

from learnt.prepare.discretizer import Discretizer

__all__ = ["Discretizer"]
