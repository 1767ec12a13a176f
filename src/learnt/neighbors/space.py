"""Metrics on rows of numbers: `learnt.distance.space`, under the name indexes know it by."""

from learnt.distance.space import NORMS, Space, space_of

__all__ = ["NORMS", "Space", "space_of"]
