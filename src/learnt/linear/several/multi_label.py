"""Several labels at once: a learner of two classes for each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from learnt.data.schema import BOOLEAN_CATEGORIES
from learnt.data.table import Array, Column, Table
from learnt.engine.training import checked_weights, prepare
from learnt.errors import InputError, SavedModelError
from learnt.explain import Explanation, Explanations
from learnt.learner.base import Classifier, Learner
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag
from learnt.linear.several.label_sets import are_sets, memberships, named_columns
from learnt.linear.several.one_vs_rest import TableClassifier, default_or_clone, explanation_for
from learnt.linear.several.retarget import two_names
from learnt.show.words import label as written
from learnt.show.words import spell


class MultiLabelClassifier(Learner, listed=False):
    """Predict which of several labels a row has, any number of them, by one learner of two classes per label.

    >>> from learnt import NaiveBayesClassifier
    >>> news = {"goals": [3.0, 2.0, 0.0, 0.0], "votes": [0.0, 90.0, 80.0, 0.0]}
    >>> model = MultiLabelClassifier(NaiveBayesClassifier())
    >>> model = model.fit(news, [{"sport"}, {"sport", "politics"}, {"politics"}, set()])
    >>> model.labels_.tolist(), model.predict(news).tolist()
    (['politics', 'sport'], [[0, 1], [1, 1], [1, 0], [0, 0]])

    `fit(X, y)` takes as `y` the names of several columns of `X`, a matrix or frame of 0 and 1 (or booleans), or a set
    of labels per row. `predict` gives 0 and 1, rows × labels, and `predict_sets` sets.

    {settings}

    In a chain the learners see the true earlier labels when fitting and the predicted ones when predicting.

    Attributes: `labels_`; `members_`, the fitted learners in the order of `labels_`.

    Reference: J. Read, B. Pfahringer, G. Holmes, E. Frank, Classifier Chains for Multi-label Classification, Machine
    Learning 85, 2011.
    """

    task = "multi-label classification"
    abilities = frozenset({"missing", "nominal", "weights", "probabilities", "sparse"})
    fit_cost = 6.0
    simplicity = 30.0

    learner: Any = setting(
        TableClassifier(),
        "a classifier, cloned for every label; None for a `LogisticRegression`",
        default=None,
        kw_only=False,
    )
    chain: bool = setting(
        Flag(), "whether each label is a column for those after it: labels then depend on each other", default=False
    )

    labels_: Array = attribute()
    members_: list[Any] = attribute()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of `X` which labels go with what; see the class for the forms of `y`."""
        self._check_parameters()
        table = X if isinstance(X, Table) else Table(X)
        columns = named_columns(table, y)
        has, labels = memberships(y if columns is None else table.select(columns))
        training = prepare(
            table if columns is None else table.drop(*columns), None, sample_weight, None, type(self).__name__
        )
        features = training.source
        assert isinstance(features, Table)
        if len(has) != table.n_rows:
            raise InputError(
                "Found input variables with inconsistent numbers of samples: "
                f"X has {table.n_rows} rows, y has {len(has)}. Give the labels of every row."
            )
        if training.weights is not None and columns is None and are_sets(y):
            has, labels = _of_counted_rows(has, labels, training.weights > 0)
        twin = self._twin(training.schema.without_documents)  # members count words themselves
        twin.labels_ = np.array(labels, dtype=object)
        if self.chain:
            twin._check_names()
        twin.members_ = []
        for j, name in enumerate(labels):
            y_names = two_names(name)[has[:, j].astype(np.int32)]
            member = default_or_clone(self.learner)
            twin.members_.append(member.fit(twin._with_labels(features, has[:, :j]), y_names, training.weights))
        return self._become(twin)

    def _check_names(self) -> None:
        taken = [name for name in map(str, self.labels_.tolist()) if name in self._schema.names]
        if taken:
            raise InputError(
                f"The label {spell(taken[0])} is called like a column of the table. In a chain labels become columns. "
                "Rename one of them."
            )

    def _with_labels(self, table: Table, has: Array) -> Table:
        """The table, and in a chain the labels before this one."""
        if not self.chain or not has.shape[1]:
            return table
        names = [str(name) for name in self.labels_[: has.shape[1]].tolist()]
        if table.sparse is not None:
            from scipy.sparse import csr_matrix, hstack

            joined = hstack([table.sparse, csr_matrix(has.astype(np.float64))], format="csr")
            return Table.of_matrix(joined, [*table.names, *names])
        codes = has.astype(np.int32)
        more = [Column(name, "boolean", codes[:, j], BOOLEAN_CATEGORIES) for j, name in enumerate(names)]
        return Table.of_columns([*table.columns, *more])

    def predict_proba(self, X: Any) -> Array:
        """The probability of each label, rows × labels; in a chain given the labels predicted before it."""
        return self._shares(self._matched(X))

    def _shares(self, table: Table) -> Array:
        shares = np.zeros((table.n_rows, len(self.members_)))
        for j, member in enumerate(self.members_):
            rows = self._with_labels(table, shares[:, :j] > 0.5)
            place = self._place(j)
            if place is not None:  # a label that no row had is never predicted
                shares[:, j] = np.asarray(member.predict_proba(rows))[:, place]
        return shares

    def _place(self, j: int) -> int | None:
        """Where a member keeps the class of having the label."""
        known: list[Any] = self.members_[j].classes_.tolist()
        name = two_names(self.labels_[j])[1]
        return known.index(name) if name in known else None

    def predict(self, X: Any) -> Array:
        """1 where a row has a label, 0 where not: rows × labels."""
        return (self.predict_proba(X) > 0.5).astype(np.int64)

    def predict_sets(self, X: Any) -> list[set[Any]]:
        """The labels of each row."""
        names = self.labels_.tolist()
        return [{names[j] for j in np.flatnonzero(row)} for row in self.predict(X)]

    # How good it is

    def _judged_labels(self, X: Any, y: Any, sample_weight: Any) -> tuple[Array, Array, Array]:
        """Truth, prediction and weights."""
        table = X if isinstance(X, Table) else Table(X)
        columns = named_columns(table, y)
        self._fitted_schema()
        has, _ = memberships(y if columns is None else table.select(columns), self.labels_.tolist())
        if len(has) != table.n_rows:
            raise InputError(f"X has {table.n_rows} rows, y has {len(has)}. Give the labels of every row.")
        weights = table[sample_weight] if isinstance(sample_weight, str) else sample_weight
        w = np.ones(len(has)) if weights is None else checked_weights(weights, len(has))
        return has, self.predict(table) == 1, w

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Subset accuracy: the share of rows, by weight, all of whose labels are predicted right."""
        has, said, w = self._judged_labels(X, y, sample_weight)
        return float(np.average((has == said).all(axis=1), weights=w))

    def hamming_loss(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of labels, over all rows, that are predicted wrong."""
        has, said, w = self._judged_labels(X, y, sample_weight)
        return float(np.average((has != said).mean(axis=1), weights=w))

    def label_scores(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """One row per label: the weight of rows that have it, accuracy, precision, recall and F1; NaN for 0/0."""
        has, said, w = self._judged_labels(X, y, sample_weight)
        hits, present, answers = w @ (has & said), w @ has, w @ said
        with np.errstate(invalid="ignore"):
            cells = {
                "support": present,
                "accuracy": w @ (has == said) / w.sum(),
                "precision": hits / answers,
                "recall": hits / present,
                "f1": 2 * hits / (answers + present),
            }
        return Table({"label": [str(name) for name in self.labels_.tolist()], **cells})

    # Explaining

    def explain(self, X: Any, label: Any = None) -> Explanations:
        """Why each row has, or has not, a label: the arithmetic of its learner. None: the label most probable there."""
        table = self._matched(X)
        names = self.labels_.tolist()
        if label is not None and label not in names:
            raise InputError(f"There is no label {written(label)}. Expected one of {names[:8]}.")
        shares = self._shares(table)
        chosen = shares.argmax(axis=1) if label is None else np.full(table.n_rows, names.index(label))
        return Explanations(table.n_rows, lambda i: self._explain_label(table, shares, i, int(chosen[i]))).like(X)

    def _explain_label(self, table: Table, shares: Array, i: int, j: int) -> Explanation:
        row = self._with_labels(table.rows(i, i + 1), shares[i : i + 1, :j] > 0.5)
        member, name = self.members_[j], two_names(self.labels_[j])
        found: Explanation = member.explain(row)[0]
        side = name[int(shares[i, j] > 0.5)]
        return replace(explanation_for(found, side), prediction=side)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags(multi_class=False, multi_label=True)
        tags.target_tags.required, tags.target_tags.multi_output = True, True
        return tags

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        n = len(self._schema)
        sizes = [n + j if self.chain else n for j in range(len(self.labels_))]
        members = [isinstance(m, Classifier) and len(m._schema) for m in self.members_]
        if self.labels_.ndim != 1 or members != sizes:
            raise SavedModelError("The members do not fit the labels and columns.")


def _of_counted_rows(has: Array, labels: list[Any], counts: Array) -> tuple[Array, list[Any]]:
    """Without the labels that only rows of weight 0 have: such a row is none. Columns of labels stay."""
    kept: Array = np.any(has[counts], axis=0)
    if not kept.any():
        raise InputError("Only rows of weight 0 have labels, so that none is known. Give a label to a row that counts.")
    return has[:, kept], [name for name, there in zip(labels, kept.tolist(), strict=True) if there]
