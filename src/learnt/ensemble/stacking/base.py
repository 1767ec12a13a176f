"""What stacks share: members asked about rows they have not seen, and a learner that learns from their answers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array, Table
from learnt.engine.passes import Batch
from learnt.engine.whole import InMemory, WholeTable
from learnt.ensemble.members import fitted_member, taken_rows
from learnt.ensemble.side_by_side import N_JOBS, Fit, fits_at_once, results_of
from learnt.ensemble.stacking.contributions import contributions_of, contributions_text
from learnt.ensemble.stacking.folds import Folds, left_out_parts
from learnt.ensemble.voting.base import check_members, check_takes_weights
from learnt.ensemble.voting.named import Named, NamedMembers
from learnt.errors import SavedModelError
from learnt.learner.base import Learner
from learnt.learner.fields import attribute, setting
from learnt.learner.foreign import adopted
from learnt.learner.parameters import Flag
from learnt.watch import report


class Stack(NamedMembers, abstract=True):
    """Members in `estimators_`, called `names_`, and `final_estimator_`, which gets a column, or several, of each.

    Members of the family write `_default_learners`, `_default_final`, `_level_one` and `_answer_names`.
    """

    whole = InMemory("fits each member to several parts of the rows")
    fit_cost = 500.0
    simplicity = 80.0

    final_estimator: Any = setting(default=None, kw_only=False)
    cv: Any = setting(
        Folds(), "parts of the rows, each asked about by members that have not seen it; or a splitter", default=5
    )
    passthrough: bool = setting(Flag(), "whether the final learner gets the table's columns too", default=False)

    n_jobs: int | None = setting(
        N_JOBS,
        "members, and parts left out, fitted side by side; None: one a core if rows are few, else one; −1: one a core",
        default=None,
    )

    estimators_: list[Any] = attribute()
    names_: tuple[str, ...] = attribute()
    final_estimator_: Any = attribute()
    contributions_: dict[str, float] | None = attribute()

    def _default_learners(self, n_rows: int | None, schema: Schema) -> Named:
        """The members of `estimators=None`."""
        raise NotImplementedError

    def _default_final(self) -> Learner:
        """The learner of `final_estimator=None`."""
        raise NotImplementedError

    def _fitted_final(self, final: Any, level_one: Batch) -> Any:
        """The final learner, fitted to what members said of rows they had not seen."""
        return fitted_member(final, level_one, getattr(self, "classes_", None))

    def _level_one(self, member: Any, table: Table) -> Array:
        """What the final learner gets to know of a member's answer, rows × numbers."""
        raise NotImplementedError

    def _answer_names(self, name: str) -> list[str]:
        """What the numbers of a member are called."""
        raise NotImplementedError

    # Fitting

    def _learn(self, rows: WholeTable) -> None:
        there, classes = rows.of_positive_weight(), getattr(self, "classes_", None)
        batch = Batch(there.table, 0, there.target, there.uneven_weights)
        named = self._given_learners() or self._default_learners(batch.n_rows, batch.table.schema)
        final: Any = self._default_final() if self.final_estimator is None else adopted(self.final_estimator)
        for learner in (*(learner for _, learner in named), final):
            check_takes_weights(adopted(learner), batch.weights)
        asked, parts = left_out_parts(rows, there, batch, self.cv, classes is not None)
        self.names_ = tuple(name for name, _ in named)
        self.estimators_, answers = self._fitted_members(named, batch, asked, parts)
        table = self._joined(np.hstack(answers), asked.table)
        level_one = Batch(table, 0, asked.target, asked.weights)
        self.final_estimator_ = self._fitted_final(final, level_one)
        self.contributions_ = contributions_of(self.final_estimator_, table, self._places(), asked.weights)

    def _fitted_members(
        self, named: Named, batch: Batch, asked: Batch, parts: list[tuple[Array, Array]]
    ) -> tuple[list[Any], list[Array]]:
        """The members, and what each says of rows that it has not seen; with too few rows for that, of those it has."""
        fits = []
        for name, learner in named:
            fits.append(Fit(f"member '{name}'", partial(self._member, learner, batch)))
            for k, (train, test) in enumerate(parts):
                work = partial(self._unseen_answers, learner, asked, train, test)
                fits.append(Fit(f"member '{name}' without fold {k}", work))
        each = 1 + len(parts)
        left = [each] * len(named)

        def tell(place: int) -> None:
            left[place // each] -= 1
            if left[place // each] == 0:
                report("member", learner=type(self).__name__, iteration=left.count(0), total=len(named))

        found = results_of(fits, fits_at_once(self.n_jobs, [learner for _, learner in named], batch.table), tell)
        members = found[::each]
        if not parts:
            return members, [self._level_one(member, asked.table) for member in members]
        answers = [np.empty((asked.n_rows, len(self._answer_names("")))) for _ in named]
        for m, said in enumerate(answers):
            for k, (_, test) in enumerate(parts):
                said[test] = found[m * each + 1 + k]
        return members, answers

    def _member(self, learner: Any, batch: Batch) -> Any:
        return fitted_member(adopted(learner), batch, getattr(self, "classes_", None))

    def _unseen_answers(self, learner: Any, asked: Batch, train: Array, test: Array) -> Array:
        """What the learner says of some rows when fitted to others."""
        return self._level_one(self._member(learner, taken_rows(asked, train)), asked.table.take(test))

    # Answering

    def _places(self) -> dict[str, list[int]]:
        """Which columns of the final learner's table are of each member."""
        width = len(self._answer_names(""))
        return {name: list(range(m * width, (m + 1) * width)) for m, name in enumerate(self.names_)}

    def _joined(self, answers: Array, table: Table) -> Table:
        """The table of the final learner."""
        names = [column for name in self.names_ for column in self._answer_names(name)]
        if not self._passes_columns(answers.shape[1]):
            return Table.of_matrix(np.ascontiguousarray(answers), names)
        taken = set(table.names)
        names = [name if name not in taken else f"member {name}" for name in names]
        return Table.of_columns([*Table.of_matrix(np.ascontiguousarray(answers), names).columns, *table.columns])

    def _passes_columns(self, width: int) -> bool:
        """Whether the final learner gets the table's columns beside so many answers: the setting may have been changed
        since it was fitted."""
        final = self.__dict__.get("final_estimator_")
        return bool(self.passthrough) if final is None else len(final._schema) > width

    def _asked(self, table: Table) -> Table:
        """What the members say of rows, as the final learner's table."""
        return self._joined(np.hstack([self._level_one(member, table) for member in self.estimators_]), table)

    def __str__(self) -> str:
        if "final_estimator_" not in self.__dict__:
            return repr(self)
        return contributions_text(self.contributions_, self.final_estimator_, self.names_)

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        check_members(self, self.estimators_, self.names_)
        final, width = self.final_estimator_, sum(len(self._answer_names(name)) for name in self.names_)
        fits = isinstance(final, Learner) and len(final._schema) in (width, width + len(self._schema))
        if not fits or final.task != self.task:
            raise SavedModelError("The final learner does not fit the members.")
