"""Plans of other learners, run on a target made from the classes: one class against the rest, or classes renumbered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.engine.engines import Plan
from learnt.engine.passes import Batch, Pass, Statistic
from learnt.engine.training import Training
from learnt.engine.whole import TakeWhole, WholeTable
from learnt.learner.base import Classifier
from learnt.show.words import plain


class Retargeted(Pass):
    """A pass of another plan, for which the target of class c is `values[c]`.

    Plans of several targets run one after another and share one place for their state, so each state is kept with
    the target it belongs to; that of another one is forgotten.
    """

    def __init__(self, inner: Pass, values: Array):
        self.inner, self.values = inner, values
        self.whole, self.state = inner.whole, inner.state  # type: ignore[misc]

    def __call__(self, batch: Batch, state: Any) -> tuple[Statistic, Any]:
        own = state[1] if state is not None and np.array_equal(state[0], self.values) else None
        statistic, own = self.inner(replace(batch, target=self.values[batch.target]), own)
        return statistic, (self.values, own)


def retargeted(plan: Plan, values: Array) -> Plan:
    """The same plan on the target `values[class]`. Returns what the plan returns."""
    found: Statistic | WholeTable | None = None
    while True:
        try:
            request = plan.send(found)
        except StopIteration as end:
            return end.value
        if isinstance(request, TakeWhole):
            whole: WholeTable = yield request
            found = replace(whole, target=values[whole.target])
        else:
            found = yield Retargeted(request, values)


def member_plan(learner: Classifier, training: Training, code: int) -> Plan:
    """Fit a learner, given with its settings only, to tell one class from the rest; returns it fitted."""
    assert training.classes is not None
    learner._check_parameters()
    member = learner._twin(training.schema, two_names(training.classes[code]))
    values = (np.arange(len(training.classes)) == code).astype(np.int32)
    target = values[training.target] if training.in_memory else training.target
    own = replace(training, target=target, classes=member.classes_, n_labels=2)
    yield from retargeted(member._plan(own), values)
    return member


def two_names(name: Any) -> Array:
    """The classes of a member, in words that read well in its explanations; as objects, for names may be long."""
    return np.array([f"not {plain(name)}", f"{plain(name)}"], dtype=object)
