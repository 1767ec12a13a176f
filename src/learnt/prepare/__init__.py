"""Preparing tables: learners whose answer is another table."""

from learnt.prepare.bag_of_words import BagOfWords
from learnt.prepare.discretizer import Discretizer

__all__ = ["BagOfWords", "Discretizer"]
