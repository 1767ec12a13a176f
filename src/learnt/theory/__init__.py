"""What can be learnt at all: sample sizes, deviations, mistake bounds, shattering and the VC dimension."""

from learnt.theory.deviations import chebyshev, chebyshev_mean, chernoff, hoeffding, hoeffding_interval
from learnt.theory.mistakes import (
    find_s_mistakes,
    halving_mistakes,
    perceptron_mistakes,
    weighted_majority_mistakes,
    winnow_mistakes,
)
from learnt.theory.models import ModelBound, RademacherComplexity, pac_bound, rademacher_complexity
from learnt.theory.sample_sizes import SampleBound, agnostic_bound, consistent_bound, vc_bound
from learnt.theory.shattering import (
    Conjunctions,
    HalfPlanes,
    Intervals,
    Rays,
    Rectangles,
    VCDimension,
    growth_function,
    patterns,
    sauer_bound,
    shatters,
    vc_dimension,
)

__all__ = [
    "Conjunctions",
    "HalfPlanes",
    "Intervals",
    "ModelBound",
    "RademacherComplexity",
    "Rays",
    "Rectangles",
    "SampleBound",
    "VCDimension",
    "agnostic_bound",
    "chebyshev",
    "chebyshev_mean",
    "chernoff",
    "consistent_bound",
    "find_s_mistakes",
    "growth_function",
    "halving_mistakes",
    "hoeffding",
    "hoeffding_interval",
    "pac_bound",
    "patterns",
    "perceptron_mistakes",
    "rademacher_complexity",
    "sauer_bound",
    "shatters",
    "vc_bound",
    "vc_dimension",
    "weighted_majority_mistakes",
    "winnow_mistakes",
]
