"""The confusion matrix as an object: which class was taken for which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.evaluate.curves.picture import Picture
from learnt.evaluate.curves.scored_rows import asked_rows
from learnt.evaluate.metrics.agreement import confusion_matrix
from learnt.evaluate.metrics.labels import chosen_labels, code_labels
from learnt.lazy import optional_package
from learnt.show.html import html_table, preformatted
from learnt.show.numbers import number, percent
from learnt.show.text_table import aligned
from learnt.show.words import label, plain, shorten_text

#: More classes than this are not printed one by one.
MOST = 12


@dataclass(frozen=True, eq=False)
class ConfusionMatrix(Picture):
    """Rows (or their weight) by true class, down, and answer, across.

    `counts[i, j]` are rows of `labels[i]` answered with `labels[j]`; `shares` divides by the rows of the class, so
    that its diagonal is the `recall`; `precision` divides by the answers. Works where an array is asked for.
    """

    labels: tuple[Any, ...]
    counts: Array

    @classmethod
    def of(cls, model: Any, X: Any, y: Any = None, *, sample_weight: Any = None) -> ConfusionMatrix:
        """The answers of a fitted classifier to these rows, classes in the model's order."""
        if not hasattr(model, "classes_"):
            raise ParameterError(f"{type(model).__name__} has no classes. Expected a fitted classifier.")
        rows = asked_rows(model, X, y, sample_weight, "classes")
        assert rows.classes is not None
        truth = rows.classes[np.asarray(rows.target)]
        known = model.classes_.tolist()
        labels = known + [c for c in rows.classes.tolist() if c not in known]
        return confusion(truth, model.predict(rows.source), labels=labels, sample_weight=rows.weights)

    @property
    def shares(self) -> Array:
        return _divided_counts(self.counts, self.counts.sum(axis=1, keepdims=True))

    @property
    def recall(self) -> Array:
        return _divided_counts(np.diagonal(self.counts), self.counts.sum(axis=1))

    @property
    def precision(self) -> Array:
        return _divided_counts(np.diagonal(self.counts), self.counts.sum(axis=0))

    @property
    def accuracy(self) -> float:
        return float(np.trace(self.counts) / self.counts.sum())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.counts, dtype=dtype)

    def __len__(self) -> int:
        return len(self.labels)

    def confused(self, most: int = 5) -> list[tuple[Any, Any, float]]:
        """The most frequent mistakes: true class, answer, rows."""
        wrong = np.where(np.eye(len(self), dtype=bool), 0, self.counts)
        order = np.argsort(-wrong, axis=None, kind="stable")[:most]
        pairs = zip(*np.unravel_index(order, wrong.shape), strict=True)
        return [(self.labels[i], self.labels[j], float(wrong[i, j])) for i, j in pairs if wrong[i, j] > 0]

    def _cells(self) -> list[list[str]]:
        names = [shorten_text(label(c), 20) for c in self.labels]
        rows = [["", *names, "recall"]]
        recall, precision = self.recall, self.precision
        for i, name in enumerate(names):
            rows.append([name, *map(number, self.counts[i].tolist()), percent(recall[i])])
        rows.append(["precision", *map(percent, precision), percent(self.accuracy)])
        return rows

    def __str__(self) -> str:
        head = f"Accuracy {percent(self.accuracy)} of {number(float(self.counts.sum()))} rows, "
        if len(self) <= MOST:
            return f"{head}true classes down, answers across\n{aligned(self._cells(), left={0})}"
        lines = [f"{len(self)} classes; most often confused"]
        lines += [f"  {label(a)} taken for {label(b)}: {number(n)}" for a, b, n in self.confused()]
        return head + "\n".join(lines)

    def __repr__(self) -> str:
        return f"<ConfusionMatrix of {len(self)} classes: accuracy {percent(self.accuracy)}>"

    def _repr_html_(self) -> str:
        if len(self) > MOST:
            return preformatted(self)
        head, *rows = self._cells()
        return html_table(head, rows, left=(0,), caption="true classes down, answers across")

    def to_frame(self) -> Any:
        """A pandas DataFrame of the counts, true classes as its index."""
        pd = optional_package("pandas")

        index, columns = (pd.Index(list(self.labels), name=name) for name in ("truth", "answer"))
        return pd.DataFrame(self.counts, index=index, columns=columns)

    def plot(self, ax: Any = None) -> Any:
        """Draw the shares of each class as a grid with the counts written in; returns the matplotlib axes."""
        from learnt.plot.curves import plot_confusion

        return plot_confusion(self, ax)


def _divided_counts(part: Array, whole: Array) -> Array:
    shares: Array = np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0)
    return shares


def confusion(y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None) -> ConfusionMatrix:
    """The confusion matrix of answers, classes sorted or in the order of `labels`.

    >>> print(confusion(["cat", "dog", "dog", "cow"], ["cat", "dog", "cat", "cow"]))
    Accuracy 75 % of 4 rows, true classes down, answers across
               'cat'  'cow'  'dog'  recall
    'cat'          1      0      0   100 %
    'cow'          0      1      0   100 %
    'dog'          1      0      1    50 %
    precision   50 %  100 %  100 %    75 %
    """
    known = code_labels(y_true=y_true, y_pred=y_pred).labels
    names = known if labels is None else chosen_labels(labels, known)[0]
    counts = confusion_matrix(y_true, y_pred, labels=labels, sample_weight=sample_weight)
    return ConfusionMatrix(tuple(map(plain, names.tolist())), counts)
