"""The classifier two-sample test: if a model can tell new rows from old ones, they are not the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.convert.out import join_tables
from learnt.data.table import Array, Column, Table
from learnt.ensemble import RandomForestClassifier
from learnt.evaluate.metrics.areas import roc_auc_score
from learnt.evaluate.metrics.delong import auc_interval
from learnt.evaluate.metrics.intervals import Interval
from learnt.show.numbers import number, percent
from learnt.show.words import label, list_of

#: Rows of each table that are used; more would only make it slower, since far smaller changes are found than matter.
MOST_ROWS = 5_000
#: With fewer rows of either there is no point in asking a model.
LEAST_ROWS = 20
#: From this area on, and this share of it, one column is all that is seen, such as the year of each table.
SURELY, ALONE = 0.99, 0.9
#: Columns that are shuffled, those that gained most first, and how often.
MOST_COLUMNS, SHUFFLES = 50, 5


@dataclass(frozen=True)
class ToldApart:
    """How well a model, trained on half of the rows, tells new from old ones in the other half.

    An `auc` of 0.5 is guessing. `columns` are those it went by, with their shares of
    what is lost when each is shuffled.
    """

    auc: Interval
    p_value: float
    n_rows: int
    columns: tuple[tuple[str, float], ...]

    def __str__(self) -> str:
        scale = f"AUC {number(self.auc.estimate)} ({number(self.auc.low)} … {number(self.auc.high)})"
        if self.p_value >= 0.05:
            return f"A model cannot tell new rows from old ones: {scale}, where 0.5 is guessing."
        by = list_of([f"{label(name)} ({percent(share, 0)})" for name, share in self.columns[:3] if share >= 0.15])
        return f"A model tells new rows from old ones{by and f', by {by}'}: {scale}, where 0.5 is guessing."

    @property
    def alone(self) -> str | None:
        """The column that gives all new rows away, such as the year of a table; nothing is seen of the others."""
        if self.auc.estimate < SURELY or not self.columns or self.columns[0][1] < ALONE:
            return None
        return self.columns[0][0]


def tell_apart(old: Table, new: Table, *, random_state: int = 0) -> ToldApart | None:
    """Train a forest to tell two tables apart; None where either has too few rows, or no column is common."""
    from scipy import stats

    names = [name for name in old.names if name in new and _alike(old[name], new[name])]
    if not names or min(old.n_rows, new.n_rows) < LEAST_ROWS:
        return None
    rng = np.random.default_rng(random_state)
    some = [table.take(np.sort(rng.permutation(table.n_rows)[:MOST_ROWS])) for table in (old, new)]
    both = join_tables([Table.of_columns(columns) for columns in _common_columns(some[0], some[1], names)])
    is_new = np.repeat([0, 1], [table.n_rows for table in some])
    order = rng.permutation(both.n_rows)
    train, test = np.sort(order[::2]), np.sort(order[1::2])
    # A forest, not boosting: its default learns less of the noise where there is little to find.
    model = RandomForestClassifier(min_samples_leaf=5).fit(both.take(train), is_new[train])
    scores = np.asarray(model.predict_proba(both.take(test)))[:, 1]
    truth = is_new[test]
    found = stats.mannwhitneyu(scores[truth == 1], scores[truth == 0], alternative="greater")
    columns = _columns_it_went_by(model, both.take(test), truth, scores, rng)
    return ToldApart(auc_interval(truth, scores), float(found.pvalue), both.n_rows, columns)


def _columns_it_went_by(
    model: Any, table: Table, truth: Array, scores: Array, rng: np.random.Generator
) -> tuple[tuple[str, float], ...]:
    """Shares of the area that is lost on rows held out when a column is shuffled: what was gained in training is noise
    too."""
    # Columns of text have gains word by word, and are always looked at.
    gains = dict(zip(model._schema.names, model.feature_importances_.tolist(), strict=True))
    order = sorted(range(table.n_columns), key=lambda j: -gains.get(table.names[j], np.inf))
    full, lost = roc_auc_score(truth, scores), {}
    for j in order[:MOST_COLUMNS]:
        areas = []
        for _ in range(SHUFFLES):
            shuffled = list(table.columns)
            shuffled[j] = Column.like(shuffled[j], shuffled[j].values[rng.permutation(table.n_rows)])
            answers = np.asarray(model.predict_proba(Table.of_columns(shuffled)))[:, 1]
            areas.append(roc_auc_score(truth, answers))
        lost[table.names[j]] = max(0.0, full - float(np.mean(areas)))
    total = sum(lost.values())
    ranked = sorted(lost.items(), key=lambda pair: -pair[1])
    return tuple((name, loss / total) for name, loss in ranked if loss > 0)


def _alike(a: Column, b: Column) -> bool:
    return a.kind == b.kind


def _common_columns(old: Table, new: Table, names: list[str]) -> tuple[list[Column], list[Column]]:
    """Columns of the same name in both, labels coded by one list."""
    pairs = []
    for name in names:
        a, b = old[name], new[name]
        if a.kind != "numeric":
            every = tuple(dict.fromkeys([*a.categories, *b.categories]))
            a, b = a.recoded(every), b.recoded(every)
        schema = a if a.schema.kind_name == "text" else b  # of labels and texts, both are texts
        pairs.append((Column.like(schema, a.values), Column.like(schema, b.values)))
    return [a for a, _ in pairs], [b for _, b in pairs]
