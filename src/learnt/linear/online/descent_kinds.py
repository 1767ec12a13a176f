"""What a descent can be: losses, lengths and kinds of steps, as settings name them and kernels number them."""

from __future__ import annotations

from learnt.learner.parameters import Domain, Flag, OneOf, Real, Seed, Whole

# As the kernels number them.
LOSSES = (
    "hinge",
    "logistic",
    "exponential",
    "squared",
    "squared_error",
    "absolute_error",
    "huber",
    "epsilon_insensitive",
)
#: A descent whose loss is this many times the loss before its first step takes steps that are too long.
RAN_AWAY = 1e6
#: Of a loss along its score, where that is more than 1.
CURVATURE = {"squared": 2.0}
RATES = {"constant": 0, "adaptive": 0, "invscaling": 1, "optimal": 2}
OPTIMIZERS = {"sgd": 0, "momentum": 1, "nesterov": 2, "adam": 3}

#: The settings that a classifier and a regressor share.
DOMAINS: dict[str, Domain] = {
    "penalty": OneOf("l2", "l1", "elasticnet", None),
    "alpha": Real(0),
    "l1_ratio": Real(0, 1),
    "fit_intercept": Flag(),
    "max_iter": Whole(1),
    "tol": Real(0),
    "learning_rate": OneOf("optimal", "constant", "invscaling", "adaptive"),
    "eta0": OneOf("auto") | Real(above=0),
    "power_t": Real(0),
    "optimizer": OneOf(*OPTIMIZERS),
    "momentum": Real(0, below=1),
    "batch_size": Whole(1),
    "average": Flag(),
    "shuffle": Flag(),
    "early_stopping": Flag(),
    "validation_fraction": Real(above=0, below=1),
    "n_iter_no_change": Whole(1),
    "standardize": Flag(),
    "random_state": Seed(),
}


def loss_number(name: str) -> int:
    """The number of a loss in the kernels."""
    return LOSSES.index(name)
