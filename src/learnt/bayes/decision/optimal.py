"""The Bayes-optimal combination: all hypotheses vote, each with its probability."""

from __future__ import annotations

import numpy as np

from learnt.bayes.decision.hypotheses import HypothesisClassifier, answers
from learnt.data.table import Array, Table
from learnt.explain import Explanation, Explanations
from learnt.show.numbers import number
from learnt.show.words import label


class BayesOptimalClassifier(HypothesisClassifier, abstract=True):
    """Answer with the class that all hypotheses together make most probable.

        p(c | x, D) = Σ_h P(h | D) · p(c | x, h)

    >>> said = [lambda t: "+", lambda t: "-", lambda t: "-"]
    >>> model = BayesOptimalClassifier(said, [0.4, 0.3, 0.3]).weighted(["+", "-"])
    >>> model.predict({"x": [1]}).tolist(), model.predict_proba({"x": [1]}).round(3).tolist()
    (['-'], [[0.4, 0.6]])

    No other way to use the same hypotheses and priors errs less on average. `fit` turns `priors` into posteriors
    by the likelihood of the data; `weighted` takes them as posteriors already.

    {settings}

    Attributes: `posterior_`, `log_likelihood_` and `description_length_` in bits, of each hypothesis.

    Reference: T. M. Mitchell, Machine Learning, 1997, section 6.7.
    """

    def weighted(self, classes: list[object]) -> BayesOptimalClassifier:
        """Take the priors as the hypotheses' probabilities, for these classes, without any data."""
        self._check_parameters()
        twin = self._twin(classes=np.array(classes))
        twin._weigh(self._prior(), np.zeros(len(self._listed_hypotheses())))
        return self._become(twin)

    def __sklearn_is_fitted__(self) -> bool:
        return "posterior_" in self.__dict__

    def _matched(self, X: object) -> Table:
        # Without data there are no columns to match: the hypotheses see the rows as they come.
        if "posterior_" in self.__dict__ and "_schema" not in self.__dict__:
            return X if isinstance(X, Table) else Table(X)
        return super()._matched(X)

    def _votes(self, table: Table) -> Array:
        """Hypotheses × rows × classes, each weighted."""
        noise = float(self.noise)
        said = [answers(h, table, self.classes_, noise) for h in self._listed_hypotheses()]
        votes: Array = np.array(said) * self.posterior_[:, None, None]
        return votes

    def _probabilities(self, table: Table) -> Array:
        total: Array = self._votes(table).sum(axis=0)
        whole = total.sum(axis=1, keepdims=True)
        shares: Array = np.divide(total, whole, out=np.full(total.shape, 1 / total.shape[1]), where=whole > 0)
        return shares

    def _explain(self, table: Table) -> Explanations:
        labels, names = self.classes_.tolist(), self.hypothesis_names_

        def explain_row(i: int) -> Explanation:
            row = table.rows(i, i + 1)
            votes, p = self._votes(row)[:, 0], self._probabilities(row)[0]
            order = np.argsort(-p, kind="stable")
            best = int(order[0])
            parts = [f"{number(float(v))} ({label(h)})" for h, v in zip(names, votes[:, best], strict=True) if v > 0]
            words = f"hypotheses vote {' + '.join(parts)} for it"
            total = float(p[best])
            others = tuple((labels[c], float(p[c])) for c in order[1:])
            return Explanation(labels[best], "frequency", total, words, (), total, "probability", others)

        return Explanations(table.n_rows, explain_row)
