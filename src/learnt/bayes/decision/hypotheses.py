"""Listed hypotheses: their answers, and how probable the data makes each of them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.bayes.priors import Priors
from learnt.data.table import Array, Table
from learnt.engine.passes import Batch, Pass
from learnt.engine.training import Training
from learnt.errors import InputError, ParameterError
from learnt.learner.base import Classifier
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Domain, OneOf, Real
from learnt.show.words import label, plain
from learnt.statistics.sums import Sums

Hypothesis = Callable[[Table], Any] | Classifier


class _Hypotheses(Domain):
    words = "a list, or a dict by name, of fitted classifiers and functions from a table to labels or probabilities"

    def __contains__(self, value: object) -> bool:
        found = list(value.values()) if isinstance(value, Mapping) else value
        if not isinstance(found, list | tuple) or not found:
            return False
        return all(callable(h) or hasattr(h, "predict_proba") for h in found)


@dataclass(frozen=True)
class HypothesisLikelihoods(Sums):
    """log P(D | h) of each hypothesis: Σ_i w_i log p(y_i | x_i, h)."""

    rows: int
    log_likelihood: Array


class WeighHypotheses(Pass):
    def __init__(self, hypotheses: Sequence[Any], classes: Array, noise: float):
        self.hypotheses, self.classes, self.noise = hypotheses, classes, noise

    def summarize(self, batch: Batch) -> HypothesisLikelihoods:
        assert batch.target is not None
        found = np.zeros(len(self.hypotheses))
        counts = np.ones(batch.n_rows) if batch.weights is None else batch.weights
        rows = np.flatnonzero(counts > 0)
        for h, hypothesis in enumerate(self.hypotheses if batch.n_rows else ()):
            p = answers(hypothesis, batch.table, self.classes, self.noise)[rows, batch.target[rows]]
            with np.errstate(divide="ignore"):
                found[h] = float(counts[rows] @ np.log(p)) if (p > 0).all() else -np.inf
        return HypothesisLikelihoods(batch.n_rows, found)


class HypothesisClassifier(Classifier, abstract=True):
    """What the learners over listed hypotheses share: priors, likelihoods, posteriors."""

    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "passes"})

    hypotheses: Any = setting(
        _Hypotheses(),
        "functions from a table to labels or probabilities, and fitted classifiers: a list, or a dict",
        kw_only=False,
    )
    priors: Any = setting(
        OneOf(None) | Priors(("hypotheses", "name")),
        "a probability each; None for equal ones",
        default=None,
        kw_only=False,
    )
    noise: float = setting(
        Real(0, below=1), "probability that a target is another class than a hypothesis of labels says", default=0
    )

    posterior_: Array = attribute()
    log_likelihood_: Array = attribute()

    def _listed_hypotheses(self) -> list[Any]:
        found = self.hypotheses
        return list(found.values()) if isinstance(found, Mapping) else list(found)

    @property
    def hypothesis_names_(self) -> list[Any]:
        """The names given, or numbers from 0."""
        found = self.hypotheses
        return list(found) if isinstance(found, Mapping) else list(range(len(found)))

    def _prior(self) -> Array:
        names = self.hypothesis_names_
        if self.priors is None:
            return np.full(len(names), 1 / len(names))
        given = self.priors
        if isinstance(given, Mapping):
            given = [given[name] for name in names] if set(given) == set(names) else []
        if len(given) != len(names):
            raise ParameterError(
                f"{type(self).__name__}: {len(self.priors)} priors came for {len(names)} hypotheses. "
                "Expected one each, in their order or by their names."
            )
        return np.asarray(given, dtype=np.float64)

    def _plan(self, training: Training) -> Generator[Pass, Any, None]:
        prior = self._prior()
        found: HypothesisLikelihoods = yield WeighHypotheses(
            self._listed_hypotheses(), self.classes_, float(self.noise)
        )
        self._weigh(prior, found.log_likelihood)

    def _weigh(self, prior: Array, log_likelihood: Array) -> None:
        with np.errstate(divide="ignore"):
            joint = np.log(prior) + log_likelihood
        if np.isneginf(joint).all():
            raise InputError(
                "No hypothesis can have given these targets: each is certain of another class somewhere. "
                "Give a noise= above 0, or a hypothesis that fits."
            )
        share = np.exp(joint - joint.max())
        self.log_likelihood_, self.posterior_ = log_likelihood, share / share.sum()
        self.description_length_ = -joint / np.log(2)


def answers(hypothesis: Any, table: Table, classes: Array, noise: float) -> Array:
    """p(c | x, h), rows × classes. A label is certain but for `noise`, which the other classes share equally."""
    labels = [plain(c) for c in classes.tolist()]
    k = len(labels)
    if hasattr(hypothesis, "predict_proba"):
        found = np.asarray(hypothesis.predict_proba(table), dtype=np.float64)
        own = [plain(c) for c in hypothesis.classes_.tolist()]
        spread = np.zeros((len(found), k))
        for column, c in enumerate(own):
            if c in labels:
                spread[:, labels.index(c)] = found[:, column]
        return spread
    said = np.asarray(hypothesis(table))
    said = np.full(table.n_rows, said[()]) if said.ndim == 0 else said
    if said.shape == (table.n_rows, k) and said.dtype.kind == "f":
        return said
    if said.shape != (table.n_rows,):
        raise InputError(
            f"A hypothesis answered with shape {said.shape} for {table.n_rows} rows. Expected a label per row, or "
            f"probabilities, rows × {k} classes."
        )
    place = {c: i for i, c in enumerate(labels)}
    unknown = [c for c in np.unique(said).tolist() if c not in place]
    if unknown and noise == 0 and len(unknown) == len(np.unique(said)):
        raise InputError(f"A hypothesis answers {label(unknown[0])}, which is none of the classes {labels[:8]}.")
    codes = np.array([place.get(c, -1) for c in said.tolist()])
    spread = np.full((len(said), k), noise / max(k - 1, 1))
    known = codes >= 0
    spread[known, codes[known]] = 1 - noise if k > 1 else 1.0
    return spread
