"""Recommendation: who will like what, learnt from who liked what."""

from learnt.recommendation.columns import find_roles as find_roles
from learnt.recommendation.columns import known_column as known_column
from learnt.recommendation.learner import MatrixFactorization
from learnt.recommendation.lists import Scored

__all__ = ["MatrixFactorization", "Scored"]
