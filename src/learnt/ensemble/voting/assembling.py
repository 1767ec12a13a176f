"""A vote of learners that are fitted already."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from learnt.data.schema import Schema
from learnt.ensemble.voting.learners import VotingClassifier, VotingRegressor
from learnt.ensemble.voting.named import Named
from learnt.learner.base import Learner
from learnt.learner.foreign import adopted


def vote_of_fitted(
    fitted: Named, weights: list[float], schema: Schema, fresh: Callable[[Any], Any]
) -> VotingClassifier | VotingRegressor:
    """What fitting the vote would have given, of members fitted to the same rows, whose columns are `schema`.

    Unfitted where that cannot be said: members that see columns of their own, as where text becomes words, or that know
    different classes. `fresh` makes an unfitted copy of a member.
    """
    named = [(name, fresh(model)) for name, model in fitted]
    labels = [np.asarray(model.classes_) for _, model in fitted if hasattr(model, "classes_")]
    vote = VotingClassifier(named, weights=weights) if labels else VotingRegressor(named, weights=weights)
    members = [_member(model, schema) for _, model in fitted]
    alike = all(member._schema == schema and "_text_columns" not in member.__dict__ for member in members)
    if not alike or any(own.tolist() != labels[0].tolist() for own in labels):
        return vote
    vote._check_parameters()
    twin: Any = vote._twin(schema, labels[0] if labels else None)
    twin.estimators_, twin.names_ = members, tuple(name for name, _ in fitted)
    twin.weights_ = np.asarray(weights, dtype=np.float64) / np.sum(weights)
    return vote._become(twin)


def _member(model: Any, schema: Schema) -> Any:
    """The model itself, or one of another make behind the hooks of a learner."""
    if isinstance(model, Learner):
        return model
    shell = adopted(model)
    member = shell._twin(schema, getattr(model, "classes_", None))
    member.model_ = model
    return member
