"""How far one column of one cluster is from that column of the whole table."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt.data.form import Form
from learnt.data.schema import Label
from learnt.data.table import Array, Column, Table
from learnt.data.value_text import value_text
from learnt.show.numbers import percent
from learnt.show.words import label, plain
from learnt.statistics.counts import weigh_pairs

MOST_KEPT = 200  # traits of one cluster; a table may have 100,000 columns
MISSING_EFFECT = 0.5  # a share of missing cells is told from a medium effect on


@dataclass(frozen=True)
class Trait:
    """A column of a cluster: the mean, or the share of `category`, `inside` it and in the `whole` table.

    `what` is "mean", "rank" (of ordered categories, whose typical label is `category`), "share" or "missing".
    """

    column: str
    what: str
    inside: float
    whole: float
    effect: float
    category: Label = None
    whole_category: Label = None  # of ordered categories: the typical label of the whole table
    there: float = 1.0  # the share of the cluster's cells that are not missing
    form: Form | None = None  # how numbers of the column are shown

    @property
    def rank(self) -> float:
        """What traits are sorted by: an effect seen in a few cells only comes after the same one seen in all."""
        return abs(self.effect) * math.sqrt(self.there)

    @property
    def lift(self) -> float:
        """How many times as frequent the category is as in the whole table."""
        return self.inside / self.whole if self.whole > 0 else math.inf

    @property
    def inside_words(self) -> str:
        return self._words(self.inside, self.category)

    @property
    def whole_words(self) -> str:
        return self._words(self.whole, self.whole_category if self.what == "rank" else self.category)

    @property
    def effect_words(self) -> str:
        return ("+" if self.effect >= 0 else "−") + f"{abs(self.effect):.2f}"

    def _words(self, value: float, category: Label) -> str:
        if self.what == "mean":
            return value_text(self.form, value, max(abs(self.inside), abs(self.whole)))
        if self.what == "rank":
            return label(category)
        named = "missing" if self.what == "missing" else label(category)
        return f"{named} {percent(value, 0)}"

    def __str__(self) -> str:
        return f"{self.column} {self.inside_words} (whole: {self.whole_words.removeprefix(self._common())})"

    def _common(self) -> str:
        """What need not be said twice."""
        if self.what == "missing":
            return "missing "
        return f"{label(self.category)} " if self.what == "share" else ""

    def to_dict(self) -> dict[str, Any]:
        facts = {"column": self.column, "what": self.what, "inside": self.inside, "whole": self.whole}
        category = {} if self.what in ("mean", "missing") else {"category": plain(self.category)}
        return {**facts, **category, "effect": self.effect, "there": self.there}


def traits_of(table: Table, codes: Array, weights: Array | None, sizes: Array) -> list[list[Trait]]:
    """The traits of each cluster, the most telling first."""
    found: list[list[Trait]]
    if table.sparse is not None:
        found = _sparse_traits(table, codes, weights, sizes)
    else:
        found = [[] for _ in sizes]
        for column in table.columns:
            for c, traits in enumerate(_column_traits(column, codes, weights, sizes)):
                found[c] += traits
            if len(found) and len(found[0]) > 4 * MOST_KEPT:
                found = [_largest(traits) for traits in found]
    return [_largest(traits) for traits in found]


def _largest(traits: list[Trait]) -> list[Trait]:
    return sorted(traits, key=lambda t: -t.rank)[:MOST_KEPT]


def _column_traits(column: Column, codes: Array, weights: Array | None, sizes: Array) -> list[list[Trait]]:
    k = len(sizes)
    there = np.isfinite(column.values) if column.kind == "numeric" else column.values >= 0
    codes_there = codes if there.all() else codes[there]
    w = weights if weights is None or there.all() else weights[there]
    count = np.bincount(codes_there, w, k).astype(np.float64)
    traits: list[list[Trait]] = [[] for _ in range(k)]
    if count.sum() > 0:
        values = column.values if there.all() else column.values[there]
        if column.kind in ("nominal", "boolean"):
            traits = _category_traits(column, values, codes_there, w, count)
        else:
            traits = _number_traits(column, values.astype(np.float64), codes_there, w, count)
    if not there.all():
        present = count / np.where(sizes > 0, sizes, 1)
        traits = [[replace(t, there=float(present[c])) for t in of_c] for c, of_c in enumerate(traits)]
        _add_missing(traits, column, 1 - present, 1 - count.sum() / sizes.sum())
    return traits


def _number_traits(column: Column, x: Array, codes: Array, w: Array | None, count: Array) -> list[list[Trait]]:
    """Means, and their differences in standard deviations of the whole; ordered categories by their ranks."""
    # Squares of numbers near the ends of the range stay within it; a power of 2 costs no digit.
    unit = math.ldexp(1.0, math.frexp(float(np.abs(x).max()))[1] - 1)
    z = x / unit
    n = float(count.sum())
    mean = float(z.sum() / n if w is None else z @ w / n)
    gap = z - mean
    spread = math.sqrt(float(gap @ gap if w is None else (gap * gap) @ w) / n)
    means = np.bincount(codes, gap if w is None else gap * w, len(count)) / np.where(count > 0, count, 1)
    if spread <= 1e-12 * max(abs(mean), 1e-300):  # all alike, but for rounding
        return [[] for _ in count]
    what = "mean" if column.kind == "numeric" else "rank"
    whole = typical = None
    if what == "rank":
        typical = [_middle(column, x[codes == c], None if w is None else w[codes == c]) for c in range(len(count))]
        whole = _middle(column, x, w)
    return [
        [
            Trait(
                column.name,
                what,
                float((mean + means[c]) * unit),
                mean * unit,
                float(means[c] / spread),
                None if typical is None else typical[c],
                whole,
                form=column.form,
            )
        ]
        if count[c] > 0
        else []
        for c in range(len(count))
    ]


def _middle(column: Column, ranks: Array, w: Array | None) -> Label:
    """The median label of ordered categories."""
    if not len(ranks):
        return None
    tally = np.cumsum(np.bincount(ranks.astype(np.int64), w, len(column.categories)))
    return column.categories[int(np.searchsorted(tally, tally[-1] / 2))]


def _category_traits(column: Column, values: Array, codes: Array, w: Array | None, count: Array) -> list[list[Trait]]:
    """Per cluster the category whose share differs most from that in the whole."""
    k = len(count)
    used, places = np.unique(values, return_inverse=True)  # of ten thousand declared labels few may have rows
    tally = weigh_pairs(codes, k, places, len(used), w)
    share = tally / np.where(count > 0, count, 1)[:, None]
    whole = tally.sum(axis=0) / count.sum()
    effect = cohen_h(share, whole)
    # Of two categories that tell as much, as of every pair, the one that is frequent here.
    best = np.argmax(np.abs(effect) + 1e-9 * (effect > 0), axis=1)
    return [
        [
            Trait(
                column.name,
                "share",
                float(share[c, best[c]]),
                float(whole[best[c]]),
                float(effect[c, best[c]]),
                column.categories[int(used[best[c]])],
            )
        ]
        if count[c] > 0 and len(used) > 1
        else []
        for c in range(k)
    ]


def cohen_h(share: Any, whole: Any) -> Array:
    """2·asin √p − 2·asin √q."""
    return np.asarray(2 * np.arcsin(np.sqrt(np.clip(share, 0, 1))) - 2 * np.arcsin(np.sqrt(np.clip(whole, 0, 1))))


def _add_missing(traits: list[list[Trait]], column: Column, inside: Array, whole: float) -> None:
    effects = cohen_h(inside, whole)
    for c, effect in enumerate(effects.tolist()):
        if abs(effect) >= MISSING_EFFECT:
            traits[c].append(Trait(column.name, "missing", float(inside[c]), float(whole), effect))


def _sparse_traits(table: Table, codes: Array, weights: Array | None, sizes: Array) -> list[list[Trait]]:
    """Of a sparse matrix without filling in its zeros: means from one product, a few columns per cluster kept."""
    from scipy.sparse import csr_matrix

    k, n = len(sizes), table.n_rows
    w = np.ones(n) if weights is None else weights
    total = max(float(sizes.sum()), 1e-300)
    members = csr_matrix((w, (codes, np.arange(n))), shape=(k, n))
    x = table.sparse
    means = np.asarray((members @ x).todense(), dtype=np.float64) / np.where(sizes > 0, sizes, 1)[:, None]
    mean = sizes @ means / total
    squares = np.asarray(x.multiply(x).T @ w, dtype=np.float64).ravel() / total
    spread = np.sqrt(np.maximum(squares - mean**2, 0))
    effect = np.divide(means - mean, spread, out=np.zeros_like(means), where=spread > 1e-12 * np.sqrt(squares))
    keep = min(MOST_KEPT, effect.shape[1])
    found, names = [], table.names
    for c in range(k):
        top = np.argpartition(-np.abs(effect[c]), keep - 1)[:keep] if keep else np.zeros(0, np.int64)
        top = top[np.argsort(-np.abs(effect[c, top]), kind="stable")]
        found.append(
            [
                Trait(names[j], "mean", float(means[c, j]), float(mean[j]), float(effect[c, j]))
                for j in top.tolist()
                if sizes[c] > 0 and effect[c, j] != 0
            ]
        )
    return found
