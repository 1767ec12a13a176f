"""Experiments that run: what the textbook claims, tried with the learners of the library."""

from collections.abc import Callable

from learnt.theory.experiments.bagged_trees import bagged_trees
from learnt.theory.experiments.dimensions import curse_of_dimensionality
from learnt.theory.experiments.double_descent import double_descent
from learnt.theory.experiments.experiment import Experiment
from learnt.theory.experiments.no_free_lunch import no_free_lunch
from learnt.theory.experiments.posterior import posterior_over_version_space
from learnt.theory.experiments.six_points import bias_variance_of_six_points
from learnt.theory.experiments.tree_sizes import accuracy_by_rows, overfitting_by_depth

#: All of them, by name.
EXPERIMENTS: dict[str, Callable[..., Experiment]] = {
    run.__name__: run
    for run in (
        no_free_lunch,
        curse_of_dimensionality,
        bagged_trees,
        bias_variance_of_six_points,
        overfitting_by_depth,
        accuracy_by_rows,
        posterior_over_version_space,
        double_descent,
    )
}

__all__ = [
    "EXPERIMENTS",
    "Experiment",
    "accuracy_by_rows",
    "bagged_trees",
    "bias_variance_of_six_points",
    "curse_of_dimensionality",
    "double_descent",
    "no_free_lunch",
    "overfitting_by_depth",
    "posterior_over_version_space",
]
