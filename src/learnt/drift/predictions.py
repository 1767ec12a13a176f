"""What a moved table does to a model: its answers then and now, and its scores where the truth is known."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Column, Table
from learnt.drift.columns import ColumnDrift, compare_columns
from learnt.evaluate.comparison.scoring import SHOWN
from learnt.evaluate.metrics.scoring import METRICS
from learnt.evaluate.new_rows import Figure, judge, labelled_rows
from learnt.show.numbers import number, percent
from learnt.show.words import label

#: Classes that are shown in a table.
MOST_CLASSES = 30


@dataclass(frozen=True)
class PredictionDrift:
    """A model's answers to two tables.

    `answers` is how far they moved, tested as a column is; `shares` are those of classes, then and now; `scores` are
    (then, now) by metric, where both tables know the truth.
    """

    answers: ColumnDrift
    shares: tuple[tuple[Any, float, float], ...]
    scores: tuple[tuple[Figure, Figure], ...]

    @property
    def is_worse(self) -> bool:
        """Whether the first score is worse now, and the intervals of both do not overlap."""
        if not self.scores:
            return False
        then, now = self.scores[0]
        apart = now.low > then.high or now.high < then.low
        return apart and bool(then.metric.better(then.score, now.score))

    def lines(self) -> list[str]:
        """The same in words."""
        if self.shares:
            moved = sorted(self.shares, key=lambda row: -abs(row[2] - row[1]))[:3]
            parts = "; ".join(f"{label(c)} {percent(a, 0)} then, {percent(b, 0)} now" for c, a, b in moved)
        else:
            parts = f"{self.answers.then} then, {self.answers.now} now"
        said = [f"The model's answers: {parts}."]
        for then, now in self.scores[:1]:
            title = then.metric.title
            verdict = "It is worse on the new rows." if self.is_worse else "That it is worse now is not shown."
            said.append(
                f"The model's {title}: {_figure(then)} on the old rows, {_figure(now)} on the new ones. {verdict}"
            )
            if self.is_worse:
                said.append(
                    "If it learnt from the old rows, part of that is hindsight: learnt test knows what was promised."
                )
        return said

    def rows(self) -> list[tuple[str, str, str]]:
        """The same as a table: what, then, now; classes whose share moved most first."""
        moved = sorted(self.shares, key=lambda row: -abs(row[2] - row[1]))[:MOST_CLASSES]
        said = [(f"answer {label(c)}", percent(a, 0), percent(b, 0)) for c, a, b in moved]
        return [
            *(said or [("answers", self.answers.then, self.answers.now)]),
            *((then.metric.title, _figure(then), _figure(now)) for then, now in self.scores),
        ]


def _figure(figure: Figure) -> str:
    return f"{number(figure.score)} ({number(figure.low)} … {number(figure.high)})"


def compare_predictions(model: Any, old: Table, new: Table, target: str | None = None) -> PredictionDrift:
    """Ask a fitted model about both tables; with `target`, also how right it is."""
    schema = model._given_schema()
    features = [table.matched(schema) for table in (old, new)]
    answers = [np.asarray(model.predict(table)) for table in features]
    numbers = answers[0].dtype.kind == "f" and not hasattr(model, "classes_")
    both = Table({"answers": np.concatenate(answers)}, kinds=None if numbers else {"answers": "nominal"})["answers"]
    n = len(answers[0])
    columns = [Column.like(both, both.values[:n]), Column.like(both, both.values[n:])]
    shares = () if numbers else _shares(*columns)
    known = target is not None and target in old and target in new
    scores = _scores(model, features, [old[target], new[target]]) if known and target is not None else ()
    return PredictionDrift(compare_columns(*columns), shares, scores)


def _shares(old: Column, new: Column) -> tuple[tuple[Any, float, float], ...]:
    counts = [np.bincount(c.values[c.values >= 0], minlength=len(c.categories)) / max(1, len(c)) for c in (old, new)]
    return tuple((c, float(a), float(b)) for c, a, b in zip(old.categories, *counts, strict=True))


def _scores(model: Any, features: list[Table], truths: list[Column]) -> tuple[tuple[Figure, Figure], ...]:
    judged = []
    for table, truth in zip(features, truths, strict=True):
        there = np.flatnonzero(~truth.missing)
        if not len(there):
            return ()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # names of columns where the model was fitted without any
            problem = labelled_rows(model, table.take(there), Column.like(truth, truth.values[there]), None)
            metrics = [METRICS[name] for name in SHOWN[problem.task] if problem.task in METRICS[name].tasks]
            judged.append(judge(model, problem, metrics))
    pairs = [(figure, judged[1].figure(figure.metric.name)) for figure in judged[0].figures]
    return tuple((then, now) for then, now in pairs if now is not None)
