"""How sure least squares can be: errors, intervals, tests, influence and what the residuals say."""

from learnt.linear.inference.coefficients import Coefficients, ColumnTest
from learnt.linear.inference.collinearity import Collinearity
from learnt.linear.inference.diagnostics import Diagnostics, ResidualTest
from learnt.linear.inference.influence import Influence
from learnt.linear.inference.intervals import Intervals
from learnt.linear.inference.summary import Summary

__all__ = [
    "Coefficients",
    "Collinearity",
    "ColumnTest",
    "Diagnostics",
    "Influence",
    "Intervals",
    "ResidualTest",
    "Summary",
]
