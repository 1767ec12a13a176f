"""How many clusters? Four criteria side by side, and the doubt that remains."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from learnt.cluster.judging.choice_of_k import ChoiceOfK
from learnt.cluster.judging.k_criteria import Fit, Gap, elbow, gap_statistic, split_clusters, uniform_rows
from learnt.cluster.judging.silhouette import silhouette
from learnt.cluster.kmeans.learner import KMeans
from learnt.cluster.kmeans.modes import is_nominal
from learnt.cluster.kmeans.rows import first_of_each
from learnt.data.table import Array, Table
from learnt.engine.training import prepare
from learnt.engine.whole import InMemory
from learnt.errors import ConvergenceWarning, InputError, ParameterError
from learnt.learner.parameters import OneOf, Real, Seed, Whole, check_parameters, seed_from
from learnt.learner.settings import clone
from learnt.learner.text.counting import with_words
from learnt.show.words import spell
from learnt.watch import report

METHODS = ("silhouette", "elbow", "gap", "split")

#: Cells of the encoded rows looked at, at most.
_CELLS = 50_000_000


def choose_k(
    X: Any,
    k: Iterable[int] = range(1, 11),
    *,
    method: str = "silhouette",
    model: KMeans | None = None,
    sample: int = 10_000,
    references: int = 20,
    level: float = 0.01,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> ChoiceOfK:
    """The number of clusters for k-means, by `method`; all criteria are computed and told.

    >>> rng = np.random.default_rng(0)
    >>> x = np.repeat([[0.0, 0], [9, 0], [0, 9]], 30, axis=0) + rng.normal(size=(90, 2))
    >>> choose_k(x, random_state=0).best
    3

    | argument | default | meaning |
    |---|---|---|
    | `X` | | the rows: any table |
    | `k` | 1 to 10 | numbers to try; more than there are different rows are left out |
    | `method` | "silhouette" | the largest mean silhouette; "elbow": where inertia bends most; "gap": the smallest k \
    whose gap is within one error of the next; "split": clusters are split in two while that gains more than chance |
    | `model` | None | a `KMeans` with the settings to use; None: three starts each |
    | `sample` | 10000 | rows looked at, drawn if there are more |
    | `references` | 20 | tables without clusters that gap and split compare with |
    | `level` | 0.01 | of significance of a split |
    | `sample_weight` | None | a row of weight 2 stands there twice |
    | `random_state` | 0 | seed |

    The result prints as a table and has `best`, `doubt` (in words), `table`, `choices` and `plot()`.
    """
    settings = {"method": method, "sample": sample, "references": references, "level": level}
    domains = {"method": OneOf(*METHODS), "sample": Whole(2), "references": Whole(2), "level": Real(above=0, below=1)}
    check_parameters("choose_k", {**domains, "random_state": Seed()}, {**settings, "random_state": random_state})
    numbers = _numbers(k)
    model = KMeans(n_init=3) if model is None else model
    _check_model(model)
    InMemory("looks at rows many times").check(X, "choose_k")
    rng = np.random.default_rng(seed_from(random_state))
    x, weights, kinds, n_rows = _encoded(X, sample_weight, model, sample, rng)
    different = len(first_of_each(x if weights is None else x[weights > 0]))
    tried = tuple(number for number in numbers if number <= different)
    if not tried:
        raise InputError(f"The table has {different} different rows, fewer than each k given. Try k from 1 on.")
    if method == "silhouette" and tried[-1] < 2:
        raise InputError(
            f"A silhouette needs at least two clusters, and k = {tried[-1]} is the largest that can be tried "
            f"({different} different rows). Use another method or give larger k."
        )
    fit = _fitting(model, rng)
    inertia, widths = np.empty(len(tried)), np.full(len(tried), np.nan)
    for at, number in enumerate(tried):
        inertia[at], labels = fit(x, weights, number)
        if len(np.unique(labels)) >= 2:
            widths[at] = silhouette(x, labels, "euclidean", sample_weight=weights).mean
        report("clusters", learner="choose_k", iteration=at + 1, total=len(tried), objective=inertia[at], k=number)
    gap = gap_statistic(inertia, tried, fit, uniform_rows(x, kinds), weights, references, rng)
    found, splits = split_clusters(x, weights, fit, most=tried[-1], level=level, draws=references, rng=rng)
    choices = _choices(tried, inertia, widths, gap, found)
    return ChoiceOfK(
        tried, inertia, widths, gap.value, gap.error, splits, choices, method, rows=n_rows, rows_used=len(x)
    )


def _choices(k: tuple[int, ...], inertia: Array, widths: Array, gap: Gap, found: int) -> dict[str, int]:
    choices = {}
    if not np.isnan(widths).all():
        choices["silhouette"] = k[int(np.nanargmax(widths))]
    return choices | {"elbow": elbow(k, inertia), "gap": gap.best(k), "split": found}


def _numbers(k: Iterable[int]) -> tuple[int, ...]:
    numbers = tuple(k) if not isinstance(k, int) else (k,)
    if not numbers or any(number not in Whole(1) for number in numbers):
        raise ParameterError(
            f"choose_k: k={spell(k)} is not allowed. Expected whole numbers ≥ 1, such as range(1, 11)."
        )
    return tuple(sorted({int(number) for number in numbers}))


def _check_model(model: KMeans) -> None:
    if not isinstance(model, KMeans):
        raise ParameterError(f"choose_k: model is of type {type(model).__name__}. Expected a KMeans.")
    model._check_parameters()
    if not isinstance(model.init, str) or model.categories == "modes":
        raise ParameterError(
            "choose_k: the model has given rows as init, or categories='modes'. Its criteria speak of means found from "
            "any start. Set init='k-means++' and categories='indicators'."
        )


def _encoded(
    X: Any, sample_weight: Any, model: KMeans, sample: int, rng: np.random.Generator
) -> tuple[Array, Array | None, Array, int]:
    """Rows as numbers, at most `sample` of them, their weights, which columns are indicators, and all rows."""
    training = with_words(prepare(X, None, sample_weight, None, "choose_k"), "left out", "choose_k")
    table, weights = training.source, training.weights
    assert isinstance(table, Table)
    n_rows = table.n_rows
    design = clone(model).set_params(n_clusters=1, max_iter=1, n_init=1).fit(table, sample_weight=weights)._design
    if n_rows > sample:
        chosen = np.sort(rng.choice(n_rows, sample, replace=False))
        table, weights = table.take(chosen), None if weights is None else weights[chosen]
    if table.n_rows * design.n_columns > _CELLS:
        raise InputError(
            f"{table.n_rows} rows in {design.n_columns} columns are too many for choose_k, which spreads them out. "
            f"Set sample to at most {max(2, _CELLS // design.n_columns)}."
        )
    x = design.encode(table)
    dense = np.asarray(x if isinstance(x, np.ndarray) else x.todense(), dtype=np.float64)
    kinds = np.where(is_nominal(design)[design.owner], design.owner, -1)
    return dense, weights, kinds, n_rows


def _fitting(model: KMeans, rng: np.random.Generator) -> Fit:
    """How k clusters are fitted everywhere here: by the model's settings, on rows that are numbers already."""

    def fit(x: Array, weights: Array | None, k: int) -> tuple[float, Array]:
        one = clone(model).set_params(n_clusters=k, standardize=False, random_state=int(rng.integers(2**32)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different rows than clusters: k is small then
            one.fit(x, sample_weight=weights)
        return float(one.inertia_), one.labels_

    return fit
