"""The perceptron: a line found by its mistakes."""

from __future__ import annotations

from typing import Any, ClassVar

from learnt.learner.fields import setting
from learnt.learner.parameters import Real
from learnt.linear.online.perceptron_learner import PerceptronLearner


class Perceptron(PerceptronLearner):
    """Go through the rows and, at each that is on the wrong side, move the line towards it.

        wrong if y (b + w·z) ≤ 0;   then   w ← w + η y z,   b ← b + η y          (y = +1 or −1)

    >>> table = {"a": [0.0, 0.0, 1.0, 1.0], "b": [0.0, 1.0, 0.0, 1.0]}
    >>> model = Perceptron().fit(table, [-1, -1, -1, 1])
    >>> model.intercept_.tolist(), model.coef_.tolist(), model.n_mistakes_
    ([-4.0], [[3.0, 2.0]], 18)

    If some line separates the classes with margin γ, and no row (with a 1 for the intercept) is longer than R, it
    makes at most (R/γ)² mistakes (`mistake_bound_`). If none does, it never ends: passes are limited by `max_iter`
    and a warning says so. Several classes: each against all others.

    Numbers are centred and divided by their spread (`standardize`), except columns of zeros and ones, which enter as
    they are, like categories; columns that do not vary are left out. R and γ are those of the rows as they enter;
    coefficients are given in the units of the table.

    A weight of 2 shows a row twice; fractions are taken relative to the smallest weight.

    {settings}

    Attributes: `coef_`, `intercept_`, `coefficient_names_`; `n_mistakes_` (per class, if there are more than two);
    `n_iter_`, passes made; `converged_`, whether a pass had no mistake; `radius_`, `margin_`, `margin_is_largest_`,
    `mistake_bound_`; `steepness_`.

    References: A. Novikoff, On convergence proofs on perceptrons, 1962; Y. Freund, R. Schapire, Large margin
    classification using the perceptron algorithm, Machine Learning 37, 1999.
    """

    fit_cost = 6.0
    simplicity = 12.0
    search_space: ClassVar[dict[str, Any]] = {"variant": ("auto", "averaged")}

    variant: Any = setting(
        PerceptronLearner.domains["variant"],
        'predict with "plain": the last weights; "averaged": their mean over all rows shown; "auto": the '
        'last weights if they separate a class from the others, else the mean; "voted": let all weights '
        "vote, by how many rows they survived",
        default="auto",
    )
    eta0: float = setting(Real(above=0, high=1e100), "η, which only scales the weights", default=1.0)
    fit_intercept: bool = setting(
        PerceptronLearner.domains["fit_intercept"], "whether b is learnt; False fixes it at 0", default=True
    )
    max_iter: int = setting(PerceptronLearner.domains["max_iter"], "passes over the rows at most", default=50)
    standardize: bool = setting(
        PerceptronLearner.domains["standardize"], "centre and scale numbers inside", default=True
    )
    shuffle: bool = setting(
        PerceptronLearner.domains["shuffle"], "whether each pass draws an order of the rows", default=False
    )
    random_state: Any = setting(PerceptronLearner.domains["random_state"], "seed of that", default=0)
