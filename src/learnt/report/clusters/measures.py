"""How well clusters part, whether other starts and other rows give them again, and which classes they hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.cluster.judging.consensus import Consensus, consensus_clustering
from learnt.cluster.judging.profile import NOISE, profile_clusters
from learnt.data.table import Array, Column, Table
from learnt.learner.settings import clone
from learnt.show.words import plain
from learnt.watch import report

ROWS = 10_000  # that silhouettes and restarts look at; more would take minutes and change the last digit
PAIRED_ROWS = 2000  # the same for learners that compare every row with every other
FEWEST_ROWS = 200  # fewer would tell nothing, however many columns there are
MOST_CELLS = 25_000_000_000  # compared for one silhouette; some ten seconds
RUNS = 10
PART = 0.8  # of the rows, in each of the fits that shall agree
MOST_CLASSES = 20  # a numeric column with more values holds no classes


@dataclass(frozen=True)
class Parting:
    """The silhouette: from −1, in the wrong cluster, over 0, on the border, to 1, far from all other clusters."""

    mean: float
    half: float  # of the 95 % interval
    by_cluster: dict[int, float]
    rows: int
    sampled: bool
    result: Any  # as `silhouette` gives it, with its widths and its picture

    @property
    def words(self) -> str:
        """By the rule of thumb of its inventors."""
        if self.mean > 0.7:
            return "a strong structure"
        if self.mean > 0.5:
            return "a reasonable structure"
        if self.mean > 0.25:
            return "a weak structure, which may be made up"
        return "no structure to speak of"

    def to_dict(self) -> dict[str, Any]:
        told = {"mean": self.mean, "half_interval": _number_or_none(self.half), "rows": self.rows}
        return {**told, "by_cluster": {c: _number_or_none(mean) for c, mean in self.by_cluster.items()}}


def parting_of(model: Any, table: Table, labels: Array, seed: int) -> Parting | None:
    """None where there are no two clusters to part."""
    from learnt.cluster.judging.silhouette import silhouette

    kept = labels != NOISE
    if len(np.unique(labels[kept])) < 2:
        return None
    x, metric = compared_by(model, table)
    affordable = max(FEWEST_ROWS, int(MOST_CELLS / (table.n_rows * _width(model, table))))
    sample = min(ROWS, affordable) if table.n_rows > min(ROWS, affordable) else None
    found = silhouette(x, labels, metric=metric, sample=sample, random_state=seed)
    # The rows stand for others like them: the doubt is that of a mean of so many widths.
    half = 1.96 * float(found.widths.std(ddof=1)) / math.sqrt(len(found.widths)) if len(found.widths) > 1 else math.nan
    by_cluster = dict(zip(found.clusters.tolist(), found.cluster_means.tolist(), strict=True))
    return Parting(found.mean, half, by_cluster, len(found.widths), sample is not None, found)


def compared_by(model: Any, table: Table) -> tuple[Any, Any]:
    """The rows and the metric that the learner itself compared them by."""
    if _by_metric(model):
        return table, model.metric
    from learnt.engine.first_look import look_at

    standardize = getattr(model, "standardize", "auto" if hasattr(model, "metric") else True)
    return look_at(table, None, drop_reference=False, standardize=standardize).design.encode(table), "euclidean"


def _by_metric(model: Any) -> bool:
    """Whether rows are compared by a metric, and not by means of encoded rows."""
    by_means = getattr(model, "linkage", None) in ("ward", "centroid", "median")
    return hasattr(model, "metric") and not by_means and getattr(model, "method", None) != "bisecting"


@dataclass(frozen=True)
class Agreement:
    """How alike the clusters of several fits are: the mean adjusted Rand index of all pairs, and its 95 % interval."""

    mean: float
    low: float
    high: float
    runs: int
    unlucky: int  # runs that ended clearly worse than the best
    lucky: float  # the agreement of the others
    rows: int
    sampled: bool  # whether these are some of the rows only
    result: Consensus  # with the clusters of each run, and a picture

    @classmethod
    def of(cls, result: Consensus, some: Table, table: Table) -> Agreement:
        rest = np.delete(np.delete(result.agreement, result.unlucky, 0), result.unlucky, 1)
        lucky = float(rest[np.triu_indices(len(rest), 1)].mean()) if len(rest) > 1 else math.nan
        unlucky = len(result.unlucky)
        return cls(result.mean, *result.interval, RUNS, unlucky, lucky, some.n_rows, some is not table, result)

    @property
    def words(self) -> str:
        """What the fits that ended well have in common; a best of many starts is one of them."""
        alike = self.mean if math.isnan(self.lucky) else self.lucky
        if alike > 0.95:
            return "always much the same clusters"
        if alike > 0.75:
            return "mostly much the same clusters"
        return "other clusters each time, so take none of them for the truth"

    def to_dict(self) -> dict[str, Any]:
        names = ("mean", "low", "high", "runs", "unlucky", "lucky", "rows")
        return {name: _number_or_none(getattr(self, name)) for name in names}


def restarts_of(model: Any, table: Table, seed: int) -> Agreement | None:
    """Fits from other starts, each a single one; None for a learner that draws nothing."""
    if "random_state" not in type(model)._defaults() or table.n_rows < 3:
        return None
    again = clone(model)
    if getattr(model, "init", None) == "build":  # which starts from the same rows each time
        again.set_params(init="random")
    some = some_rows(model, table, seed)
    return Agreement.of(consensus_clustering(again, some, n_runs=RUNS, random_state=seed + 1), some, table)


def resamples_of(model: Any, table: Table, seed: int) -> Agreement | None:
    """Fits to four fifths of the rows, drawn anew each time, which then put all rows into their clusters."""
    some = some_rows(model, table, seed)
    part = round(PART * some.n_rows)
    if part < max(10, 2 * len(np.unique(model.predict(some)))):
        return None
    rng = np.random.default_rng(seed)
    found = []
    for run in range(RUNS):
        drawn = np.sort(rng.choice(some.n_rows, part, replace=False))
        found.append(clone(model).fit(some.take(drawn)).predict(some))
        report("resample", learner=type(model).__name__, iteration=run + 1, total=RUNS)
    return Agreement.of(consensus_clustering(found), some, table)


def some_rows(model: Any, table: Table, seed: int) -> Table:
    """The rows to look at: all, or as many as a learner can be fitted to twenty times while someone waits."""
    affordable = max(FEWEST_ROWS, int(math.sqrt(MOST_CELLS / 10 / _width(model, table))))
    most = min(PAIRED_ROWS if "pairwise" in model.abilities else ROWS, affordable)
    if table.n_rows <= most:
        return table
    return table.take(np.sort(np.random.default_rng(seed).choice(table.n_rows, most, replace=False)))


def _width(model: Any, table: Table) -> int:
    """How many numbers a row is compared by: labels have an indicator each, unless a metric compares them."""
    if _by_metric(model):
        return table.n_columns
    return sum(max(1, len(c.categories)) if c.kind in ("nominal", "boolean") else 1 for c in table.schema)


def _number_or_none(x: float) -> float | None:
    """For JSON, which has no word for what is not a number."""
    return None if math.isnan(x) else x


def against_classes(labels: Array, classes: Column) -> Any:
    """The clusters beside the classes, rows without a class left out; beside a column of many numbers, its means."""
    from learnt.cluster.judging.versus import compare_clusters

    there = ~classes.missing
    if classes.kind == "numeric" and len(np.unique(classes.values[there])) > MOST_CLASSES:
        return profile_clusters(Table.of_columns([classes]), labels)
    told = np.array([str(plain(value)) for value in classes.labels()], dtype=object)
    return compare_clusters(labels[there], told[there].astype(str))
