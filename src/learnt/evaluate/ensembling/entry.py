"""`learnt.best_ensemble`: from a finished comparison to the best mean of its learners, and an honest score of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from learnt.data.table import Array
from learnt.evaluate.comparison.comparison import Comparison
from learnt.evaluate.comparison.outcome import Outcome
from learnt.evaluate.comparison.scoring import Scorer
from learnt.evaluate.ensembling.chosen import ChosenEnsemble
from learnt.evaluate.ensembling.library import Library
from learnt.evaluate.ensembling.mean_results import mean_result
from learnt.evaluate.metrics.scoring import METRICS

#: What the ensemble is called beside the learners.
NAME = "ensemble"


def best_ensemble(comparison: Comparison) -> ChosenEnsemble:
    """Choose the best mean of the learners of a comparison, by the answers it has kept; none is fitted for that.

        f(x) = Σ_m w_m · f_m(x),   w from greedy selection (see `greedy_weights`) by log loss or squared error

    >>> import learnt
    >>> found = learnt.compare(learnt.datasets.cpu(), learners=["Ridge", "KNeighborsRegressor", "MeanRegressor"])
    >>> chosen = learnt.best_ensemble(found)
    >>> sum(chosen.weights.values())
    1.0

    Its score is that of an ensemble chosen anew for each fold, without any answer to the rows of that fold. `model`
    fits those learners on all rows that the comparison has not fitted yet, and no other.

    Reference: R. Caruana, A. Niculescu-Mizil, G. Crew, A. Ksikes, Ensemble selection from libraries of models, 2004.
    """
    library = Library.of(comparison)
    metric = METRICS["rmse" if comparison.problem.classes is None else "log_loss"]
    best = comparison.ranked_by(metric)[0]
    singles = [o for o in (best, comparison.best) if np.isfinite(o.mean(metric.name))]  # one may give no probabilities
    rivals = {o.name: replace(o, refit=None) for o in singles}
    judged = Comparison(
        problem=comparison.problem,
        outcomes=[_nested_outcome(comparison, library), *rivals.values()],
        metric=metric,
        metrics=comparison.metrics,
        cv=comparison.cv,
        repeats=comparison.repeats,
        random_state=comparison.random_state,
        loss=comparison.loss,
        roles=comparison.roles,
        _splitting=comparison.splitting,
    )
    return ChosenEnsemble(comparison, _by_name(library, library.weights_for_all()), judged, best.name)


def _by_name(library: Library, weights: Array) -> dict[str, float]:
    """The members that are taken, the weightiest first."""
    found = {o.name: float(w) for o, w in zip(library.outcomes, weights, strict=True) if w > 0}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _nested_outcome(comparison: Comparison, library: Library) -> Outcome:
    """The ensemble as a learner of the comparison, its members chosen inside each fold."""
    names = {o.name for o in comparison.outcomes}
    first = library.outcomes[0]
    keys = [(r.repeat, r.number) for r in first.results]
    scorer = Scorer(comparison.problem, comparison.metrics, comparison.loss, keys)
    results = []
    for fold in range(len(keys)):
        weights = library.weights_for_fold(fold).tolist()
        results.append(scorer.decided_result(mean_result([o.results[fold] for o in library.outcomes], weights)))
    return Outcome(
        name=NAME if NAME not in names else f"{NAME} of the comparison",
        learner=None,
        status="done",
        results=results,
        scores=scorer.table(results),
        simplicity=80.0,
    )
