"""How many clusters, where nobody said: as many as part best, or as the likelihood pays for."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from learnt.cli.arguments.methods import AS_IT_IS, AUTO, count_setting, names_of
from learnt.cluster.judging.profile import labels_for
from learnt.cluster.mixture.choose import CLOSE
from learnt.cluster.mixture.thin import has_enough_rows
from learnt.data.table import Array, Table
from learnt.errors import InputError, ParameterError
from learnt.learner.settings import clone
from learnt.report.clusters.measures import parting_of, some_rows
from learnt.show.numbers import number
from learnt.show.words import list_of, list_of_numbers
from learnt.watch import report

if TYPE_CHECKING:
    from learnt.cluster.judging.choice_of_k import ChoiceOfK

MOST = 10
QUICK_STARTS = 3  # of each of hundreds of fits
_NO_MORE = "More than one cluster does not pay."


@dataclass(frozen=True)
class Choice:
    """Numbers of clusters that were tried, how good each was, and how far that is in doubt."""

    criterion: str  # "silhouette", of which more is better, or "BIC", of which less is
    scores: dict[int, float]
    doubt: float
    rows: int
    sampled: bool
    thin: tuple[int, ...] = ()  # numbers left out, since a cluster of theirs holds too few rows

    @property
    def best(self) -> int:
        sign = 1 if self.criterion == "silhouette" else -1
        return max(self.scores, key=lambda k: (sign * self.scores[k], -k))

    @property
    def as_good(self) -> list[int]:
        """Other numbers whose score is within the doubt of the best."""
        best = self.scores[self.best]
        return [k for k, score in self.scores.items() if k != self.best and abs(score - best) <= self.doubt]

    @property
    def words(self) -> str:
        tried = f"k from {min(self.scores)} to {max([*self.scores, *self.thin])}"
        on = f" on {self.rows:,} rows drawn" if self.sampled else ""
        score = self.scores[self.best]
        if self.criterion == "silhouette":
            told = f"the mean silhouette is largest, {number(round(score, 3))} ± {number(round(self.doubt, 3))}"
        else:
            which = " of those with rows enough" if self.thin else ""
            told = f"the BIC is least{which}, {number(round(score, 1))}"
        close = ""
        if self.as_good:
            verb = "is" if len(self.as_good) == 1 else "are"
            close = f" {list_of([str(k) for k in self.as_good])} {verb} about as good: the table does not decide."
        if 1 not in self.scores:
            alone = "Whether there are clusters at all it does not tell."
        elif self.best == 1:
            alone = "That there is more than one cluster is not shown." if close else _NO_MORE
        else:
            alone = f"A single one has {number(round(self.scores[1], 1))}."
        out = (
            f" With {list_of_numbers(self.thin)}, a cluster would hold fewer rows than it has parameters."
            if self.thin
            else ""
        )
        return f"k = {self.best}: of {tried}{on}, {told}.{close} {alone}{out}"

    def plot(self, ax: Any = None) -> Any:
        """The score of every number tried; returns the axes."""
        from learnt.plot.clusters import plot_cluster_counts

        return plot_cluster_counts(self, ax)


def number_of_clusters(learner: Any, table: Table, wanted: int | str, seed: int) -> Choice | KMeansChoice | None:
    """Tell the learner how many clusters to find; returns how that was chosen, None where it was given."""
    setting = count_setting(learner)
    if setting is None or wanted == AS_IT_IS:
        return None
    choice = (
        _by_criteria(learner, table, seed) or _choose_number(learner, setting, table, seed) if wanted == AUTO else None
    )
    count = choice.best if choice is not None else 1 if wanted == AUTO else wanted
    learner.set_params(**{setting: count})
    return choice


@dataclass(frozen=True)
class KMeansChoice:
    """The number of means by the silhouette, and what other criteria say to it."""

    found: ChoiceOfK

    @property
    def best(self) -> int:
        return self.found.best

    @property
    def words(self) -> str:
        tried = [k for k in self.found.k if k > 1]
        return (
            f"k = {self.best}: of k from {tried[0]} to {tried[-1]} its mean silhouette is largest. {self.found.doubt}"
        )

    def plot(self, ax: Any = None) -> Any:
        """All criteria over k; returns the axes."""
        return self.found.plot(ax)


def _by_criteria(learner: Any, table: Table, seed: int) -> KMeansChoice | None:
    """None for other learners than k-means, and where rows are too few or too wide for all criteria."""
    from learnt.cluster import KMeans
    from learnt.cluster.judging.number_of_clusters import choose_k

    if not isinstance(learner, KMeans) or table.sparse is not None:
        return None
    model = clone(learner).set_params(n_init=QUICK_STARTS)
    most = max(2, some_rows(learner, table, seed).n_rows)
    try:
        return KMeansChoice(choose_k(table, range(1, MOST + 1), model=model, sample=most, random_state=seed))
    except (InputError, ParameterError):
        return None


@dataclass(frozen=True)
class Reach:
    """How near is near for DBSCAN, where nobody said."""

    found: Any  # as `suggest_eps` gives it

    @property
    def words(self) -> str:
        return f"{self.found}. There the curve of distances bends; other values of eps give other clusters."

    def plot(self, ax: Any = None) -> Any:
        """The curve of distances; returns the axes."""
        return self.found.plot(ax)


def reach(learner: Any, table: Table, settings: Sequence[str]) -> Reach | None:
    """Tell a learner of dense places how near neighbours are; None where that was given, or cannot be guessed."""
    least = max(2, math.ceil(getattr(learner, "min_samples", 2)))
    if "eps" not in type(learner)._defaults() or "eps" in names_of(settings) or table.n_rows < least:
        return None
    from learnt.cluster.density.eps import suggest_eps

    found = suggest_eps(table, least, metric=learner.metric)
    if not found.eps > 0:  # most rows are copies of each other
        return None
    learner.set_params(eps=float(f"{found.eps:.4g}"))
    return Reach(found)


def _choose_number(learner: Any, setting: str, table: Table, seed: int) -> Choice | None:
    """None where there are not rows enough to try two numbers."""
    some = some_rows(learner, table, seed)
    sampled = some is not table
    most = min(MOST, some.n_rows - 1)
    by_bic = hasattr(learner, "bic")
    scores: dict[int, float] = {}
    doubts: dict[int, float] = {}
    thin: list[int] = []
    # A tree is grown once and cut anew for each number.
    tree = clone(learner).set_params(**{setting: most}).fit(some) if hasattr(learner, "cut") and most > 1 else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a number that will not be taken
        for k in range(1 if by_bic else 2, most + 1):
            fitted = tree if tree is not None else clone(learner).set_params(**{setting: k}).fit(some)
            score, doubt = _score(fitted, some, k, by_bic, seed)
            if by_bic and k > 1 and not has_enough_rows(fitted, some.n_rows):
                thin.append(k)
            elif math.isfinite(score):
                scores[k], doubts[k] = score, doubt
            report("number of clusters", learner=type(learner).__name__, iteration=k, total=most)
    if not scores:
        return None
    choice = Choice("BIC" if by_bic else "silhouette", scores, 0.0, some.n_rows, sampled, tuple(thin))
    return replace(choice, doubt=doubts[choice.best])


def _score(fitted: Any, table: Table, k: int, by_bic: bool, seed: int) -> tuple[float, float]:
    """The score of one number of clusters, and its doubt."""
    if by_bic:
        return float(fitted.bic(table)), CLOSE
    try:
        labels: Array = np.asarray(fitted.cut(n_clusters=k)) if hasattr(fitted, "cut") else labels_for(table, fitted)
    except InputError:  # a tree of fewer leaves, since rows are copies of each other
        return math.nan, math.nan
    if len(np.unique(labels)) < k:  # fewer rows differ than there shall be clusters
        return math.nan, math.nan
    parting = parting_of(fitted, table, labels, seed)
    return (math.nan, math.nan) if parting is None else (parting.mean, parting.half)
