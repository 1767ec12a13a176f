"""EM as passes: share the rows out among the components, fit each component to its shares, until little is gained."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from learnt.cluster.mixture.rules import Rules
from learnt.cluster.mixture.view import MixtureView
from learnt.engine.passes import Pass
from learnt.watch import report, watching


@dataclass(frozen=True)
class Fit:
    """Where EM ended: components, and the objective before each step."""

    components: Any
    bounds: list[float]
    converged: bool


def em(
    components: Any,
    view: MixtureView,
    rules: Rules,
    *,
    weight: float,
    units: float,
    max_iter: int,
    tol: float,
    learner: str,
) -> Generator[Pass, Any, Fit]:
    """Rounds until the objective gains no more than `tol`. The objective, per row, is

        (Σ w log p(x) + log prior) / Σ w

    in the units of the table: `units` is what Σ w log p needs for that. It never falls.
    """
    bounds: list[float] = []
    for iteration in range(1, max_iter + 1):
        sums = yield components.round(view, rules)
        bounds.append((sums.log_likelihood + units + components.log_prior(rules)) / weight)
        components = components.moved(sums, rules)
        if watching():
            report("em", learner=learner, iteration=iteration, total=max_iter, objective=bounds[-1])
        if iteration > 1 and bounds[-1] - bounds[-2] <= tol:
            return Fit(components, bounds, True)
    return Fit(components, bounds, False)
