"""What votes share: members fitted to all rows, and a weighted mean of what they say."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.engines import Plan, run
from learnt.engine.training import Training
from learnt.engine.whole import uneven
from learnt.ensemble.members import within_bounds
from learnt.ensemble.side_by_side import N_JOBS, Fit, fits_at_once, results_of
from learnt.ensemble.voting.named import Named, NamedMembers
from learnt.errors import InputError, ParameterError, SavedModelError
from learnt.learner.base import Classifier, Learner, Regressor
from learnt.learner.fields import attribute, setting
from learnt.learner.foreign import adopted
from learnt.learner.parameters import Domain, Real
from learnt.show.words import count_of
from learnt.storable import Numbers
from learnt.watch import report


class Weights(Domain):
    words = "None or a list of numbers ≥ 0, one for each learner, not all 0"

    def __contains__(self, value: object) -> bool:
        if value is None:
            return True
        given = value.tolist() if isinstance(value, np.ndarray) else value
        return isinstance(given, list | tuple) and all(w in Real(0) for w in given) and any(w > 0 for w in given)


class Vote(NamedMembers, abstract=True):
    """Members in `estimators_`, called `names_`, with `weights_` that sum to 1.

    Members of the family write `_default_learners` and `_answer`.
    """

    fit_cost = 90.0
    simplicity = 75.0

    weights: Any = setting(Weights(), "how much each member counts; None: all the same", default=None)

    n_jobs: int | None = setting(
        N_JOBS, "members fitted side by side; None: one a core if rows are few, else one; −1: one a core", default=None
    )

    estimators_: list[Any] = attribute()
    names_: tuple[str, ...] = attribute()
    weights_: Numbers = attribute()

    def _default_learners(self, n_rows: int | None, schema: Schema) -> Named:
        """The members of `estimators=None`."""
        raise NotImplementedError

    def _answer(self, member: Any, table: Table) -> Array:
        """What a member says of rows: to be averaged."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.weights is None:
            return
        n_members = len(self._given_learners()) or len(self._default_learners(None, Schema(())))
        if len(self.weights) != n_members:
            raise ParameterError(
                f"{type(self).__name__}: there are {count_of(len(self.weights), 'weight')} for "
                f"{count_of(n_members, 'learner')}. Give one weight for each learner, in their order."
            )

    def _plan(self, training: Training) -> Plan:
        if isinstance(training.weights, np.ndarray):
            training = replace(training, weights=uneven(training.weights))
        yield from ()  # members have plans of their own, each with the state it keeps between passes
        named = self._given_learners() or self._default_learners(training.n_rows, training.schema)
        shares = np.ones(len(named)) if self.weights is None else np.asarray(self.weights, dtype=np.float64)
        self.names_ = tuple(name for name, _ in named)
        self.estimators_ = self._fitted_members(named, training)
        self.weights_ = shares / shares.sum()

    def _fitted_members(self, named: Named, training: Training) -> list[Any]:
        table = training.source if isinstance(training.source, Table) else None
        at_once = fits_at_once(self.n_jobs, [learner for _, learner in named], table)
        fits = [Fit(f"member '{name}'", partial(_fitted_to_all, learner, training)) for name, learner in named]
        n_done = count(1)

        def tell(_: int) -> None:
            report("member", learner=type(self).__name__, iteration=next(n_done), total=len(named))

        return results_of(fits, at_once, tell)

    def _mean_answer(self, table: Table) -> Array:
        mean: Any = 0.0
        weight = 0.0
        for member, w in zip(self.estimators_, self.weights_.tolist(), strict=True):
            if w > 0:
                weight += w
                said = within_bounds(self._answer(member, table))
                mean = mean + (said - mean) * (w / weight)  # exact where all agree
        found: Array = mean
        return found

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        check_members(self, self.estimators_, self.names_)
        w = self.weights_
        if w.shape != (len(self.names_),) or not (w >= 0).all() or not np.isclose(w.sum(), 1):
            raise SavedModelError("The weights do not fit the members.")


def _fitted_to_all(learner: Any, training: Training) -> Any:
    return fit_to_all(adopted(learner), training)


def fit_to_all(learner: Learner, training: Training) -> Any:
    """A learner, given with its settings only, fitted to what the ensemble was given; a scan is read by it anew."""
    learner._check_parameters()
    check_takes_weights(learner, training.weights)
    member = learner._twin(training.schema, training.classes)
    run(member._plan(training), training, type(learner).__name__)
    return member


def check_takes_weights(learner: Learner, weights: Any) -> None:
    """Raise for a member that would take no notice of weights."""
    if weights is not None and "weights" not in learner.abilities:
        raise InputError(
            f"{learner!r} takes no weights, and rows have weights here. Leave them out, or take another learner."
        )


def check_members(model: Any, members: list[Any], names: tuple[str, ...]) -> None:
    """Raise where members of a saved model do not fit it."""
    kind = Classifier if isinstance(model, Classifier) else Regressor
    if not members or len(members) != len(names) or not all(isinstance(name, str) for name in names):
        raise SavedModelError(f"There are {len(members)} members with names of {len(names)}.")
    for member in members:
        if not isinstance(member, kind) or member._schema != model._schema:
            raise SavedModelError("A member does not fit the columns.")
        if isinstance(member, Classifier) and member.classes_.tolist() != model.classes_.tolist():
            raise SavedModelError("A member knows other classes than the ensemble.")
