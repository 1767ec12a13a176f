"""What mixtures of experts share: the start, the course, and the gate's shares of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from learnt.data.table import Array, Table
from learnt.engine.blas import one_blas_thread
from learnt.engine.first_look import FirstLook
from learnt.engine.passes import Batch
from learnt.engine.survey import survey
from learnt.engine.whole import InMemory, WholeTable
from learnt.ensemble.experts.course import Course, Expert, run_course
from learnt.ensemble.experts.gate import ExpertGate, GateRows
from learnt.ensemble.experts.gradient import Climb, climbed
from learnt.ensemble.experts.merged_rows import merged_rows
from learnt.ensemble.members import fitted_member, taken_rows, within_bounds
from learnt.ensemble.weak_learner import RepeatsLearner
from learnt.errors import ParameterError, SavedModelError
from learnt.learner.base import Classifier, Learner, Regressor
from learnt.learner.fields import attribute, setting
from learnt.learner.foreign import adopted
from learnt.learner.parameters import OneOf, Real, Whole
from learnt.learner.settings import clone
from learnt.linear import LogisticRegression, Ridge
from learnt.show.numbers import number
from learnt.storable import Numbers

#: At first a row is mostly of the expert of its leaf, and this share of it of all alike.
SPREAD = 0.1
#: A smaller share of a row than this is none.
LEAST_SHARE = 1e-9
#: The least noise of an expert, in standard deviations of the target: one that meets its rows would have none, and take
#: all likelihood there is.
LEAST_NOISE = 0.01


class Experts(RepeatsLearner, abstract=True):
    """`estimators_`, and `gate_`, a linear classifier whose classes are their numbers.

    Members of the family write `_default`, `_leaves` and `_expert`.
    """

    whole = InMemory("weighs all rows anew for every expert")
    fit_cost = 300.0
    simplicity = 60.0
    search_space: ClassVar[dict[str, Any]] = {"n_experts": (2, 3, 4), "penalty": (1.0, 0.1)}

    estimator: Any = setting(default=None, kw_only=False)
    n_experts: int = setting(Whole(1), "how many there are", default=2)
    method: str = setting(
        OneOf("em", "gradient"),
        '"em": experts and gate are fitted in turn; "gradient": gate and linear experts climb together',
        default="em",
    )
    penalty: float = setting(
        Real(0), "½ · penalty · Σ v² is taken off for the gate, its columns standardised", default=1.0
    )
    max_iter: int = setting(Whole(0), "most steps", default=50)
    tol: float = setting(Real(0), "ends when a step gains less log-likelihood a row", default=1e-5)

    estimators_: list[Any] = attribute()
    gate_: ExpertGate = attribute()
    objective_: Numbers = attribute()
    log_likelihood_: float = attribute()
    converged_: bool = attribute()
    n_iter_: int = attribute()
    noise_: Numbers = attribute()

    def _default(self) -> Learner:
        """The expert of `estimator=None`."""
        raise NotImplementedError

    def _leaves(self, batch: Batch, n_leaves: int) -> Array:
        """Which of at most so many leaves of a tree each row comes to: whose row it is at first."""
        raise NotImplementedError

    def _expert(self, member: Any, batch: Batch, weights: Array) -> Expert:
        """What a fitted member thinks of the target of each row, fitted with these weights."""
        raise NotImplementedError

    def _unit(self, batch: Batch) -> float:
        """What numbers are measured in."""
        return 1.0

    # Fitting

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.estimator is None:
            return
        name, learner = type(self.estimator).__name__, adopted(self.estimator)
        if "weights" not in learner.abilities:
            raise ParameterError(
                f"{type(self).__name__}: {name} takes no weights, and an expert is fitted to a share of every row. "
                "Give a learner that takes them."
            )
        if self.method == "gradient" and not isinstance(learner, LogisticRegression | Ridge):
            raise ParameterError(
                f"{type(self).__name__}: method='gradient' knows the gradient of linear experts only, and {name} is "
                f"none. Use method='em', or {type(self._default()).__name__}."
            )

    def _learn(self, rows: WholeTable) -> None:
        batch, k, name = merged_rows(rows.of_positive_weight()), int(self.n_experts), type(self).__name__
        w = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        look = FirstLook.of(survey(batch.table, batch.weights), drop_reference=True)
        with one_blas_thread():  # results would depend on the number of threads
            gate_rows = GateRows.of(look.design, batch.table, w, float(self.penalty))
            course = run_course(
                gate_rows,
                self._first_shares(batch, k),
                self._fitting(batch, w),
                max_iter=0 if self.method == "gradient" else int(self.max_iter),
                tol=float(self.tol),
                owner=name,
            )
            if self.method == "gradient":
                climb = Climb(course, gate_rows, batch, self._unit(batch), LEAST_NOISE)
                course = climbed(climb, max_iter=int(self.max_iter), tol=float(self.tol), owner=name)
            self._keep(course, gate_rows)

    def _first_shares(self, batch: Batch, k: int) -> Array:
        if k == 1:
            return np.ones((batch.n_rows, 1))
        places = np.unique(self._leaves(batch, k), return_inverse=True)[1]
        return (1 - SPREAD) * np.eye(k)[places] + SPREAD / k

    def _fitting(self, batch: Batch, w: Array) -> Callable[[Array], Expert]:
        learner = self._default() if self.estimator is None else adopted(self.estimator)
        classes = getattr(self, "classes_", None)

        def fit_expert(share: Array) -> Expert:
            own = Batch(batch.table, 0, batch.target, np.maximum(share, LEAST_SHARE) * w)
            there = np.flatnonzero(share > LEAST_SHARE)
            if 0 < len(there) < len(share) and self.method == "em":
                own = taken_rows(own, there)
            return self._expert(fitted_member(clone(learner), own, classes), batch, w * share)

        return fit_expert

    def _keep(self, course: Course, rows: GateRows) -> None:
        self.estimators_ = [expert.member for expert in course.experts]
        self.noise_ = np.array([expert.noise for expert in course.experts])
        self.gate_ = rows.as_learner(course.v, self._schema)
        self.objective_, self.converged_ = np.array(course.objectives), course.converged
        self.n_iter_ = max(1, len(course.objectives) - 1)
        self.log_likelihood_ = course.log_likelihood(rows)

    # Answering

    def gate_proba(self, X: Any) -> Array:
        """How far each expert is trusted, rows × experts."""
        still = self._still()
        still._fitted_schema()
        shares: Array = still._over(X, still._gate_shares)
        return shares

    def _gate_shares(self, table: Table) -> Array:
        return self.gate_._probabilities(table)

    def _mixed(self, table: Table, answer: Callable[[Any, Table], Array]) -> Array:
        """The experts' answers, rows × numbers, averaged by the gate's shares of each row."""
        mean: Array | None = None
        shares = self._gate_shares(table)
        weight = np.zeros(table.n_rows)
        for k, member in enumerate(self.estimators_):
            said = within_bounds(answer(member, table))
            weight += shares[:, k]
            part = np.divide(shares[:, k], weight, out=np.zeros(table.n_rows), where=weight > 0)
            mean = (
                said.astype(np.float64) if mean is None else mean + (said - mean) * part[:, None]
            )  # exact if all agree
        assert mean is not None
        return mean

    def __str__(self) -> str:
        if "gate_" not in self.__dict__:
            return repr(self)
        lines = []
        for k, member in enumerate(self.estimators_):
            noise = f", noise {number(self.noise_[k])}" if self.noise_[k] > 0 else ""
            lines += [f"expert {k}{noise}", *(f"  {line}" for line in str(member).splitlines())]
        if len(self.estimators_) > 1:
            lines += ["gate", *(f"  {line}" for line in str(self.gate_).splitlines())]
        return "\n".join(lines)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        kind = Classifier if isinstance(self, Classifier) else Regressor
        members, gate = self.estimators_, self.gate_
        if not members or self.noise_.shape != (len(members),):
            raise SavedModelError(f"There are {len(members)} experts with {len(self.noise_)} noises.")
        if not isinstance(gate, ExpertGate) or gate.classes_.tolist() != list(range(len(members))):
            raise SavedModelError("The gate does not fit the experts.")
        known = set(self.classes_.tolist()) if isinstance(self, Classifier) else set()
        for member in members:
            if not isinstance(member, kind) or member._schema != self._schema or gate._schema != self._schema:
                raise SavedModelError("An expert does not fit the columns.")
            if isinstance(member, Classifier) and not known >= set(member.classes_.tolist()):
                raise SavedModelError("An expert knows other classes than the mixture.")
