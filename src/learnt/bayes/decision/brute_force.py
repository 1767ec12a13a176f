"""The most probable of listed hypotheses, and the shortest description of the data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from learnt.bayes.decision.hypotheses import HypothesisClassifier, answers
from learnt.data.table import Array, Table
from learnt.errors import ParameterError
from learnt.explain import Explanation, Explanations
from learnt.learner.fields import setting
from learnt.learner.parameters import Real
from learnt.show.numbers import number
from learnt.show.words import label, spell


class BruteForceMAP(HypothesisClassifier, abstract=True):
    """Try every hypothesis and keep the most probable one.

        h = argmax P(h) · Π_i p(y_i | x_i, h)

    >>> table = {"sky": ["sun", "rain", "sun"]}
    >>> def sunny(rows): return ["yes" if sky == "sun" else "no" for sky in rows["sky"].labels()]
    >>> model = BruteForceMAP({"always": lambda rows: "yes", "sunny": sunny}).fit(table, ["yes", "no", "yes"])
    >>> model.best_, model.posterior_.tolist()
    ('sunny', [0.0, 1.0])

    A hypothesis is a function from a table to labels (or to probabilities, rows × classes), or a fitted
    classifier. It is not changed by fitting: only its probability is. Of equally probable ones the first is kept.

    {settings}

    Attributes: `posterior_`, `log_likelihood_`, and `description_length_` in bits, of each hypothesis;
    `best_`, the name of the one kept.

    Reference: T. M. Mitchell, Machine Learning, 1997, section 6.3.
    """

    hypotheses: Any = setting(None, "a list, or a dict by name", kw_only=False)

    @property
    def best_(self) -> Any:
        """The name, or number, of the most probable hypothesis."""
        return self.hypothesis_names_[int(self.posterior_.argmax())]

    def _probabilities(self, table: Table) -> Array:
        kept = self._listed_hypotheses()[int(self.posterior_.argmax())]
        return answers(kept, table, self.classes_, float(self.noise))

    def _explain(self, table: Table) -> Explanations:
        labels, p = self.classes_.tolist(), self._probabilities(table)
        chance = number(float(self.posterior_.max()))

        def explain_row(i: int) -> Explanation:
            order = np.argsort(-p[i], kind="stable")
            best, total = int(order[0]), float(p[i].max())
            words = f"hypothesis {label(self.best_)}, of probability {chance}, says so"
            others = tuple((labels[c], float(p[i, c])) for c in order[1:])
            return Explanation(labels[best], "frequency", total, words, (), total, "probability", others)

        return Explanations(table.n_rows, explain_row)


def mdl_score(log_likelihood: float, *, prior: float | None = None, bits: float | None = None) -> float:
    """The length of a hypothesis and of the data told with its help, in bits; the shortest is the most probable.

        L = −log₂ P(h) − log₂ P(D | h)

    >>> mdl_score(math.log(1 / 8), prior=0.25)
    5.0
    >>> mdl_score(math.log(1 / 8), bits=2)
    5.0

    `log_likelihood` is the natural logarithm of P(D | h). The hypothesis is told by its `prior` probability or
    by the `bits` that write it down.
    """
    if (prior is None) == (bits is None):
        raise ParameterError(f"prior={spell(prior)} and bits={spell(bits)} came. Expected exactly one of them.")
    if prior is not None:
        if prior not in Real(0, 1):
            raise ParameterError(f"prior={spell(prior)} is not a probability. Expected a number from 0 to 1.")
        bits = math.inf if prior == 0 else -math.log2(prior)
    elif bits not in Real(0):
        raise ParameterError(f"bits={spell(bits)} is not a length. Expected a number ≥ 0.")
    assert bits is not None
    if log_likelihood not in Real() and log_likelihood not in (-math.inf, math.inf):
        raise ParameterError(
            f"log_likelihood={spell(log_likelihood)} came. Expected a number, the logarithm of P(D | h)."
        )
    return float(bits - log_likelihood / math.log(2))
