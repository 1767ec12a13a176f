"""The arithmetic behind a prediction, in the user's own columns."""

from learnt.explain.explanation import Evidence, Explanation
from learnt.explain.explanations import Explanations

__all__ = ["Evidence", "Explanation", "Explanations"]
